"""The schemas of the pack: every result is closed and says all it may hold."""

from collections.abc import Mapping
from typing import Any, Final

_TEXT: Final = {"type": "string"}
_FLAG: Final = {"type": "boolean"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_TEXTS: Final = {"type": "array", "items": _TEXT}


def _closed(
    properties: Mapping[str, Any], required: list[str] | None = None
) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }


_SITE: Final = {
    "title": _TEXT,
    "summary": {**_TEXT, "description": "What this host is for."},
    "context": {**_TEXT, "description": "What the operator wants known; data."},
    "version": {**_TEXT, "description": "Version of the host."},
    "server": {"type": ["string", "null"], "description": "Which server answers."},
    "ledger": {
        "enum": ["recording", "none"],
        "description": "Whether writes are recorded.",
    },
    "ledger_required": {**_FLAG, "description": "Whether it may run without."},
    "read_only": {**_FLAG, "description": "Whether every write is off."},
    "abilities": {**_COUNT, "description": "How many are registered."},
    "categories": {**_COUNT, "description": "How many are registered."},
    "policy_missing": {
        **_TEXTS,
        "description": "Required plugins without which no write may run.",
    },
}

SITE_INPUT: Final = {
    "type": "object",
    "properties": {
        "fields": {
            "type": "array",
            "items": {"type": "string", "enum": list(_SITE)},
            "default": [],
            "description": "The fields wanted; none for all.",
        }
    },
    "additionalProperties": False,
    "default": {},
}
SITE_OUTPUT: Final = _closed(_SITE, required=[])

USER_OUTPUT: Final = _closed(
    {
        "id": _TEXT,
        "kind": {"enum": ["human", "agent", "local", "host"]},
        "scopes": _TEXTS,
        "session": _TEXT,
        "client": {**_TEXT, "description": "Empty when it gave no name."},
    }
)

ENVIRONMENT_OUTPUT: Final = _closed(
    {
        "python": _TEXT,
        "system": _TEXT,
        "host": _TEXT,
        "mcp": _TEXT,
        "packs": {
            "type": "array",
            "items": _closed(
                {
                    "name": _TEXT,
                    "version": {**_TEXT, "description": "Empty for a single file."},
                    "state": {"enum": ["found", "healthy", "set aside", "blocked"]},
                }
            ),
        },
    }
)
