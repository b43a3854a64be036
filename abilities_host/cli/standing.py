"""Standing: how far a store or a copy has come, and whose accounts are in it."""

import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

from abilities_host.accounts import Account
from abilities_host.accounts import tables as account_tables
from abilities_host.accounts.account import account_of
from abilities_host.threads import run_in_thread

Rows = list[tuple[Any, ...]]
Read = Callable[[str], Awaitable[Rows]]

LEDGER: Final = "ledger"
_START: Final = datetime(1970, 1, 1, tzinfo=UTC)
_APPLIED: Final = "SELECT owner, name FROM migration"
_HEAD: Final = """
    SELECT (SELECT id FROM ledger_total), seq, at, hash FROM ledger_entry
    ORDER BY seq DESC LIMIT 1
"""


class Head(NamedTuple):
    """The newest entry of a record.

    Attributes:
        record: id of the record.
        seq: number of the entry.
        at: microseconds since 1970, UTC.
        hash: of the entry, and so of all before it.
    """

    record: str
    seq: int
    at: int
    hash: bytes

    def __str__(self) -> str:
        moment = _START + timedelta(microseconds=self.at)
        return f"entry {self.seq}, of {moment:%Y-%m-%d %H:%M:%S} UTC"

    def as_json(self) -> dict[str, Any]:
        """Give it as JSON values, as the record itself keeps it."""
        return {**self._asdict(), "hash": self.hash.hex()}


class Standing(NamedTuple):
    """How far a store has come.

    Attributes:
        head: the newest entry of its record, None without one.
        accounts: all of them by name.
        problem: why nothing is known, empty when it could be read.
    """

    head: Head | None = None
    accounts: tuple[Account, ...] = ()
    problem: str = ""

    @property
    def has_accounts(self) -> bool:
        """Whether somebody can be asked for a secret."""
        return any(account.is_active for account in self.accounts)


async def read_standing(read: Read) -> Standing:
    """Find out how far a store has come.

    Args:
        read: gives the rows of one SELECT.

    Returns:
        What it says of itself.
    """
    applied = set(await read(_APPLIED))
    owners = {owner for owner, _ in applied}
    heads = await read(_HEAD) if LEDGER in owners else []
    accounts: Rows = []
    if account_tables.OWNER in owners:
        has_roles = (account_tables.OWNER, account_tables.ROLES) in applied
        every = account_tables.LIST if has_roles else account_tables.LIST_WITHOUT_ROLES
        accounts = await read(every)
    return Standing(
        Head(*heads[0]) if heads else None, tuple(map(account_of, accounts))
    )


async def read_standing_of_copy(copy: Path) -> Standing:
    """Find out how far a copy has come.

    Args:
        copy: one that was checked.

    Returns:
        What it says of itself.
    """
    return await read_standing(
        lambda sql: run_in_thread(lambda: _ask_copy(copy, sql, {}))
    )


def read_secret_hash(copy: Path, name: str) -> str | None:
    """Give what a copy keeps of an account's secret; blocks.

    Args:
        copy: one that was checked and has accounts.
        name: of the account, as it is kept.

    Returns:
        The hash, None when there is no such account or it is switched off.
    """
    rows = _ask_copy(copy, account_tables.FIND_HASH, {"name": name})
    return rows[0][0] if rows else None


def _ask_copy(copy: Path, sql: str, parameters: Mapping[str, Any]) -> Rows:
    """Read a copy where it lies, without making anything beside it."""
    from abilities_host.storage.connection import uri  # noqa: PLC0415 - a slow import

    with closing(
        sqlite3.connect(uri(copy.resolve(), "immutable"), uri=True)
    ) as connection:
        return connection.execute(sql, parameters).fetchall()
