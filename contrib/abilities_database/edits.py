"""Edits: rows inserted, updated and deleted inside one transaction."""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from abilities_database.cells import Cell, placeholder
from abilities_database.identifiers import quote_identifier
from abilities_database.references import References
from abilities_database.refusals import Referred
from abilities_database.rows import join_names, match_cells, source_of
from abilities_database.table import Table, encode_row


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of rows.

    Attributes:
        table: their table.
        match: the cells that say which rows; None for a new one.
        values: the cells they get; None to delete them.
    """

    table: Table
    match: Mapping[str, Cell] | None
    values: Mapping[str, Cell] | None


def apply_edits(
    connection: sqlite3.Connection, edits: Iterable[Edit]
) -> list[dict[str, Any]]:
    """Do edits in an order that the schema allows; all of them, or the caller undoes.

    Rows refer to one another and share unique values, so one edit may have to wait for
    another.

    Args:
        connection: with an open transaction.
        edits: what to do.

    Returns:
        The key of every row that was changed, as it was left.

    Raises:
        sqlite3.IntegrityError: when no order is allowed.
        Referred: when a foreign key would change other rows too.
    """
    references = References(connection)
    keys: list[dict[str, Any]] = []
    waiting = list(edits)
    while waiting:
        blocked: list[Edit] = []
        for edit in waiting:
            try:
                keys += _apply(connection, edit, references)
            except (sqlite3.IntegrityError, Referred) as error:
                blocked.append(edit)
                reason = error
                if not connection.in_transaction:  # the schema rolled it back
                    raise
        if len(blocked) == len(waiting):
            raise reason
        waiting = blocked
    return keys


def _apply(
    connection: sqlite3.Connection, edit: Edit, references: References
) -> list[dict[str, Any]]:
    if edit.match is None:
        return _run(connection, edit.table, *_insert(edit.table, edit.values or {}))
    if edit.values is None:
        references.check_deletion(edit.table, edit.match)
        sql = f"DELETE FROM {source_of(edit.table)} WHERE {match_cells(edit.match)}"  # noqa: S608 - names from the schema, quoted
        return _run(connection, edit.table, sql, edit.match.values())
    references.check_update(edit.table, edit.match, edit.values)
    return _run(connection, edit.table, *_update(edit.table, edit.match, edit.values))


def _insert(table: Table, values: Mapping[str, Cell]) -> tuple[str, Iterable[Cell]]:
    marks = ", ".join(map(placeholder, values.values()))
    names = join_names(values)
    sql = f"INSERT {_manner(table)}INTO {source_of(table)} ({names}) VALUES ({marks})"  # noqa: S608 - names from the schema, quoted
    return sql, values.values()


def _update(
    table: Table, match: Mapping[str, Cell], values: Mapping[str, Cell]
) -> tuple[str, Iterable[Cell]]:
    cells = ", ".join(
        f"{quote_identifier(column)} = {placeholder(cell)}"
        for column, cell in values.items()
    )
    where = match_cells(match)
    sql = f"UPDATE {_manner(table)}{source_of(table)} SET {cells} WHERE {where}"  # noqa: S608 - names from the schema, quoted
    return sql, (*values.values(), *match.values())


def _run(
    connection: sqlite3.Connection, table: Table, sql: str, cells: Iterable[Cell]
) -> list[dict[str, Any]]:
    returned = join_names(table.key) or "1"
    rows = connection.execute(f"{sql} RETURNING {returned}", tuple(cells)).fetchall()
    return [encode_row(table.key, row) if table.key else {} for row in rows]


def _manner(table: Table) -> str:
    """A table may say ON CONFLICT REPLACE, which removes other rows in silence.

    Said only where it could: it also rules the statements of triggers.
    """
    return "OR ABORT " if table.may_replace else ""
