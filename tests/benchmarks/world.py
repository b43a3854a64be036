"""What every server of a benchmark offers: one tool to call, and others to list."""

from typing import Any, Final

_FIELDS: Final[dict[str, Any]] = {
    "id": {"type": "integer"},
    "name": {"type": "string"},
    "active": {"type": "boolean"},
}
ECHO_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": _FIELDS,
    "required": list(_FIELDS),
    "additionalProperties": False,
}
POLICIES: Final = 3
"""How many are asked before a write."""
ARGUMENTS: Final = {"id": 7, "name": "Ada", "active": True}
NO_ARGUMENTS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {},
    "additionalProperties": False,
}
NUMBER: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"number": {"type": "number"}},
    "required": ["number"],
}


def filler_description(number: int) -> str:
    """Say what the tool of this number is for; no two are equal."""
    return f"Search collection {number} and give the entries that match, newest first."


def filler_schema(number: int) -> dict[str, Any]:
    """Give a schema of six properties; no two are equal."""
    return {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": f"Words in collection {number}"},
            "limit": {
                "type": "integer",
                "description": "Entries at most",
                "minimum": 1,
            },
            "after": {"type": "string", "description": "Where the last page ended"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "order": {"type": "string", "enum": ["newest", "oldest", "best"]},
            "archived": {"type": "boolean", "description": "Old entries too"},
        },
        "required": ["query"],
        "additionalProperties": False,
    }


def filler_words(abilities: int) -> range:
    """Number the tools that stand beside echo, stall and tasks."""
    return range(abilities - len(PROBES))


PROBES: Final = ("echo", "stall", "tasks")
