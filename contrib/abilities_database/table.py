"""Table: what the schema says of one table, read anew for every call."""

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from abilities_database.cells import Cell, decode_cell, encode_cell
from abilities_database.identifiers import fold_identifier
from abilities_database.refusals import InvalidValue, UnknownColumn
from abilities_database.target import RowName

_HIDDEN: Final = 1
_REPLACE: Final = re.compile(r"\breplace\b", re.IGNORECASE)


class Column(NamedTuple):
    """One column.

    Attributes:
        name: as the schema spells it.
        type: as declared, empty for none.
        is_nullable: whether it may hold NULL, as declared.
        default: SQL of its default, None for none.
        key: its place in the primary key from 1, 0 outside it.
        is_generated: whether it is computed.
    """

    name: str
    type: str
    is_nullable: bool
    default: str | None
    key: int
    is_generated: bool


@dataclass(frozen=True, slots=True)
class Table:
    """One table or view.

    Attributes:
        name: as the schema spells it.
        kind: ``table``, ``view``, ``virtual`` or ``shadow``.
        columns: in the order of the schema, without those a virtual table hides.
        may_replace: whether its definition could let a write remove other rows.
    """

    name: str
    kind: str
    columns: tuple[Column, ...]
    may_replace: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """The columns of the primary key, in its order; empty for none."""
        parts = sorted((c.key, c.name) for c in self.columns if c.key)
        return tuple(name for _, name in parts)

    @property
    def stored(self) -> tuple[str, ...]:
        """The columns that make up the state of a row."""
        return tuple(c.name for c in self.columns if not c.is_generated)

    def name_row(self, row: Mapping[str, Any]) -> RowName:
        """Name a row of this table.

        Args:
            row: column to cell as JSON, at least those of the key.

        Returns:
            Its name; look at `RowName.is_complete`.
        """
        return RowName(self.name, tuple(decode_cell(row[name]) for name in self.key))

    def key_of(self, row: RowName) -> dict[str, Cell]:
        """Say which cells a named row must have.

        Args:
            row: a name.

        Returns:
            Column to cell; empty when the name does not fit the key.
        """
        fits = len(row.key) == len(self.key)
        return dict(zip(self.key, row.key, strict=True)) if fits else {}

    def take_cells(self, given: Mapping[str, Any]) -> dict[str, Cell]:
        """Read the cells a caller gave.

        Args:
            given: column to JSON value.

        Returns:
            The schema's spelling of each column to its cell.

        Raises:
            UnknownColumn: for a column that is not there.
            InvalidValue: for a value no cell can hold, or a column given twice.
        """
        spelled = {fold_identifier(column.name): column.name for column in self.columns}
        cells: dict[str, Cell] = {}
        for name, value in given.items():
            column = spelled.get(fold_identifier(name))
            if column is None:
                known = [column.name for column in self.columns]
                raise UnknownColumn(self.name, name, known)
            if column in cells:
                raise InvalidValue("A column is given twice.")
            cells[column] = decode_cell(value)
        return cells


def list_names(connection: sqlite3.Connection) -> list[tuple[str, str, int]]:
    """List what the schema holds.

    Args:
        connection: open, without an authorizer.

    Returns:
        Name, kind and number of columns of each, sorted by name.
    """
    return connection.execute(
        "SELECT name, type, ncol FROM pragma_table_list WHERE schema = 'main' "
        "ORDER BY name"
    ).fetchall()


def find_table(connection: sqlite3.Connection, name: str) -> Table | None:
    """Read what the schema says of a table.

    Args:
        connection: open, without an authorizer.
        name: in any case.

    Returns:
        The table, or None.
    """
    found = connection.execute(
        "SELECT name, type FROM pragma_table_list(?) WHERE schema = 'main'", (name,)
    ).fetchone()
    if found is None:
        return None
    columns = connection.execute(
        'SELECT name, type, "notnull", dflt_value, pk, hidden '
        "FROM pragma_table_xinfo(?, 'main')",
        (found[0],),
    ).fetchall()
    return Table(
        name=found[0],
        kind=found[1],
        columns=tuple(_column(each) for each in columns if each[5] != _HIDDEN),
        may_replace=bool(_REPLACE.search(_definition(connection, found[0]))),
    )


def encode_row(columns: tuple[str, ...], cells: tuple[Any, ...]) -> dict[str, Any]:
    """Write a row as the state it is recorded with.

    Args:
        columns: names.
        cells: as the connection gave them.

    Returns:
        Column to cell as JSON.
    """
    return dict(zip(columns, map(encode_cell, cells), strict=True))


def _column(found: tuple[Any, ...]) -> Column:
    name, kind, is_filled, default, key, hidden = found
    return Column(name, kind, not is_filled, default, key, is_generated=hidden > 1)


def _definition(connection: sqlite3.Connection, name: str) -> str:
    found = connection.execute(
        "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?", (name,)
    ).fetchone()
    return (found and found[0]) or ""
