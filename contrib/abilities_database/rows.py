"""Rows: the SQL that reads rows of one table."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from abilities_database.cells import Cell, Row, encode_cell, is_same, placeholder
from abilities_database.identifiers import quote_identifier
from abilities_database.refusals import LongKey, NoKey, TooManyRows
from abilities_database.table import Table, encode_row
from abilities_database.target import NAME_CHARACTERS, RowName


def match_cells(cells: Mapping[str, Cell], alias: str = "") -> str:
    """Say in SQL that a row has these cells; NULL is one of them.

    Args:
        cells: column to cell, at least one.
        alias: of the table.

    Returns:
        A condition, with a parameter for each cell in their order.
    """
    prefix = f"{alias}." if alias else ""
    return " AND ".join(
        f"{prefix}{quote_identifier(column)} IS {placeholder(cell)}"
        for column, cell in cells.items()
    )


def join_names(columns: Iterable[str]) -> str:
    """Write names for SQL.

    Args:
        columns: of one table.

    Returns:
        The names, quoted, with commas.
    """
    return ", ".join(map(quote_identifier, columns))


def source_of(table: Table) -> str:
    """Write a table's name so that it means the one in the database itself."""
    return f"main.{quote_identifier(table.name)}"


def find_row(connection: sqlite3.Connection, table: Table, name: RowName) -> Row | None:
    """Read the one row of a name.

    Args:
        connection: open.
        table: its table.
        name: exactly as it would be spelled for that row; a key that only compares
            equal, such as one in other capital letters, names no row.

    Returns:
        The row, or None.
    """
    key = table.key_of(name)
    if not key:
        return None
    wanted = {column: encode_cell(cell) for column, cell in key.items()}
    return next(
        (
            row
            for row in _select(connection, table, key)
            if is_same({column: row[column] for column in table.key}, wanted)
        ),
        None,
    )


def find_rows(
    connection: sqlite3.Connection, table: Table, where: Mapping[str, Cell], limit: int
) -> list[Row]:
    """Read the rows that have these cells.

    Args:
        connection: open.
        table: their table.
        where: column to cell, at least one.
        limit: how many they may be.

    Returns:
        The rows.

    Raises:
        TooManyRows: when more match.
    """
    rows = _select(connection, table, where, limit + 1)
    if len(rows) > limit:
        raise TooManyRows(table.name, limit)
    return rows


def spell_row(table: Table, row: Mapping[str, Any]) -> str:
    """Spell the target that a row is.

    Args:
        table: its table.
        row: column to cell as JSON.

    Returns:
        The target.

    Raises:
        NoKey: when its key holds NULL.
        LongKey: when it would be too long.
    """
    name = table.name_row(row)
    if not name.is_complete:
        raise NoKey(table.name)
    target = name.spell()
    if len(target) > NAME_CHARACTERS:
        raise LongKey(table.name)
    return target


def _select(
    connection: sqlite3.Connection,
    table: Table,
    cells: Mapping[str, Cell],
    limit: int = -1,
) -> list[Row]:
    found = connection.execute(
        f"SELECT {join_names(table.stored)} FROM {source_of(table)} "  # noqa: S608 - names from the schema, quoted
        f"WHERE {match_cells(cells)} LIMIT {limit}",
        tuple(cells.values()),
    ).fetchall()
    return [encode_row(table.stored, row) for row in found]
