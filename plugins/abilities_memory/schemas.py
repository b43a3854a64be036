"""The schemas of the three abilities; every result is closed."""

from collections.abc import Mapping
from typing import Any, Final

from abilities_memory.recall import DEFAULT_LIMIT, LIMIT

TYPES: Final = ["guardrail", "fact", "convention", "instruction"]
ACTIONS: Final = ["created", "updated", "deleted", "moved", "undone"]
CLAIMS: Final = 200
SUMMARIES: Final = 5
MOST_SUMMARIES: Final = 20

_TEXT: Final = {"type": "string"}
_FLAG: Final = {"type": "boolean"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_ID: Final = {"type": "string", "maxLength": 40}
_MOMENT: Final = {**_TEXT, "description": "ISO 8601, UTC."}


def _words(limit: int, description: str) -> dict[str, Any]:
    return {"type": "string", "maxLength": limit, "description": description}


def _closed(properties: Mapping[str, Any], *optional: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _list(items: Mapping[str, Any], most: int | None = None) -> dict[str, Any]:
    limit = {} if most is None else {"maxItems": most}
    return {"type": "array", "items": dict(items), **limit}


_SCOPE: Final = {
    "type": "object",
    "properties": {
        "site_wide": {**_FLAG, "description": "It holds everywhere."},
        "post_id": {"type": "integer", "description": "Number of the one post."},
        "target": _words(1000, "One thing or a pattern, such as files:config/*."),
    },
    "additionalProperties": False,
}

RECALL_INPUT: Final = {
    "type": "object",
    "properties": {
        "intent_hint": _words(
            4000, "What you are about to do; brings up what has one of its words."
        ),
        "scope": {**_SCOPE, "description": "What it is about; left out, anything."},
        "domain": _words(100, "One topic; what is always on comes all the same."),
        "types": {
            "type": "array",
            "items": {"enum": TYPES},
            "maxItems": 4,
            "description": "Left out, all of them.",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": LIMIT,
            "default": DEFAULT_LIMIT,
        },
        "summaries": {
            "type": "integer",
            "minimum": 0,
            "maximum": MOST_SUMMARIES,
            "default": SUMMARIES,
            "description": "How many session summaries.",
        },
    },
    "additionalProperties": False,
    "default": {},
}

_SCOPE_OUT: Final = _closed(
    {"site_wide": _FLAG, "post_id": {"type": "integer"}, "target": _TEXT},
    "post_id",
    "target",
)
_ENTRY: Final = _closed(
    {
        "id": _TEXT,
        "type": {"enum": TYPES},
        "domain": _TEXT,
        "text": _TEXT,
        "rationale": _TEXT,
        "recall": _list(_TEXT),
        "scope": _SCOPE_OUT,
        "priority": {"type": "integer"},
        "class": {**_TEXT, "description": "identity, procedure, fact or empty."},
        "advice": {**_FLAG, "description": "No rule enforces it."},
        "always_on": _FLAG,
        "matches": {**_COUNT, "description": "Words of it in the hint."},
        "source": _TEXT,
        "proposed_by": _TEXT,
        "proposed_at": _MOMENT,
        "reviewed_by": _TEXT,
        "reviewed_at": {"type": ["string", "null"]},
        "age_days": {"type": ["integer", "null"]},
    }
)
_DIGEST: Final = {
    "type": "object",
    "description": "Counted by the host from the record of writes.",
}
_DIVERGENCE: Final = _closed(
    {
        "kind": _TEXT,
        "sentence": _TEXT,
        "action": _TEXT,
        "target": _TEXT,
        "entry": {"type": "integer"},
    },
    "sentence",
    "entry",
)
_SUMMARY: Final = _closed(
    {
        "id": _TEXT,
        "digest": _DIGEST,
        "divergences": _list(_DIVERGENCE),
        "partial": _FLAG,
        "status": {"enum": ["unreviewed"]},
        "agent": _TEXT,
        "session": _TEXT,
        "session_start": _MOMENT,
        "session_end": _MOMENT,
        "age_days": _COUNT,
        "narrative": _TEXT,
    }
)

RECALL_OUTPUT: Final = _closed(
    {
        "label": _TEXT,
        "note": _TEXT,
        "guidance": _list(_ENTRY),
        "returned": _COUNT,
        "count": {**_COUNT, "description": "How many there are in all."},
        "by_type": _closed(dict.fromkeys(TYPES, _COUNT)),
        "truncated": _FLAG,
        "session_summaries": _list(_SUMMARY),
        "summaries_returned": _COUNT,
        "summaries_count": _COUNT,
        "summaries_truncated": _FLAG,
    }
)

REMEMBER_INPUT: Final = {
    "type": "object",
    "properties": {
        "type": {"enum": TYPES},
        "text": _words(600, "What is to be remembered, in one or two sentences."),
        "rationale": _words(400, "Why; a human reads it."),
        "domain": _words(40, "Topic, such as billing; a new one is made on approval."),
        "recall": {
            "type": "array",
            "items": _words(40, "A word or phrase."),
            "maxItems": 12,
            "description": "Words that shall bring it up.",
        },
        "scope": {**_SCOPE, "description": "Left out, it holds everywhere."},
        "supersedes": {**_ID, "description": "Id of what it is to replace."},
        "rule": {
            "type": "object",
            "description": "What writes to stop, once a human approved it.",
        },
    },
    "required": ["type", "text", "rationale"],
    "additionalProperties": False,
}

REMEMBER_OUTPUT: Final = _closed(
    {
        "id": _TEXT,
        "status": {"enum": ["pending"]},
        "duplicate_of": {"type": ["string", "null"]},
        "supersedes": {"type": ["string", "null"]},
        "pending": {**_COUNT, "description": "How many wait for a human."},
        "note": _TEXT,
    }
)

SAVE_INPUT: Final = {
    "type": "object",
    "properties": {
        "narrative": _words(4000, "What you did, and what is left to do."),
        "session_start": _words(
            40, "ISO 8601 with a zone; left out, where your last summary ended."
        ),
        "session_end": _words(40, "Likewise; left out, now."),
        "claims": {
            "type": "array",
            "maxItems": CLAIMS,
            "items": {
                "type": "object",
                "properties": {
                    "action": {"enum": ACTIONS},
                    "target": _words(1000, "Written domain:name."),
                },
                "required": ["action", "target"],
                "additionalProperties": False,
            },
            "description": "What you did, as data; compared with the record.",
        },
    },
    "required": ["narrative"],
    "additionalProperties": False,
}

SAVE_OUTPUT: Final = _closed(
    {
        "id": _TEXT,
        "session": _TEXT,
        "session_start": _MOMENT,
        "session_end": _MOMENT,
        "digest": _DIGEST,
        "divergence": {
            **_FLAG,
            "description": "The narrative and the record tell different things.",
        },
        "divergences": _list(_DIVERGENCE),
        "partial": {**_FLAG, "description": "Not all of the session was compared."},
    }
)
