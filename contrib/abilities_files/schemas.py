"""Schemas: what each ability of the pack takes and gives."""

from typing import Any, Final

from abilities_files import deletion, listing, reading, search
from abilities_files.paths import PATH_CHARACTERS
from abilities_files.writing import EDITS_LIMIT

Schema = dict[str, Any]


def _object(properties: Schema, *optional: str) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _path(description: str, *, shortest: int = 1) -> Schema:
    return {
        "type": "string",
        "minLength": shortest,
        "maxLength": PATH_CHARACTERS,
        "description": description,
    }


def _number(description: str, lowest: int, highest: int, default: int) -> Schema:
    return {
        "type": "integer",
        "minimum": lowest,
        "maximum": highest,
        "default": default,
        "description": description,
    }


def _text(description: str = "") -> Schema:
    return {"type": "string"} | ({"description": description} if description else {})


def _flag(description: str, *, default: bool) -> Schema:
    return {"type": "boolean", "default": default, "description": description}


_FILE: Final = "Path of the file, relative to the root, such as 'notes/today.md'."
_FOLDER: Final = "Path of the folder; empty for the root."
_ANY: Final = "Path of the file or empty folder, relative to the root."

_COUNT: Final = {"type": "integer", "minimum": 0}
_IS: Final = {"type": "boolean"}
_NEXT: Final = {"type": ["integer", "null"]}
_KIND: Final = {"enum": ["file", "folder"]}

LIST_INPUT: Final = _object(
    {
        "path": _path(_FOLDER, shortest=0) | {"default": ""},
        "depth": _number("Levels of folders to show.", 1, listing.DEEPEST, 1),
        "limit": _number("Entries a page.", 1, listing.LARGEST_PAGE, listing.PAGE),
        "after": _text("next_after of the page before.") | {"maxLength": 40_000},
    },
    *("path", "depth", "limit", "after"),
)
LIST_OUTPUT: Final = _object(
    {
        "path": _text(),
        "entries": {
            "type": "array",
            "items": _object(
                {
                    "path": _text(),
                    "kind": {"enum": ["file", "folder", "link", "other"]},
                    "size": _COUNT,
                    "modified": _text(),
                    "unreadable_name": _IS,
                },
                "unreadable_name",
            ),
        },
        "truncated": _IS,
        "next_after": {"type": ["string", "null"]},
    }
)

READ_INPUT: Final = _object(
    {
        "path": _path(_FILE),
        "offset": _number(
            "Where to begin: characters of text, or bytes.", 0, 1 << 31, 0
        ),
        "limit": _number(
            "Characters or bytes a page.", 1, reading.LARGEST_PAGE, reading.PAGE
        ),
        "encoding": {
            "enum": ["auto", "text", "base64"],
            "default": "auto",
            "description": "auto gives text where it is UTF-8, else base64.",
        },
    },
    *("offset", "limit", "encoding"),
)
READ_OUTPUT: Final = _object(
    {
        "path": _text(),
        "size": _COUNT,
        "kind": {"enum": ["text", "binary"]},
        "text": _text(),
        "base64": _text(),
        "mime": _text(),
        "truncated": _IS,
        "next_offset": _NEXT,
    },
    *("text", "base64", "mime"),
)

SEARCH_INPUT: Final = _object(
    {
        "query": {
            "type": "string",
            "minLength": 1,
            "maxLength": search.QUERY_CHARACTERS,
            "description": "Plain text, a part of one line; no pattern.",
        },
        "path": _path(_FOLDER, shortest=0) | {"default": ""},
        "limit": _number("Most matches.", 1, search.LARGEST_PAGE, search.PAGE),
    },
    *("path", "limit"),
)
SEARCH_OUTPUT: Final = _object(
    {
        "path": _text(),
        "matches": {
            "type": "array",
            "items": _object(
                {
                    "path": _text(),
                    "kind": {"enum": ["name", "text"]},
                    "line": _COUNT,
                    "snippet": _text(),
                },
                "line",
            ),
        },
        "searched": _COUNT,
        "skipped": _COUNT,
        "stopped_by": {"enum": ["limit", "files", "time", None]},
    }
)

WRITE_INPUT: Final = _object(
    {
        "path": _path(_FILE),
        "text": _text("The whole contents as text; or send base64."),
        "base64": _text("The whole contents as base64; or send text."),
        "overwrite": _flag("Whether a file there is replaced.", default=True),
        "make_folders": _flag("Whether missing folders are made.", default=False),
    },
    *("text", "base64", "overwrite", "make_folders"),
)
WRITE_OUTPUT: Final = _object({"path": _text(), "size": _COUNT, "created": _IS})

EDIT_INPUT: Final = _object(
    {
        "path": _path(_FILE),
        "edits": {
            "type": "array",
            "minItems": 1,
            "maxItems": EDITS_LIMIT,
            "description": "Done in order; all of them or none.",
            "items": _object(
                {
                    "old": _text("Exactly what stands there, once."),
                    "new": _text("What shall stand there."),
                    "all": _flag("Whether every place is replaced.", default=False),
                },
                "all",
            ),
        },
    }
)
EDIT_OUTPUT: Final = _object({"path": _text(), "size": _COUNT, "replacements": _COUNT})

MOVE_INPUT: Final = _object(
    {
        "source": _path(_ANY),
        "destination": _path("The new path; its folder must exist."),
        "overwrite": _flag("Whether a file there is replaced.", default=False),
    },
    "overwrite",
)
MOVE_OUTPUT: Final = _object(
    {"source": _text(), "destination": _text(), "overwritten": _IS}
)

DELETE_INPUT: Final = _object(
    {
        "path": _path("Path of the file or folder, relative to the root."),
        "recursive": _flag(
            "Whether a folder goes with everything in it; at most "
            f"{deletion.PATHS_LIMIT:,} files and folders.",
            default=False,
        ),
    },
    "recursive",
)
DELETE_OUTPUT: Final = _object({"path": _text(), "kind": _KIND, "deleted": _COUNT})
