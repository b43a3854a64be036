"""The schemas of the abilities that undo."""

from typing import Any, Final

_SWITCHES: Final[dict[str, Any]] = {
    "dry_run": {
        "type": "boolean",
        "default": False,
        "description": "Decide everything and change nothing.",
    },
    "force": {
        "type": "boolean",
        "default": False,
        "description": "Put it back whatever is there now; what is there is recorded. "
        "Needs the scope ledger:force.",
    },
}
_SEQ: Final = {"type": "integer", "minimum": 1}
_SEQS: Final = {"type": "array", "items": _SEQ}

CHANGE_INPUT: Final = {
    "type": "object",
    "properties": {
        "id": {**_SEQ, "description": "Number of the change, from list-changes."},
        "only_target": {
            "type": "boolean",
            "default": False,
            "description": "Leave the other changes of the same run as they are.",
        },
        **_SWITCHES,
    },
    "required": ["id"],
    "additionalProperties": False,
}
CHANGE_OUTPUT: Final = {
    "type": "object",
    "properties": {
        "id": _SEQ,
        "changes": {**_SEQS, "description": "Numbers of what was undone with it."},
        "dry_run": {"type": "boolean"},
        "targets": {"type": "array", "items": {"type": "string"}},
        "left": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Targets that could not be put back, such as a folder "
            "that others use now.",
        },
    },
    "required": ["id", "changes", "dry_run", "targets", "left"],
    "additionalProperties": False,
}

SESSION_INPUT: Final = {
    "type": "object",
    "properties": {
        "session": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200,
            "description": "Id of the session, as list-changes shows it.",
        },
        **_SWITCHES,
    },
    "required": ["session"],
    "additionalProperties": False,
}
SESSION_OUTPUT: Final = {
    "type": "object",
    "properties": {
        "session": {"type": "string"},
        "dry_run": {"type": "boolean"},
        "undone": {**_SEQS, "description": "One change of each run, newest first."},
        "refused": {
            "type": ["object", "null"],
            "properties": {
                "id": _SEQ,
                "code": {"type": "string"},
                "message": {"type": "string"},
                "details": {"type": "object", "additionalProperties": True},
            },
            "required": ["id", "code", "message", "details"],
            "additionalProperties": False,
        },
        "left": {**_SEQS, "description": "What was not reached."},
    },
    "required": ["session", "dry_run", "undone", "refused", "left"],
    "additionalProperties": False,
}
