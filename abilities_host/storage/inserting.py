"""Inserting: many rows in few steps of the database."""

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final

TOGETHER: Final = 16  # rows in one statement; more gain nothing


def insert_rows(
    connection: sqlite3.Connection,
    table: str,
    columns: tuple[str, ...],
    rows: Sequence[Sequence[Any]],
) -> None:
    """Insert rows.

    Each step of the database lets go of the interpreter and waits for it again, which
    takes longer than the row where others want it too.

    Args:
        connection: with a transaction open.
        table: its name.
        columns: the names of those that get values.
        rows: values in the order of the columns.

    Raises:
        sqlite3.Error: when they cannot be inserted.
    """
    whole = len(rows) - len(rows) % TOGETHER
    for first in range(0, whole, TOGETHER):
        values = tuple(chain.from_iterable(rows[first : first + TOGETHER]))
        connection.execute(_statement(table, columns, TOGETHER), values)
    left = rows[whole:]
    if left:
        values = tuple(chain.from_iterable(left))
        connection.execute(_statement(table, columns, len(left)), values)


@lru_cache(maxsize=200)
def _statement(table: str, columns: tuple[str, ...], rows: int) -> str:
    places = f"({', '.join('?' * len(columns))})"
    names, all_places = ", ".join(columns), ", ".join([places] * rows)
    return f"INSERT INTO {table} ({names}) VALUES {all_places}"  # noqa: S608 - names
