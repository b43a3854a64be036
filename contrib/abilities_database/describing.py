"""Describing: which tables there are, and what one of them looks like."""

import sqlite3
from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final

from abilities_database.database import Database
from abilities_database.domain import is_reversible
from abilities_database.table import Column, Table, list_names

LISTED: Final = 1000


def list_tables(database: Database) -> Any:
    """List the tables and views that are shown.

    Args:
        database: what is read.

    Returns:
        Their names, kinds and numbers of columns; at most 1,000.
    """
    with database.reading() as connection:
        shown = set(database.list_shown(connection))
        found = [
            {"name": name, "kind": kind, "columns": count}
            for name, kind, count in list_names(connection)
            if name in shown
        ]
    return {"tables": found[:LISTED], "truncated": len(found) > LISTED}


def describe_table(database: Database, arguments: Mapping[str, Any]) -> Any:
    """Describe one table.

    Args:
        database: what is read.
        arguments: table.

    Returns:
        Its columns, key, indexes, foreign keys and triggers, and whether changes of
        its rows can be undone.

    Raises:
        AbilityFailed: when there is none.
    """
    with database.reading() as connection:
        table = database.get_table(connection, arguments["table"])
        secret = database.secret_columns(table)
        is_plain = table.kind == "table"
        return {
            "name": table.name,
            "kind": table.kind,
            "columns": [_column(column, secret) for column in table.columns],
            "key": list(table.key),
            "reversible": is_plain and is_reversible(database, table),
            "indexes": _list_indexes(connection, table),
            "foreign_keys": _list_foreign_keys(database, connection, table),
            "triggers": _list_triggers(connection, table),
        }


def _column(column: Column, secret: list[str]) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type,
        "nullable": column.is_nullable,
        "default": column.default,
        "generated": column.is_generated,
        "secret": column.name in secret,
    }


def _list_indexes(connection: sqlite3.Connection, table: Table) -> list[dict[str, Any]]:
    parts = connection.execute(
        'SELECT l.name, l."unique", i.name '
        "FROM pragma_index_list(?, 'main') AS l, "
        "pragma_index_info(l.name, 'main') AS i ORDER BY l.name, i.seqno",
        (table.name,),
    )
    return [
        {"unique": bool(unique), "columns": [column for _, _, column in columns]}
        for (_, unique), columns in groupby(parts, key=lambda part: part[:2])
    ]


def _list_foreign_keys(
    database: Database, connection: sqlite3.Connection, table: Table
) -> list[dict[str, Any]]:
    """A table that is not shown is not named."""
    parts = connection.execute(
        'SELECT id, "table", on_delete, on_update, "from", "to" '
        "FROM pragma_foreign_key_list(?, 'main') ORDER BY id, seq",
        (table.name,),
    )
    return [
        {
            "table": parent if database.settings.shows(parent) else None,
            "on_delete": on_delete,
            "on_update": on_update,
            "columns": [part[4] for part in columns],
        }
        for (_, parent, on_delete, on_update), columns in groupby(
            parts, key=lambda part: part[:4]
        )
    ]


def _list_triggers(connection: sqlite3.Connection, table: Table) -> list[str]:
    found = connection.execute(
        "SELECT name FROM main.sqlite_schema WHERE type = 'trigger' "
        "AND tbl_name = ? COLLATE NOCASE ORDER BY name",
        (table.name,),
    )
    return [name for (name,) in found]
