"""Schemas: what each ability of the pack takes and gives."""

from typing import Any, Final

from abilities_database import query
from abilities_database.connection import VARIABLES

Schema = dict[str, Any]

NAME_CHARACTERS: Final = 200
CELLS: Final = 2000


def _object(properties: Schema, *optional: str) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _list(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def _cells(description: str) -> Schema:
    return {
        "type": "object",
        "additionalProperties": _GIVEN,
        "maxProperties": CELLS,
        "description": description,
    }


_TEXT: Final = {"type": "string"}
_TEXT_OR_NULL: Final = {"type": ["string", "null"]}
_IS: Final = {"type": "boolean"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_GIVEN: Final = {
    "type": ["null", "number", "string", "boolean", "object"],
    "description": 'Bytes are {"base64": "…"}.',
}
_CELL: Final = {"type": ["null", "number", "string", "object"]}
_TABLE: Final = {
    "type": "string",
    "minLength": 1,
    "maxLength": NAME_CHARACTERS,
    "description": "Name of the table.",
}
_WHERE: Final = _cells("Column to value; a row matches when all are so, null too.")

LIST_INPUT: Final = _object({})
LIST_OUTPUT: Final = _object(
    {
        "tables": _list(
            _object(
                {
                    "name": _TEXT,
                    "kind": {"enum": ["table", "view", "virtual"]},
                    "columns": _COUNT,
                }
            )
        ),
        "truncated": _IS,
    }
)

DESCRIBE_INPUT: Final = _object({"table": _TABLE})
DESCRIBE_OUTPUT: Final = _object(
    {
        "name": _TEXT,
        "kind": {"enum": ["table", "view", "virtual"]},
        "columns": _list(
            _object(
                {
                    "name": _TEXT,
                    "type": _TEXT,
                    "nullable": _IS,
                    "default": _TEXT_OR_NULL,
                    "generated": _IS,
                    "secret": _IS,
                }
            )
        ),
        "key": _list(_TEXT),
        "reversible": _IS,
        "indexes": _list(_object({"unique": _IS, "columns": _list(_TEXT_OR_NULL)})),
        "foreign_keys": _list(
            _object(
                {
                    "table": _TEXT_OR_NULL,
                    "on_delete": _TEXT,
                    "on_update": _TEXT,
                    "columns": _list(_TEXT),
                }
            )
        ),
        "triggers": _list(_TEXT),
    }
)

QUERY_INPUT: Final = _object(
    {
        "sql": {
            "type": "string",
            "maxLength": query.SQL_CHARACTERS,
            "description": "One SELECT; write ? for each value.",
        },
        "parameters": _list(
            _GIVEN,
            maxItems=VARIABLES,
            description="The values of the question marks, in order.",
        ),
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": query.LARGEST_PAGE,
            "default": query.PAGE,
            "description": "Most rows; the operator may allow fewer.",
        },
    },
    *("parameters", "limit"),
)
QUERY_OUTPUT: Final = _object(
    {"columns": _list(_TEXT), "rows": _list(_list(_CELL)), "truncated": _IS}
)

INSERT_INPUT: Final = _object(
    {"table": _TABLE, "values": _cells("Column to value; the rest have their default.")}
)
UPDATE_INPUT: Final = _object(
    {"table": _TABLE, "where": _WHERE, "values": _cells("Column to its new value.")}
)
DELETE_INPUT: Final = _object({"table": _TABLE, "where": _WHERE})

_FACTS: Final = {
    "other_changes": _COUNT
    | {"description": "Rows that triggers changed besides; they are not recorded."},
    "reversible": _IS | {"description": "Whether the record can put the rows back."},
}
INSERT_OUTPUT: Final = _object(
    {
        "table": _TEXT,
        "inserted": _COUNT,
        "key": {"type": ["object", "null"], "additionalProperties": _CELL},
        **_FACTS,
    }
)
UPDATE_OUTPUT: Final = _object(
    {"table": _TEXT, "matched": _COUNT, "updated": _COUNT, **_FACTS}
)
DELETE_OUTPUT: Final = _object(
    {"table": _TEXT, "matched": _COUNT, "deleted": _COUNT, **_FACTS}
)
