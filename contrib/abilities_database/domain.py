"""Domain: the state of a row, so that the host can record a change and undo it."""

import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from abilities_database.cells import Row, decode_cell, is_same
from abilities_database.database import Database
from abilities_database.edits import Edit, apply_edits
from abilities_database.refusals import (
    InvalidTarget,
    SchemaChanged,
    TriggerInterferes,
)
from abilities_database.rows import find_row
from abilities_database.table import Table
from abilities_database.target import RowName, parse_target
from abilities_database.transaction import find_transaction, open_transaction
from abilities_host import MISSING, Drifted, State, run_in_thread

Wanted = tuple[str, State, State]
"""Target, what must be true now, what shall be."""


class Rows:
    """The domain of the rows of all tables that have a key.

    A state is an object, column to cell, without computed columns; or MISSING.

    Args:
        database: where they are.
    """

    name = "database"

    def __init__(self, database: Database) -> None:
        self._database: Final = database

    def canonical(self, target: str) -> str:
        """Give the one spelling of a row's name.

        Args:
            target: any spelling.

        Returns:
            ``table/key``, the table as the schema spells it, the key as JSON.

        Raises:
            InvalidTarget: a ValueError; when it cannot name a row.
        """
        return self._parse(target).spell()

    def is_secret(self, target: str) -> bool:
        """Answer whether the record must keep no more of a state than its digest.

        Args:
            target: canonical spelling.

        Returns:
            True when a column of its table holds secrets.
        """
        return self._database.holds_secrets(self._parse(target).table)

    async def capture(self, target: str) -> State:
        """Read what is there, as the running call's own transaction sees it.

        Args:
            target: canonical spelling.

        Returns:
            The state.

        Raises:
            AbilityFailed: when it cannot be read.
        """
        name = self._parse(target)
        transaction = find_transaction(self._database)
        if transaction is None:
            return await run_in_thread(lambda: self._capture(name))
        if target in transaction.states:
            return transaction.states[target]
        return await transaction.do(partial(self._read, name=name))

    async def restore(self, target: str, expected: State, state: State) -> None:
        """Put a state back if the current one is the expected one.

        Args:
            target: canonical spelling.
            expected: what must be there now.
            state: what shall be there.

        Raises:
            Drifted: when something else is there; nothing was changed.
            AbilityFailed: when it cannot be put back exactly, such as when a foreign
                key would break; nothing was changed.
        """
        await self.restore_all([(target, expected, state)])

    async def restore_all(self, changes: Sequence[Wanted]) -> None:
        """Put several states back in one transaction, or none.

        Args:
            changes: each target once, with what must be there and what shall be.

        Raises:
            Drifted: as `restore`.
            AbilityFailed: as `restore`.
        """
        async with open_transaction(self._database) as transaction:
            await transaction.do(partial(self._put_back, changes=changes))
            await transaction.commit()

    def _parse(self, target: str) -> RowName:
        name = parse_target(target)
        return name._replace(table=self._database.spell_table(name.table))

    def _capture(self, name: RowName) -> State:
        with self._database.reading() as connection:
            return self._read(connection, name)

    def _read(self, connection: sqlite3.Connection, name: RowName) -> State:
        row = find_row(connection, self._get_table(connection, name), name)
        return MISSING if row is None else row

    def _get_table(self, connection: sqlite3.Connection, name: RowName) -> Table:
        table = self._database.get_writable(connection, name.table)
        if table.name != name.table:  # first seen just now: two spellings of one row
            problem = f"the table is spelled {table.name!r}."
            raise InvalidTarget(problem)
        return table

    def _put_back(
        self, connection: sqlite3.Connection, changes: Sequence[Wanted]
    ) -> None:
        restored: list[tuple[Table, RowName, State]] = []
        edits: list[Edit] = []
        for target, expected, state in changes:
            name = self._parse(target)
            table = self._get_table(connection, name)
            current = self._read(connection, name)
            if not is_same(current, expected):
                raise Drifted(current)
            _check_state(table, name, state)
            restored.append((table, name, state))
            edits += _plan(table, name, current, state)
        apply_edits(connection, edits)
        for table, name, state in restored:
            _settle_row(connection, table, name, state)


def _check_state(table: Table, name: RowName, state: State) -> None:
    if state is MISSING:
        return
    if not isinstance(state, Mapping):
        msg = "that is not a state of the domain 'database'"
        raise TypeError(msg)
    if set(state) != set(table.stored):
        raise SchemaChanged(table.name)
    if table.name_row(state) != name:
        msg = "that is the state of another row"
        raise ValueError(msg)


def _plan(table: Table, name: RowName, current: State, state: State) -> list[Edit]:
    key = table.key_of(name)
    if is_same(current, state):
        return []
    if state is MISSING:
        return [Edit(table, key, None)]
    before: Row = {} if current is MISSING else current
    cells = {
        column: decode_cell(cell)
        for column, cell in state.items()
        if column not in before or not is_same(cell, before[column])
    }
    return [Edit(table, None if current is MISSING else key, cells)]


def _settle_row(
    connection: sqlite3.Connection, table: Table, name: RowName, state: State
) -> None:
    """See that the row is as it was, or put once more what a trigger changed."""
    for is_last in (False, True):
        row = find_row(connection, table, name)
        current = MISSING if row is None else row
        if is_same(current, state):
            return
        if is_last or current is MISSING or state is MISSING:
            break
        apply_edits(connection, _plan(table, name, current, state))
    raise TriggerInterferes(table.name)


def is_reversible(database: Database, table: Table) -> bool:
    """Answer whether the host can put rows of a table back.

    Args:
        database: where it is.
        table: the table.

    Returns:
        False without a key, and where the record must not keep a state.
    """
    return bool(table.key) and not database.secret_columns(table)


def describe_state(row: Row | None) -> Any:
    """Give a row as a state.

    Args:
        row: the row, None when there is none.

    Returns:
        The row, or MISSING.
    """
    return MISSING if row is None else row
