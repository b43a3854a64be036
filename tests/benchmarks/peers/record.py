"""Record: rows of writes, inserted and committed as one would write it first."""

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Self

import aiosqlite

SETUP: Final = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    """
    CREATE TABLE IF NOT EXISTS entry (
        sequence INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        call TEXT NOT NULL,
        body BLOB NOT NULL,
        hash BLOB NOT NULL
    )
    """,
    "CREATE INDEX IF NOT EXISTS entry_call ON entry (call)",
)
HEAD: Final = "SELECT hash FROM entry ORDER BY sequence DESC LIMIT 1"
INSERT: Final = "INSERT INTO entry (kind, call, body, hash) VALUES (?, ?, ?, ?)"


class Record:
    """Rows that are durable when `append` returns, each hashed with the one before.

    Everyone inserts and commits over one connection. What is inserted meanwhile by
    others is committed too, which is fast; but where a commit fails, others are told
    that their rows are durable, and they are not.

    Args:
        path: the database; made when it does not exist.
        is_apart: keep commits apart, so that each is of one row.
    """

    def __init__(self, path: Path, *, is_apart: bool = False) -> None:
        self._path: Final = path
        self._turn: Final = asyncio.Lock() if is_apart else nullcontext()
        self._head = b""
        self._database: aiosqlite.Connection

    async def __aenter__(self) -> Self:
        self._database = await aiosqlite.connect(self._path)
        for statement in SETUP:
            await self._database.execute(statement)
        await self._database.commit()
        async with self._database.execute(HEAD) as cursor:
            self._head = (await cursor.fetchone() or (b"",))[0]
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._database.close()

    async def append(self, kind: str, call: str, facts: Mapping[str, Any]) -> None:
        """Add a row.

        Args:
            kind: such as ``intent``.
            call: which call it is of.
            facts: what JSON can hold.
        """
        body = json.dumps({**facts, "at": time.time()}, sort_keys=True).encode()
        async with self._turn:
            self._head = sha256(self._head + body).digest()
            await self._database.execute(INSERT, (kind, call, body, self._head))
            await self._database.commit()
