"""Connection: how the database is opened for one call, and what its errors mean."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Final

from abilities_database.cells import read_text
from abilities_database.refusals import (
    Busy,
    ConstraintFailed,
    DatabaseFailed,
    ForeignKeyBroken,
    Full,
    NotUnique,
    ReadOnly,
    TooLarge,
    TooSlow,
    Unavailable,
)
from abilities_host import AbilityFailed

CELL_BYTES: Final = 16 << 20
VARIABLES: Final = 1000
PATIENCE: Final = 0.05
"""Seconds after which whoever waits for a lock or for an end looks up again."""

_READER: Final = ("PRAGMA query_only = ON", "PRAGMA cell_size_check = ON")
_WRITER: Final = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_spill = OFF",  # readers are let in until the commit
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
)


def open_reader(path: Path, seconds: float) -> sqlite3.Connection:
    """Open the database so that it cannot be changed.

    Args:
        path: of the database, absolute.
        seconds: how long to wait for a lock.

    Returns:
        A connection for one thread; close it.

    Raises:
        sqlite3.Error: when it cannot be opened.
    """
    return _open(f"{path.as_uri()}?mode=ro", seconds, _READER)


def open_writer(path: Path) -> sqlite3.Connection:
    """Open the database to change it; a database that is gone is not made anew.

    Args:
        path: of the database, absolute.

    Returns:
        A connection that several threads may use in turn; close it.

    Raises:
        sqlite3.Error: when it cannot be opened.
    """
    return _open(f"{path.as_uri()}?mode=rw", PATIENCE, _WRITER)


@contextmanager
def time_limit(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Interrupt whatever the connection does when the time is over.

    A progress handler is asked after a number of steps, and one step can take long.

    Args:
        connection: may be used by this thread only until then.
        seconds: how long it may go on.
    """
    ended = Event()

    def watch() -> None:
        left = seconds
        while not ended.wait(left):
            connection.interrupt()
            left = PATIENCE  # it may have been between two statements

    watcher = Thread(target=watch, name="abilities-database-limit", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def is_busy(error: sqlite3.Error) -> bool:
    """Answer whether somebody else's lock was in the way.

    Args:
        error: of a statement.

    Returns:
        True when trying again may help.
    """
    return _BY_KIND.get(_kind(error)) is Busy


def needs_recovery(error: sqlite3.Error) -> bool:
    """Answer whether a write that was cut off is in a reader's way.

    Args:
        error: of a reader's first look.

    Returns:
        True when a writer could clear it up.
    """
    return _kind(error) in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}


@contextmanager
def refusing(seconds: float, cells: int = CELL_BYTES) -> Iterator[None]:
    """Turn an error of SQLite into a refusal, in words for the caller.

    Args:
        seconds: the time limit, to name it.
        cells: the largest cell in bytes, likewise.

    Raises:
        AbilityFailed: instead of an sqlite3.Error.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise _refusal(error, seconds, cells) from error


def _open(uri: str, seconds: float, pragmas: tuple[str, ...]) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri, uri=True, timeout=seconds, isolation_level=None, check_same_thread=False
    )
    try:
        connection.text_factory = read_text
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, CELL_BYTES)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
        for pragma in pragmas:
            connection.execute(pragma)
    except BaseException:
        connection.close()
        raise
    return connection


def _name(error: sqlite3.Error) -> str:
    """Give SQLite's name of an error; an older Python does not know each of them."""
    return getattr(error, "sqlite_errorname", None) or ""


def _kind(error: sqlite3.Error) -> int:
    """Give the lower byte of the code, which is the same for all of one kind."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def _refusal(error: sqlite3.Error, seconds: float, cells: int) -> AbilityFailed:
    kind = _kind(error)
    if kind == sqlite3.SQLITE_INTERRUPT:
        return TooSlow(seconds)
    if kind == sqlite3.SQLITE_TOOBIG or isinstance(error, sqlite3.DataError):
        return TooLarge(cells)
    if isinstance(error, sqlite3.IntegrityError):
        return _constraint(_name(error), str(error))
    if _name(error) == "SQLITE_IOERR_WRITE":
        return Full()
    if kind == sqlite3.SQLITE_ERROR:
        return ConstraintFailed(str(error))
    return _BY_KIND.get(kind, Unavailable)()


def _constraint(name: str, text: str) -> AbilityFailed:
    if name == "SQLITE_CONSTRAINT_FOREIGNKEY":
        return ForeignKeyBroken()
    if name.endswith(("_UNIQUE", "_PRIMARYKEY", "_ROWID")):
        return NotUnique(text.partition(": ")[2])
    return ConstraintFailed(text)


_BY_KIND: Final[dict[int, type[DatabaseFailed]]] = {
    sqlite3.SQLITE_BUSY: Busy,
    sqlite3.SQLITE_LOCKED: Busy,
    sqlite3.SQLITE_FULL: Full,
    sqlite3.SQLITE_READONLY: ReadOnly,
}
