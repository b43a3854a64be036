"""The schemas of the abilities that read; every result is closed."""

from collections.abc import Mapping
from typing import Any, Final

TEXT_LIMIT: Final = 4096

_TEXT: Final = {"type": "string"}
_FLAG: Final = {"type": "boolean"}
_SEQ: Final = {"type": "integer", "minimum": 1}
_BYTES: Final = {"type": ["integer", "null"], "minimum": 0}
_VERDICTS: Final = ["ok", "failed", "unchanged", "changed"]


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _words(description: str) -> dict[str, Any]:
    return {"type": "string", "maxLength": TEXT_LIMIT, "description": description}


def _moment(description: str) -> dict[str, Any]:
    return {"type": "string", "maxLength": 40, "description": description}


LIST_INPUT: Final = {
    "type": "object",
    "properties": {
        "domain": _words("Kind of thing that was changed, such as files."),
        "target": _words("One thing of that domain; give domain too."),
        "action": {"enum": ["created", "updated", "deleted", "ran"]},
        "actor": _words("Who called; * for anybody. By default only you."),
        "session": _words("Id of a session."),
        "ability": _words("What ran, such as files/write."),
        "result": {
            "enum": [*_VERDICTS, "unknown"],
            "description": "The verified result, or the nominal one without one.",
        },
        "reversible": {**_FLAG, "description": "Whether the record could undo it."},
        "rolled_back": {**_FLAG, "description": "Whether it was undone."},
        "start": _moment("ISO 8601 with a zone, such as 2026-01-31T09:00:00Z."),
        "end": _moment("Up to there and not further; likewise."),
        "limit": {"type": "integer", "minimum": 1, "maximum": 500, "default": 50},
        "cursor": {
            "type": "string",
            "pattern": "^[0-9]{1,18}$",
            "description": "The next of the page before.",
        },
    },
    "additionalProperties": False,
    "default": {},
}

CHANGE: Final[Mapping[str, Any]] = {
    "id": _SEQ,
    "at": {**_TEXT, "description": "ISO 8601, UTC."},
    "actor": _TEXT,
    "session": _TEXT,
    "ability": _TEXT,
    "domain": {**_TEXT, "description": "Empty for a run that changed nothing."},
    "target": _TEXT,
    "action": _TEXT,
    "result": {**_TEXT, "description": "What the run said of itself."},
    "result_real": {
        "enum": [*_VERDICTS, None],
        "description": "What was verified; null while nobody has. It counts.",
    },
    # No enum: clients are not shown its empty member, and refuse a result that has it.
    "partial": {
        "type": "string",
        "description": "Why not all is kept: size, secret or foreign; else empty.",
    },
    "reversible": _FLAG,
    "rolled_back": _FLAG,
}
LIST_OUTPUT: Final = _closed(
    {
        "changes": {
            "type": "array",
            "items": _closed(CHANGE),
            "description": "Newest first; there may be few or none although next is "
            "set.",
        },
        "next": {
            "type": ["string", "null"],
            "description": "The cursor of the following page.",
        },
    }
)

GET_INPUT: Final = {
    "type": "object",
    "properties": {"id": {**_SEQ, "description": "Number, from list-changes."}},
    "required": ["id"],
    "additionalProperties": False,
}
_DIFF: Final = _closed(
    {
        "kind": {"enum": ["text", "json", "binary", "none"]},
        "text": {**_TEXT, "description": "Lines; secrets are hidden."},
        "before_bytes": {**_BYTES, "description": "Null: it did not exist."},
        "after_bytes": _BYTES,
        "is_cut": _FLAG,
        "note": _TEXT,
    }
)
_EVALUATION: Final = _closed(
    {"at": _TEXT, "plugin": _TEXT, "result": {"enum": _VERDICTS}, "reason": _TEXT}
)
GET_OUTPUT: Final = _closed(
    {
        **CHANGE,
        "call": {**_TEXT, "description": "Id of the run."},
        "divergent": {**_FLAG, "description": "It was not as the run said."},
        "evaluations": {
            "type": "array",
            "items": _EVALUATION,
            "description": "Who judged the run later, newest first: the first counts.",
        },
        "diff": {**_DIFF, "type": ["object", "null"]},
    }
)
