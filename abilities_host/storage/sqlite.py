"""SqliteStore: the store of several processes on one machine."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    closing,
)
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final, Literal, Protocol, TypeVar, cast, overload

import aiosqlite
import anyio

from abilities_host.errors import StoreError
from abilities_host.storage.base import NO_PARAMETERS, Statement, Store, Transaction
from abilities_host.storage.commits import Commits
from abilities_host.storage.connection import (
    connected,
    hop,
    prepare_connection,
    uri,
)
from abilities_host.storage.create import ensure_store
from abilities_host.storage.facts import BackupFacts
from abilities_host.storage.faults import CLOSED, store_faults
from abilities_host.storage.frozen import open_frozen
from abilities_host.storage.group import Work
from abilities_host.storage.identity import Identity
from abilities_host.storage.mark import Mark
from abilities_host.storage.migrations import Migration
from abilities_host.storage.migrator import Migrator
from abilities_host.storage.online import copy_online
from abilities_host.storage.place import beside, check_writable
from abilities_host.storage.readers import Readers, opened_readers
from abilities_host.storage.usage import take_shared
from abilities_host.storage.writer import Writer, opened_writer
from abilities_host.threads import run_in_thread

T = TypeVar("T")
A = TypeVar("A")
C = TypeVar("C", bound="_Closable")

LOOK_SECONDS: Final = 0.1  # between two looks at whether the file is still there
_GENERATION: Final = "SELECT value FROM generation"


class _Closable(Protocol):
    def close(self) -> object: ...


def wal_reset_bug(version: Sequence[int]) -> bool:
    """Say whether this SQLite can damage a file that several processes write.

    A commit that starts the WAL anew during the second checkpoint of another connection
    corrupts it. This store keeps the two apart; another program with the file open
    does not.

    Args:
        version: such as `sqlite3.sqlite_version_info`.

    Returns:
        Whether it is from 3.7.0 to 3.51.2; a distribution may have mended its own.
    """
    return (3, 7, 0) <= tuple(version) < (3, 51, 3)


@overload
def open_sqlite(
    path: Path,
    *,
    create: bool = ...,
    busy_seconds: float = ...,
    read_only: Literal[False] = False,
) -> AbstractAsyncContextManager["SqliteStore"]: ...


@overload
def open_sqlite(
    path: Path, *, create: bool = ..., busy_seconds: float = ..., read_only: bool
) -> AbstractAsyncContextManager[Store]: ...


def open_sqlite(
    path: Path,
    *,
    create: bool = True,
    busy_seconds: float = 5.0,
    read_only: bool = False,
) -> AbstractAsyncContextManager[Store]:
    """Open the store in a file, for as long as the context lasts.

    Args:
        path: the database file, on a local disk in a folder that others cannot write.
        create: whether an empty one is made where there never was one.
        busy_seconds: how long a write waits for other processes.
        read_only: make and change nothing; the file and its folder may be read-only.

    Returns:
        A context of the store.

    Raises:
        StoreMissing: when it is not there, or was there and has vanished.
        StoreForeign: when something else is there, be it an empty file.
        StoreNewer: when a newer version of the host made it.
        StoreCorrupt: when it is damaged.
        StoreUnsafe: when others may write there, or it is on a network file system; if
            `read_only`, also when its log holds what the file does not.
        StoreBusy: when another program keeps it locked, or it is being restored.
        StoreError: when it cannot be made, read or written.
    """
    if read_only:
        return open_frozen(path)
    return _open_shared(path, create=create, busy_seconds=busy_seconds)


@asynccontextmanager
async def _open_shared(
    path: Path, *, create: bool, busy_seconds: float
) -> AsyncIterator["SqliteStore"]:
    path = await run_in_thread(path.resolve)
    is_new = await run_in_thread(partial(_prepare_place, path, create=create))
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        await _kept(stack, partial(take_shared, path))
        identity = await run_in_thread(partial(Identity, path))
        connection = await enter(connected(path, "rw", seconds=busy_seconds))
        readers = await enter(opened_readers(path, "ro", seconds=busy_seconds))
        watcher = await _kept(stack, partial(_open_watcher, path))
        mark = await _kept(stack, partial(_open_mark, path))
        commits = Commits(path, identity, mark, busy_seconds=busy_seconds)
        writer = await enter(opened_writer(path, connection, commits.commit))
        store = SqliteStore(
            path,
            connection,
            watcher,
            mark,
            readers=readers,
            writer=writer,
            migrator=Migrator(path, identity, commits, is_new=is_new),
            identity=identity,
        )
        stack.callback(store.close)
        yield store


def _prepare_place(path: Path, *, create: bool) -> bool:
    is_new = ensure_store(path, create=create)
    check_writable(path)
    return is_new


async def _kept(stack: AsyncExitStack, make: Callable[[], C]) -> C:
    """Make what must be closed, in a thread, and see to its end."""
    return stack.enter_context(closing(await run_in_thread(make)))


def _open_watcher(path: Path) -> sqlite3.Connection:
    with store_faults(path):
        # It is asked on the event loop, so it never waits for a lock.
        watcher = sqlite3.connect(
            uri(path, "ro"),
            uri=True,
            isolation_level=None,
            timeout=0,
            check_same_thread=False,
        )
        prepare_connection(watcher, path, "ro")
    return watcher


def _open_mark(path: Path) -> Mark:
    try:
        return Mark(beside(path, "-mark"))
    except OSError as error:
        problem = f"its mark {beside(path, '-mark')} cannot be used: {error.strerror}."
        raise StoreError(path, problem) from error


class SqliteStore:
    """One open store, made by `open_sqlite`.

    Attributes:
        path: the database file, resolved.
    """

    def __init__(
        self,
        path: Path,
        connection: aiosqlite.Connection,
        watcher: sqlite3.Connection,
        mark: Mark,
        *,
        readers: Readers,
        writer: Writer,
        migrator: Migrator,
        identity: Identity,
    ) -> None:
        self.path = path
        self._connection = connection
        self._watcher = watcher
        self._mark = mark
        self._readers = readers
        self._writer = writer
        self._migrator = migrator
        self._identity = identity
        self._seen: int | None = None
        self._look_at = 0.0
        self._generation = 0
        self._is_closed = False

    async def read(
        self, sql: str, parameters: Mapping[str, Any] = NO_PARAMETERS
    ) -> list[tuple[Any, ...]]:
        """Read rows as they were committed at one moment; see `Store.read`."""

        def fetch(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
            self._identity.check()
            return db.execute(sql, parameters).fetchall()

        self._check_not_closed()
        return await self._readers.read(fetch)

    async def write(
        self, statements: Sequence[Statement], *, bump: bool = False
    ) -> list[int]:
        """Run statements in one transaction; see `Store.write`."""
        every = tuple(statements)

        def work(changing: Transaction) -> list[int]:
            counts = []
            for statement in every:
                changing.execute(*statement)
                counts.append(changing.changes())
            return counts

        return await self.transact(work, bump=bump)

    async def transact(
        self, work: Callable[[Transaction], T], *, bump: bool = False
    ) -> T:
        """Run a work in a transaction; see `Store.transact`."""
        return cast("T", await self._writer.submit(Work(work, bump)))

    async def combine(
        self, work: Callable[[Transaction, Sequence[A]], Sequence[T]], item: A
    ) -> T:
        """Run a work for all who ask for the same one; see `Store.combine`."""
        return cast("T", await self._writer.submit(Work(work, item=item)))

    def generation(self) -> int:
        """Give the generation of the last commit; see `Store.generation`."""
        # On the loop, because no call may be admitted by anything older than the last
        # commit of any process: 1 µs while the mark stands still, 15 when it has moved;
        # a hop to a thread would cost 200 on every call. A reader of a WAL waits for
        # nobody.
        if (
            self._is_closed
            or self._mark.begun() != self._seen
            or monotonic() > self._look_at
        ):
            self._look_again()
        return self._generation

    def _look_again(self) -> None:
        """Read the generation; it may be kept only if no commit was under way."""
        self._check_not_closed()
        self._identity.check()
        self._look_at = monotonic() + LOOK_SECONDS
        settled = self._mark.settled()
        with store_faults(self.path):
            [(value,)] = self._watcher.execute(_GENERATION).fetchall()
        self._generation = int(value)
        is_still = settled is not None and self._mark.begun() == settled
        self._seen = settled if is_still else None

    async def migrate(self, owner: str, migrations: Sequence[Migration]) -> None:
        """Bring one owner's tables up to date; see `Store.migrate`."""
        self._check_not_closed()
        work = partial(self._migrator.migrate, owner, tuple(migrations))
        with store_faults(self.path):
            await hop(self._connection, work)

    async def backup(self, to: Path) -> BackupFacts:
        """Make a consistent copy while everybody goes on reading and writing.

        Args:
            to: the copy, mode 0600; nothing may be there yet.

        Returns:
            What is in the copy.

        Raises:
            StoreError: when it cannot be made; then nothing is left of it.
        """
        self._check_not_closed()
        stop = threading.Event()
        copy = partial(copy_online, self.path, to, is_stopped=stop.is_set)
        copying = run_in_thread(copy)
        try:
            return await asyncio.shield(copying)
        except asyncio.CancelledError:
            stop.set()
            with anyio.CancelScope(shield=True):
                await asyncio.wait([copying])
            raise

    def close(self) -> None:
        """Refuse everything from now on; `open_sqlite` does it at the end."""
        self._is_closed = True
        self._writer.close()

    def _check_not_closed(self) -> None:
        if self._is_closed:
            raise StoreError(self.path, CLOSED)
