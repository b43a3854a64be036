"""Hosts that keep a record, and people who answer as a test says."""

import asyncio
from pathlib import Path

from cli.world import make_demo

from abilities_host.accounts import Accounts, Cost, Role
from abilities_host.cli.running import load
from abilities_host.config import LoadedConfig
from abilities_host.storage.base import Statement
from abilities_host.storage.sqlite import open_sqlite
from abilities_ledger.book import Book
from abilities_ledger.draft import Draft
from abilities_ledger.tables import MIGRATIONS, OWNER

ANA = "four words of ana"
BEN = "four words of ben"
NEW = "four other words"
WARNING = (
    "Type a secret only into a terminal that you opened yourself: a program that\n"
    "started this one could read it.\n"
)

# The pack of the record, whether it is installed or not.
RECORD = """
from abilities_host import hookimpl
from abilities_ledger.opening import open_ledger

@hookimpl
def open_pack(site):
    return open_ledger(site)
"""
SILENT = "from abilities_host import hookimpl\n"
FAILING = """
from contextlib import asynccontextmanager
from abilities_host import hookimpl
from abilities_host.errors import StoreError
from abilities_host.ledger import Ledger

class Full:
    async def note(self, kind, **more):
        raise StoreError("s.db", "the disk is full.")

@hookimpl
@asynccontextmanager
async def open_pack(site):
    site.offer(Ledger, Full())
    yield
"""


class Scripted:
    """A person who answers as a test says, and remembers the questions."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def ask(self, prompt: str) -> str:
        return self.ask_secret(prompt)

    def ask_secret(self, prompt: str) -> str:
        self.asked.append(prompt)
        return self.answers.pop(0)


def make_host(folder: Path, pack: str = RECORD) -> LoadedConfig:
    """Make a host with one pack, which keeps the record."""
    others = '["core", "dispatcher", "files", "ledger"]'
    return load(make_demo(folder, pack=pack, blocked=others))


def make_accounts(
    loaded: LoadedConfig, role: Role = Role.OPERATOR, **secrets: str
) -> None:
    """Make accounts that cost little, the first by nobody, the others by it.

    Args:
        loaded: the configuration.
        role: of all but the first.
        **secrets: of each name.
    """

    async def make() -> None:
        async with open_sqlite(loaded.store_path) as store:
            accounts = Accounts(store, cost=Cost(memory=8, passes=1, lanes=1))
            await accounts.migrate()
            (first, secret), *others = secrets.items()
            await accounts.add(first, secret, by=None)
            by = await accounts.verify(first, secret)
            for name, other in others:
                await accounts.add(name, other, by=by, role=role)

    asyncio.run(make())


def let_time_pass(loaded: LoadedConfig) -> None:
    """Let every wait be over, as if the clock had gone on."""
    change_store(loaded, "UPDATE account_try SET until = 0")


def change_store(loaded: LoadedConfig, sql: str) -> None:
    """Do what somebody does who can write to the store, and has no secret."""

    async def change() -> None:
        async with open_sqlite(loaded.store_path) as store:
            await store.write([Statement(sql)])

    asyncio.run(change())


def note(loaded: LoadedConfig, times: int = 1) -> None:
    """Have something recorded."""
    drafts = [Draft(kind="setting", action="tried") for _ in range(times)]

    async def record() -> None:
        async with open_sqlite(loaded.store_path) as store:
            await store.migrate(OWNER, MIGRATIONS)
            await Book(store).append(drafts)

    asyncio.run(record())
