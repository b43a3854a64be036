"""Writer: one task that commits everything that waits as one transaction."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import compress
from pathlib import Path
from typing import Any, Final, NamedTuple

import aiosqlite
import anyio

from abilities_host.errors import StoreBusy, StoreError
from abilities_host.storage.connection import hop
from abilities_host.storage.faults import CLOSED
from abilities_host.storage.group import Ending, Work, refuse

Commit = Callable[[Sequence[Work], sqlite3.Connection], list[Ending]]

WAITING: Final = 1024
GROUP: Final = 256  # works in one transaction
TURNS: Final = 4  # of the loop, at most, that more works are waited for
ENOUGH: Final = 8  # works, for which nobody is waited for
# A future refuses the first, and none of the others may reach the loop as its own.
_SIGNALS: Final = (
    StopIteration,
    KeyboardInterrupt,
    SystemExit,
    GeneratorExit,
    asyncio.CancelledError,
)


class _Entry(NamedTuple):
    """A work, and the future of the caller who waits for it."""

    work: Work
    future: "asyncio.Future[Any]"


class Writer:
    """The one who commits for a process, made by `opened_writer`.

    Args:
        path: the store, for the errors.
        connection: used by nobody else for writing.
        commit: commits works in the connection's thread, and raises nothing.
    """

    def __init__(
        self, path: Path, connection: aiosqlite.Connection, commit: Commit
    ) -> None:
        self._path = path
        self._connection = connection
        self._commit_works = commit
        self._queue: deque[_Entry] = deque()
        self._under_way = 0
        self._wake = asyncio.Event()
        self._is_closed = False

    async def submit(self, work: Work) -> Any:
        """Have a work done; see `Store.transact`.

        Args:
            work: what to do.

        Returns:
            What it returned, once that is durable.

        Raises:
            StoreBusy: when 1,024 works wait already.
            StoreError: when nothing is stored.
        """
        if self._is_closed:
            raise StoreError(self._path, CLOSED)
        if len(self._queue) + self._under_way >= WAITING:
            raise StoreBusy(self._path, f"{WAITING} writes wait already.")
        future = asyncio.get_running_loop().create_future()
        self._queue.append(_Entry(work, future))
        # It takes them a turn of the loop later, together with all that come in this.
        self._wake.set()
        return await future

    async def serve(self) -> None:
        """Commit until the writer is closed and nothing waits any more."""
        try:
            while True:
                if self._queue:
                    await self._gather()
                    await self._commit(self._take())
                elif self._is_closed:
                    return
                else:
                    self._wake.clear()
                    await self._wake.wait()
        finally:
            # Whatever ended this task: nobody is left waiting.
            self._is_closed = True
            self._fail(self._queue, CLOSED)

    async def _gather(self) -> None:
        """Wait while each turn of the loop brings more: a sync is dearer than that."""
        for _ in range(TURNS):
            waiting = len(self._queue)
            await asyncio.sleep(0)
            if not waiting < len(self._queue) < ENOUGH:
                return

    def close(self) -> None:
        """Refuse new works; those that wait are still done."""
        self._is_closed = True
        self._wake.set()

    def _take(self) -> list[_Entry]:
        return [self._queue.popleft() for _ in range(min(GROUP, len(self._queue)))]

    async def _commit(self, batch: Sequence[_Entry]) -> None:
        loop = asyncio.get_running_loop()

        def run(connection: sqlite3.Connection) -> None:
            endings = self._run(batch, connection)
            # Told from here, so that they hear of it also if this task is cancelled.
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(_settle, batch, endings)

        self._under_way += len(batch)
        try:
            await hop(self._connection, run)
        except ValueError as error:  # the connection was closed beneath
            self._fail(batch, f"it cannot be written: {error}.")
        finally:
            self._under_way -= len(batch)

    def _run(
        self, batch: Sequence[_Entry], connection: sqlite3.Connection
    ) -> list[Ending]:
        """Commit those whose callers still wait; in the connection's thread."""
        waiting = [not entry.future.done() for entry in batch]
        works = [entry.work for entry in compress(batch, waiting)]
        endings = iter(self._commit_works(works, connection) if works else ())
        return [next(endings) if each else Ending() for each in waiting]

    def _fail(self, entries: Collection[_Entry], problem: str) -> None:
        error = StoreError(self._path, problem)
        _settle(entries, refuse(error, self._path, len(entries)))


def _settle(entries: Iterable[_Entry], endings: Iterable[Ending]) -> None:
    for (_, future), (value, error) in zip(entries, endings, strict=True):
        if future.done():  # its caller has gone
            continue
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(_harmless(error))


def _harmless(error: BaseException) -> BaseException:
    if isinstance(error, _SIGNALS):
        return RuntimeError(f"a work raised {type(error).__name__}")
    return error


@asynccontextmanager
async def opened_writer(
    path: Path, connection: aiosqlite.Connection, commit: Commit
) -> AsyncIterator[Writer]:
    """Run a writer for as long as the context lasts; at the end nothing waits.

    Args:
        path: the store, for the errors.
        connection: used by nobody else for writing.
        commit: commits works in the connection's thread, and raises nothing.

    Yields:
        The writer.
    """
    writer = Writer(path, connection, commit)
    task = asyncio.create_task(writer.serve(), name="store-writer")
    try:
        yield writer
    finally:
        writer.close()
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])
