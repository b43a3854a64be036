"""Changing: rows inserted, updated and deleted, each one recorded before it changes."""

import sqlite3
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from abilities_database.cells import Cell
from abilities_database.database import Database
from abilities_database.domain import describe_state, is_reversible
from abilities_database.edits import Edit, apply_edits
from abilities_database.refusals import NoData, NoKey, ReadOnlyColumn, WhereRequired
from abilities_database.rows import find_row, find_rows, spell_row
from abilities_database.table import Table
from abilities_database.target import parse_target
from abilities_database.transaction import Transaction, open_transaction
from abilities_host import Call, State

DOMAIN: Final = "database"
Values = Mapping[str, Cell]


class _Plan(NamedTuple):
    """What a call will do.

    Attributes:
        table: the table.
        states: target to state of every row that will change.
        edits: what to do; without a key one edit is for all rows.
        matched: how many rows that is.
    """

    table: Table
    states: dict[str, State]
    edits: list[Edit]
    matched: int


class _Done(NamedTuple):
    """What a call has done, before it is durable.

    Attributes:
        keys: the key of every row as it was left; without a key an empty object each.
        made: names of rows that were not there before.
        other_changes: rows that triggers changed besides.
    """

    keys: list[dict[str, Any]]
    made: list[str]
    other_changes: int


async def insert_row(
    database: Database, arguments: Mapping[str, Any], call: Call
) -> Any:
    """Insert one row.

    Args:
        database: where to.
        arguments: table and values.
        call: the running call.

    Returns:
        Table, key of the new row, and what else changed.

    Raises:
        AbilityFailed: when it was not inserted; nothing was changed.
    """
    async with open_transaction(database) as transaction:
        plan = await transaction.do(partial(_plan_insert, database, arguments))
        done = await _change(transaction, plan, call)
    key = done.keys[0] if done.keys and plan.table.key else None
    return {
        "table": plan.table.name,
        "inserted": len(done.keys),
        "key": key,
        **_facts(database, plan, done),
    }


async def update_rows(
    database: Database, arguments: Mapping[str, Any], call: Call
) -> Any:
    """Give new values to all rows that match.

    Args:
        database: where.
        arguments: table, where and values.
        call: the running call.

    Returns:
        Table, how many rows matched and how many were written.

    Raises:
        AbilityFailed: when they were not updated; nothing was changed.
    """
    return await _change_matching(database, arguments, call, "updated")


async def delete_rows(
    database: Database, arguments: Mapping[str, Any], call: Call
) -> Any:
    """Delete all rows that match.

    Args:
        database: where.
        arguments: table and where.
        call: the running call.

    Returns:
        Table, how many rows matched and how many were deleted.

    Raises:
        AbilityFailed: when they were not deleted; nothing was changed.
    """
    return await _change_matching(database, arguments, call, "deleted")


async def _change_matching(
    database: Database, arguments: Mapping[str, Any], call: Call, word: str
) -> Any:
    async with open_transaction(database) as transaction:
        plan = await transaction.do(partial(_plan_matching, database, arguments, word))
        done = await _change(transaction, plan, call)
    return {
        "table": plan.table.name,
        "matched": plan.matched,
        word: len(done.keys),
        **_facts(database, plan, done),
    }


async def _change(transaction: Transaction, plan: _Plan, call: Call) -> _Done:
    """Record, change, read back, commit; in this order."""
    transaction.states.update(plan.states)
    for target in sorted(plan.states):
        await call.touch(DOMAIN, target)
    done = await transaction.do(partial(_apply, plan))
    for target in done.made:
        await call.created(DOMAIN, target)
    targets = [*plan.states, *done.made]
    after = await transaction.do(partial(_read_back, plan.table, targets))
    try:
        await transaction.commit()
    finally:
        if transaction.is_committed:
            for target, state in after.items():
                call.made(DOMAIN, target, state)
    return done


# --- in a thread ----------------------------------------------------------------


def _plan_insert(
    database: Database, arguments: Mapping[str, Any], connection: sqlite3.Connection
) -> _Plan:
    table = _get_table(database, connection, arguments["table"])
    values = _take_values(table, arguments)
    return _Plan(table, {}, [Edit(table, None, values)], 1)


def _plan_matching(
    database: Database,
    arguments: Mapping[str, Any],
    word: str,
    connection: sqlite3.Connection,
) -> _Plan:
    table = _get_table(database, connection, arguments["table"])
    where = table.take_cells(arguments["where"])
    if not where:
        raise WhereRequired(table.name)
    values = _take_values(table, arguments) if word == "updated" else None
    rows = find_rows(connection, table, where, database.settings.max_rows)
    if not table.key:
        return _Plan(table, {}, [Edit(table, where, values)], len(rows))
    states = {spell_row(table, row): row for row in rows}
    edits = [Edit(table, table.key_of(table.name_row(row)), values) for row in rows]
    return _Plan(table, states, edits, len(rows))


def _get_table(database: Database, connection: sqlite3.Connection, name: str) -> Table:
    table = database.get_writable(connection, name)
    if not table.key and not database.settings.allow_irreversible:
        raise NoKey(table.name)
    return table


def _take_values(table: Table, arguments: Mapping[str, Any]) -> Values:
    values = table.take_cells(arguments["values"])
    if not values:
        raise NoData(table.name)
    if not values.keys() <= set(table.stored):
        raise ReadOnlyColumn(table.name)
    return values


def _apply(plan: _Plan, connection: sqlite3.Connection) -> _Done:
    before = connection.total_changes
    keys = apply_edits(connection, plan.edits)
    others = connection.total_changes - before - len(keys)
    table = plan.table
    named = [spell_row(table, key) for key in keys] if table.key else []
    made = [target for target in named if target not in plan.states]
    return _Done(keys, made, others)


def _read_back(
    table: Table, targets: Iterable[str], connection: sqlite3.Connection
) -> dict[str, State]:
    return {
        target: describe_state(find_row(connection, table, parse_target(target)))
        for target in targets
    }


def _facts(database: Database, plan: _Plan, done: _Done) -> dict[str, Any]:
    return {
        "other_changes": done.other_changes,
        "reversible": is_reversible(database, plan.table),
    }
