"""Tokens of a real store, with a clock that the test moves."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from abilities_host.storage.sqlite import SqliteStore, open_sqlite
from abilities_host.tokens import TokenBook, Tokens

START = 1_800_000_000_000_000
SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR


class Clock:
    """Microseconds since 1970, as a test says."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now


class World(NamedTuple):
    """One store, its tokens, and a book that looks into it."""

    store: SqliteStore
    tokens: Tokens
    book: TokenBook
    clock: Clock


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[World]:
    clock = Clock()
    async with open_sqlite(folder / "s.db") as store:
        tokens = Tokens(store, clock=clock)
        await tokens.migrate()
        yield World(store, tokens, TokenBook(tokens, store, clock=clock), clock)
