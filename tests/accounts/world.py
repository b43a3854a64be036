"""Accounts that cost little, with a clock that the test moves."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from abilities_host.accounts import Accounts, Cost
from abilities_host.storage.sqlite import open_sqlite

CHEAP = Cost(memory=8, passes=1, lanes=1)
SECRET = "four words of ana"  # noqa: S105 - known to every reader
OTHER = "four words of ben"
START = 1_800_000_000.0


class Clock:
    """Seconds since 1970, as a test says."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def opened_accounts(
    path: Path, clock: Clock, *, cost: Cost = CHEAP
) -> AsyncIterator[Accounts]:
    async with open_sqlite(path) as store:
        accounts = Accounts(store, cost=cost, clock=clock)
        await accounts.migrate()
        yield accounts
