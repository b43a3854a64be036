"""SqliteStore: the store of several processes on one machine."""

import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeVar

import aiosqlite

from abilities_host.errors import StoreBusy, StoreError, StoreMissing
from abilities_host.filelock import FileLock
from abilities_host.storage.backups import make_backup
from abilities_host.storage.base import NO_PARAMETERS, Statement
from abilities_host.storage.connection import (
    connected,
    hop,
    prepare_connection,
    uri,
)
from abilities_host.storage.create import ensure_store
from abilities_host.storage.faults import BUSY, GONE, store_faults
from abilities_host.storage.mark import Mark
from abilities_host.storage.migrations import Migration, pending
from abilities_host.storage.place import beside
from abilities_host.threads import run_in_thread

T = TypeVar("T")

WAITING: Final = 1024  # reads and writes of one process
MIGRATION_SECONDS: Final = 60.0
CHECKPOINT_BYTES: Final = 4 << 20
LOOK_SECONDS: Final = 0.1  # between two looks at whether the file is still there
_GENERATION: Final = "SELECT value FROM generation"
_APPLIED: Final = "SELECT name FROM migration WHERE owner = :owner ORDER BY position"
_BUMP: Final = "UPDATE generation SET value = value + 1"
_RECORD: Final = (
    "INSERT INTO migration (owner, position, name, applied_at) "
    "VALUES (:owner, (SELECT count(*) FROM migration WHERE owner = :owner), :name, :at)"
)


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


@asynccontextmanager
async def open_sqlite(
    path: Path, *, create: bool = True, busy_seconds: float = 5.0
) -> AsyncIterator["SqliteStore"]:
    """Open the store in a file, for as long as the context lasts.

    Args:
        path: the database file, on a local disk in a folder that others cannot write.
        create: whether an empty one is made where there never was one.
        busy_seconds: how long a write waits for other processes.

    Yields:
        The store.

    Raises:
        StoreMissing: when it is not there, or was there and has vanished.
        StoreForeign: when something else is there, be it an empty file.
        StoreNewer: when a newer version of the host made it.
        StoreCorrupt: when it is damaged.
        StoreUnsafe: when others may write there, or it is on a network file system.
        StoreBusy: when another program keeps it locked.
        StoreError: when it cannot be made, read or written.
    """
    path = await run_in_thread(path.resolve)
    is_new = await run_in_thread(partial(ensure_store, path, create=create))
    async with (
        connected(path, "rw", seconds=busy_seconds) as writer,
        connected(path, "ro", seconds=busy_seconds) as reader,
    ):
        with (
            closing(await run_in_thread(partial(_open_watcher, path))) as watcher,
            closing(await run_in_thread(partial(_open_mark, path))) as mark,
        ):
            store = SqliteStore(
                path,
                writer,
                reader,
                watcher,
                mark,
                identity=await run_in_thread(partial(_identity, path)),
                busy_seconds=busy_seconds,
                is_new=is_new,
            )
            try:
                yield store
            finally:
                store.close()


def _identity(path: Path) -> tuple[int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116 - every call asks, and this is faster
    except FileNotFoundError:
        raise StoreMissing(path, GONE) from None
    return status.st_dev, status.st_ino


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
        writer: aiosqlite.Connection,
        reader: aiosqlite.Connection,
        watcher: sqlite3.Connection,
        mark: Mark,
        *,
        identity: tuple[int, int],
        busy_seconds: float,
        is_new: bool,
    ) -> None:
        self.path = path
        self._writer = writer
        self._reader = reader
        self._watcher = watcher
        self._identity = identity
        self._busy_seconds = busy_seconds
        self._is_new = is_new
        self._lock = FileLock(beside(path, "-lock"))
        self._mark = mark
        self._seen: int | None = None
        self._look_at = 0.0
        self._generation = 0
        self._waiting = 0
        self._is_closed = False

    async def read(
        self, sql: str, parameters: Mapping[str, Any] = NO_PARAMETERS
    ) -> list[tuple[Any, ...]]:
        """Read rows as they were committed at one moment; see `Store.read`."""
        return await self._run(
            self._reader, lambda db: db.execute(sql, parameters).fetchall()
        )

    async def write(
        self, statements: Sequence[Statement], *, bump: bool = False
    ) -> list[int]:
        """Run statements in one transaction; see `Store.write`."""
        every = [*statements, Statement(_BUMP)] if bump else list(statements)
        work = self._transact_and_count if bump else self._transact
        counts = await self._run(self._writer, partial(work, every))
        return counts[: len(statements)]

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
        self._check_file()
        self._look_at = monotonic() + LOOK_SECONDS
        settled = self._mark.settled()
        with store_faults(self.path):
            [(value,)] = self._watcher.execute(_GENERATION).fetchall()
        self._generation = int(value)
        is_still = settled is not None and self._mark.begun() == settled
        self._seen = settled if is_still else None

    async def migrate(self, owner: str, migrations: Sequence[Migration]) -> None:
        """Bring one owner's tables up to date; see `Store.migrate`."""
        every = tuple(migrations)
        await self._run(self._writer, partial(self._migrate, owner, every))

    def close(self) -> None:
        """Refuse everything from now on; `open_sqlite` does it at the end."""
        self._is_closed = True

    async def _run(
        self,
        connection: aiosqlite.Connection,
        function: Callable[[sqlite3.Connection], T],
    ) -> T:
        self._check_not_closed()
        if self._waiting >= WAITING:
            raise StoreBusy(self.path, f"{WAITING} reads and writes wait already.")
        self._waiting += 1
        try:
            with store_faults(self.path):
                return await hop(connection, partial(self._checked, function))
        finally:
            self._waiting -= 1

    def _checked(
        self, function: Callable[[sqlite3.Connection], T], db: sqlite3.Connection
    ) -> T:
        self._check_file()
        return function(db)

    def _check_not_closed(self) -> None:
        if self._is_closed:
            raise StoreError(self.path, "this host has closed it.")

    def _check_file(self) -> None:
        # SQLite would go on with a file that no longer has a name, and lose it all.
        if _identity(self.path) != self._identity:
            raise StoreMissing(self.path, GONE)

    @contextmanager
    def _alone(self, seconds: float) -> Iterator[None]:
        if not self._lock.wait(seconds):
            raise StoreBusy(self.path, BUSY)
        try:
            yield
        finally:
            self._lock.release()

    def _transact(
        self, statements: Sequence[Statement], db: sqlite3.Connection
    ) -> list[int]:
        with self._alone(self._busy_seconds):
            return self._commit(statements, db)

    def _transact_and_count(
        self, statements: Sequence[Statement], db: sqlite3.Connection
    ) -> list[int]:
        with self._alone(self._busy_seconds):
            self._mark.begin()
            try:
                return self._commit(statements, db)
            finally:
                self._mark.finish()

    def _commit(
        self, statements: Sequence[Statement], db: sqlite3.Connection
    ) -> list[int]:
        with _transaction(db):
            counts = [max(0, db.execute(*each).rowcount) for each in statements]
        self._checkpoint(db)
        return counts

    def _checkpoint(self, db: sqlite3.Connection) -> None:
        if beside(self.path, "-wal").stat().st_size < CHECKPOINT_BYTES:
            return
        # The commit is durable already: what goes wrong here is done the next time.
        # A reader is not waited for either.
        with suppress(sqlite3.Error):
            db.execute("PRAGMA busy_timeout=0")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        db.execute(f"PRAGMA busy_timeout={self._busy_seconds * 1000:.0f}")

    def _migrate(
        self, owner: str, migrations: Sequence[Migration], db: sqlite3.Connection
    ) -> None:
        if not self._pending(owner, migrations, db):
            return
        with self._alone(MIGRATION_SECONDS):
            # Another process may have done it while this one waited.
            if not self._pending(owner, migrations, db):
                return
            if not self._is_new:
                make_backup(db, self.path)
            with _transaction(db):
                for migration in self._pending(owner, migrations, db):
                    self._apply(owner, migration, db)

    def _pending(
        self, owner: str, migrations: Sequence[Migration], db: sqlite3.Connection
    ) -> list[Migration]:
        rows = db.execute(_APPLIED, {"owner": owner}).fetchall()
        return pending(self.path, owner, [name for (name,) in rows], migrations)

    def _apply(self, owner: str, migration: Migration, db: sqlite3.Connection) -> None:
        try:
            with store_faults(self.path):
                for sql in migration.statements:
                    db.execute(sql)
        except (sqlite3.Error, sqlite3.Warning) as error:
            problem = f"migration {migration.name!r} of {owner!r} failed: {error}."
            raise StoreError(self.path, f"{problem} Nothing was changed.") from error
        at = datetime.now(UTC).isoformat(timespec="seconds")
        db.execute(_RECORD, {"owner": owner, "name": migration.name, "at": at})


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        # Some errors, such as a full disk, have rolled it back already.
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
