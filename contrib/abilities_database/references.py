"""References: the rows of other tables that a change would take along."""

import sqlite3
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from abilities_database.cells import Cell
from abilities_database.identifiers import fold_identifier, quote_identifier
from abilities_database.refusals import Referred
from abilities_database.rows import match_cells, source_of
from abilities_database.table import Table

_HARMLESS: Final = frozenset({"NO ACTION", "RESTRICT"})
"""What SQLite does by refusing; every other action changes the referring rows."""


class Reference(NamedTuple):
    """One foreign key that refers to a table.

    Attributes:
        child: the table whose rows refer.
        columns: column of the child to column of the parent.
        on_delete: what happens to the child when the parent goes.
        on_update: what happens to it when the parent's columns change.
    """

    child: str
    columns: Mapping[str, str]
    on_delete: str
    on_update: str


class References:
    """Finds the rows that a foreign key would change along with another.

    Those changes would happen inside SQLite, without permission, record or undo.

    Args:
        connection: with the open transaction.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection: Final = connection
        self._found: Final[dict[str, list[Reference]]] = {}

    def check_deletion(self, table: Table, match: Mapping[str, Cell]) -> None:
        """Check that no other row goes or changes when these go.

        Args:
            table: of the rows that would go.
            match: the cells that say which.

        Raises:
            Referred: when one would.
        """
        for reference in self._list(table):
            if reference.on_delete not in _HARMLESS:
                self._check(table, match, reference, {})

    def check_update(
        self, table: Table, match: Mapping[str, Cell], values: Mapping[str, Cell]
    ) -> None:
        """Check that no other row changes when these do.

        Args:
            table: of the rows that would change.
            match: the cells that say which.
            values: the cells they would get.

        Raises:
            Referred: when one would.
        """
        for reference in self._list(table):
            changed = _only(values, reference.columns.values())
            if changed and reference.on_update not in _HARMLESS:
                self._check(table, match, reference, changed)

    def _check(
        self,
        table: Table,
        match: Mapping[str, Cell],
        reference: Reference,
        changed: Mapping[str, Cell],
    ) -> None:
        joined = " AND ".join(
            f"p.{quote_identifier(theirs)} = c.{quote_identifier(own)}"
            for own, theirs in reference.columns.items()
        )
        is_new = f" AND NOT ({match_cells(changed, 'p')})" if changed else ""
        others, own_cells = "", dict[str, Cell]()
        if reference.child == table.name and set(match) == set(table.key):
            others, own_cells = f" AND NOT ({match_cells(match, 'c')})", dict(match)
        found = self._connection.execute(
            f"SELECT 1 FROM {source_of(table)} AS p "  # noqa: S608 - names from the schema, quoted
            f"JOIN main.{quote_identifier(reference.child)} AS c ON {joined} "
            f"WHERE {match_cells(match, 'p')}{is_new}{others} LIMIT 1",
            (*match.values(), *changed.values(), *own_cells.values()),
        ).fetchone()
        if found is not None:
            raise Referred(table.name)

    def _list(self, table: Table) -> list[Reference]:
        if table.name not in self._found:
            self._found[table.name] = _read_references(self._connection, table)
        return self._found[table.name]


def _only(cells: Mapping[str, Cell], names: Collection[str]) -> dict[str, Cell]:
    folded = set(map(fold_identifier, names))
    return {
        name: cell for name, cell in cells.items() if fold_identifier(name) in folded
    }


def _read_references(connection: sqlite3.Connection, table: Table) -> list[Reference]:
    parts = connection.execute(
        'SELECT m.name, f.id, f."from", f."to", f.on_delete, f.on_update, f.seq '
        "FROM main.sqlite_schema AS m, pragma_foreign_key_list(m.name, 'main') AS f "
        "WHERE m.type = 'table' AND f.\"table\" = ? COLLATE NOCASE "
        "ORDER BY m.name, f.id, f.seq",
        (table.name,),
    )
    found: dict[tuple[str, int], Reference] = {}
    for child, number, own, theirs, on_delete, on_update, place in parts:
        new = Reference(child, {}, on_delete, on_update)
        columns = found.setdefault((child, number), new).columns
        # Without a column named, a foreign key means the primary key.
        parent = theirs or (table.key[place] if place < len(table.key) else own)
        columns[own] = parent  # type: ignore[index]  # it is the dict made above
    return list(found.values())
