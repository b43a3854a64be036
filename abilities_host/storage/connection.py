"""SQLite connections of a store: how they are opened, checked and run."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, cast

import aiosqlite
import anyio

from abilities_host.errors import StoreCorrupt, StoreForeign, StoreNewer, StoreUnsafe
from abilities_host.storage.create import APPLICATION_ID, FORMAT
from abilities_host.storage.faults import CORRUPT, FOREIGN, store_faults

T = TypeVar("T")
Mode = Literal["rw", "ro", "immutable"]

CHECKED_BYTES: Final = 32 << 20  # the check reads the whole file: 0.1 s for this much
_RUN: Final = "-- run"
_WAL_BYTES_KEPT: Final = 16 << 20
_SAFE: Final = ("PRAGMA trusted_schema=OFF", "PRAGMA foreign_keys=ON")
_WRITER: Final = (
    *_SAFE,
    "PRAGMA synchronous=FULL",
    # What somebody had removed for good must not stay in free pages.
    "PRAGMA secure_delete=ON",
    # SQLite would checkpoint outside the lock that keeps it apart from commits.
    "PRAGMA wal_autocheckpoint=0",
    f"PRAGMA journal_size_limit={_WAL_BYTES_KEPT}",
)
_READER: Final = (*_SAFE, "PRAGMA query_only=ON")


class _HopConnection(sqlite3.Connection):
    """Runs a whole function in aiosqlite's thread: one hop for any number of steps."""

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        if sql is not _RUN:
            return super().execute(sql, parameters)
        return _Answer([parameters[0](self)])


class _Answer(list[Any]):
    """Looks like a cursor to aiosqlite."""

    def fetchall(self) -> list[Any]:
        return self


async def hop(
    connection: aiosqlite.Connection, function: Callable[[sqlite3.Connection], T]
) -> T:
    """Run a function in a connection's own thread.

    Args:
        connection: one made by `connected`.
        function: gets the connection beneath; it leaves no transaction open.

    Returns:
        What the function returned.
    """
    [answer] = await connection.execute_fetchall(_RUN, [function])
    return cast("T", answer)


def uri(path: Path, mode: Mode) -> str:
    """Name a store so that SQLite opens it and never makes it."""
    query = "mode=ro&immutable=1" if mode == "immutable" else f"mode={mode}"
    return f"{path.as_uri()}?{query}"


@asynccontextmanager
async def connected(
    path: Path, mode: Mode, *, seconds: float
) -> AsyncIterator[aiosqlite.Connection]:
    """Open an existing store and check that it is one.

    Args:
        path: the store, resolved; never created.
        mode: ``rw``, ``ro`` to read only, or ``immutable`` to read a file that nobody
            changes without any file beside it.
        seconds: how long it waits for SQLite's own locks.

    Yields:
        The connection, with its own thread until the end.

    Raises:
        StoreError: when it is no store of this host, or cannot be used.
    """

    def prepare(connection: sqlite3.Connection) -> None:
        prepare_connection(connection, path, mode)

    connection = aiosqlite.connect(
        uri(path, mode),
        uri=True,
        factory=_HopConnection,
        isolation_level=None,
        timeout=seconds,
    )
    # aiosqlite's thread is no daemon: left open it would keep the process for ever. A
    # cancelled scope cancels every await, so both ends are shielded; both are bounded.
    with store_faults(path), anyio.CancelScope(shield=True):
        await connection
    try:
        with store_faults(path):
            await hop(connection, prepare)
        yield connection
    finally:
        with anyio.CancelScope(shield=True):
            await connection.close()


def prepare_connection(connection: sqlite3.Connection, path: Path, mode: Mode) -> None:
    """Check what was opened and set how it behaves; blocks.

    Args:
        connection: open, not used yet.
        path: the store, for the errors.
        mode: how it was opened.

    Raises:
        StoreError: when it is no store of this host, or cannot be used.
    """
    check_kind(connection, path)
    if mode != "immutable":  # such a connection uses no log
        _check_log(connection, path)
    for pragma in _WRITER if mode == "rw" else _READER:
        connection.execute(pragma)
    if mode != "ro":
        _check_whole(connection, path)
    if mode == "rw":
        _check_writable(connection)


def check_kind(connection: sqlite3.Connection, path: Path) -> None:
    """Check that a database is a store that this version can use.

    Args:
        connection: open on it.
        path: its name, for the errors.

    Raises:
        StoreForeign: when it is something else.
        StoreNewer: when a newer version of the host made it.
    """
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise StoreForeign(path, FOREIGN)
    if _pragma(connection, "user_version") > FORMAT:
        raise StoreNewer(path, "a newer version of the host made it. Upgrade the host.")


def _check_log(connection: sqlite3.Connection, path: Path) -> None:
    if _pragma(connection, "journal_mode") != "wal":
        problem = "it is not in WAL mode. Run: sqlite3 FILE 'PRAGMA journal_mode=WAL'"
        raise StoreUnsafe(path, problem)


def _check_whole(connection: sqlite3.Connection, path: Path) -> None:
    is_small = path.stat().st_size <= CHECKED_BYTES
    if is_small and _pragma(connection, "quick_check(1)") != "ok":
        raise StoreCorrupt(path, CORRUPT)


def _check_writable(connection: sqlite3.Connection) -> None:
    # A file that may not be written opens well and even begins a transaction.
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("UPDATE generation SET value = value")
    finally:
        connection.execute("ROLLBACK")


def _pragma(connection: sqlite3.Connection, name: str) -> Any:
    [(value,)] = connection.execute(f"PRAGMA {name}").fetchall()
    return value
