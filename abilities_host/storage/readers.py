"""Readers: a few connections, so that a long read does not stop the others."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final, TypeVar

import aiosqlite
import anyio

from abilities_host.errors import StoreBusy, StoreError
from abilities_host.storage.connection import Mode, connected, hop
from abilities_host.storage.faults import CLOSED, store_faults

T = TypeVar("T")

READERS: Final = 2
READS_WAITING: Final = 1024
_INTERRUPT_SECONDS: Final = 0.05


class Readers:
    """The connections that read, made by `opened_readers`.

    Args:
        path: the store, for the errors.
        connections: each used by nobody else.
    """

    def __init__(self, path: Path, connections: list[aiosqlite.Connection]) -> None:
        self._path = path
        self._idle = deque(connections)
        self._busy: set[aiosqlite.Connection] = set()
        self._free = asyncio.Semaphore(len(connections))
        self._waiting = 0
        self._is_closed = False
        self._stopping: set[asyncio.Task[None]] = set()

    async def read(self, function: Callable[[sqlite3.Connection], T]) -> T:
        """Run a function on a connection that nobody else uses meanwhile.

        Args:
            function: reads all it wants and leaves no cursor open; if the caller is
                cancelled its statement is stopped.

        Returns:
            What it returned.

        Raises:
            StoreBusy: when 1,024 reads wait already.
            StoreError: when the store cannot be read, or is closed.
        """
        self._check_open()
        if self._waiting >= READS_WAITING:
            raise StoreBusy(self._path, f"{READS_WAITING} reads wait already.")
        self._waiting += 1
        try:
            await self._free.acquire()
            connection = self._idle.pop()
            self._busy.add(connection)
            return await self._read(connection, function)
        finally:
            self._waiting -= 1

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError(self._path, CLOSED)

    async def _read(
        self,
        connection: aiosqlite.Connection,
        function: Callable[[sqlite3.Connection], T],
    ) -> T:
        try:
            self._check_open()  # it may have been closed meanwhile
            with store_faults(self._path):
                answer = await hop(connection, function)
        except asyncio.CancelledError:
            self._stop(connection)
            raise
        except BaseException:
            self._release(connection)
            raise
        self._release(connection)
        return answer

    def _release(self, connection: aiosqlite.Connection) -> None:
        self._busy.discard(connection)
        self._idle.append(connection)
        self._free.release()

    def _stop(self, connection: aiosqlite.Connection) -> None:
        """Interrupt what its thread still does; it is free once that has ended."""
        task = asyncio.create_task(_stopped(connection))
        self._stopping.add(task)
        task.add_done_callback(self._stopping.discard)
        task.add_done_callback(lambda _: self._release(connection))

    async def close(self) -> None:
        """Refuse everything from now on, and stop what still runs."""
        self._is_closed = True
        with anyio.CancelScope(shield=True):
            await asyncio.gather(*(_stopped(each) for each in self._busy))
            if self._stopping:
                await asyncio.wait(self._stopping)


async def _stopped(connection: aiosqlite.Connection) -> None:
    ended = asyncio.ensure_future(hop(connection, lambda _: None))
    while not ended.done():
        # Said again: it is not heard between two statements.
        await connection.interrupt()
        await asyncio.wait([ended], timeout=_INTERRUPT_SECONDS)


@asynccontextmanager
async def opened_readers(
    path: Path, mode: Mode, *, seconds: float, count: int = READERS
) -> AsyncIterator[Readers]:
    """Open the connections that read, for as long as the context lasts.

    Args:
        path: the store, resolved.
        mode: ``ro``, or ``immutable`` for a file that nobody changes.
        seconds: how long they wait for SQLite's own locks.
        count: how many.

    Yields:
        The readers.

    Raises:
        StoreError: when it is no store of this host, or cannot be read.
    """
    async with AsyncExitStack() as stack:
        connections = [
            await stack.enter_async_context(connected(path, mode, seconds=seconds))
            for _ in range(count)
        ]
        readers = Readers(path, connections)
        stack.push_async_callback(readers.close)
        yield readers
