"""File: where requests are kept, beside the store and apart from it."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

from abilities_host.requestlog.errors import (
    NEWER,
    NO_LOG,
    RequestLogUnusable,
    unusable,
)
from abilities_host.requestlog.making import APPLICATION_ID, FORMAT, ensure_file
from abilities_host.requestlog.record import MICROSECONDS, Record

BUSY_SECONDS: Final = 2.0
STEP: Final = 500  # rows that one transaction removes
STEPS: Final = 20
_DAY: Final = 86_400 * MICROSECONDS
_WAL_BYTES_KEPT: Final = 4 << 20
_FIELDS: Final = ", ".join(Record._fields)
_INSERT: Final = (
    f"INSERT INTO request ({_FIELDS}) VALUES ({', '.join('?' * len(Record._fields))}) "  # noqa: S608 - names of our own
    "ON CONFLICT (at, surface, server, code) WHERE method = '' "
    "DO UPDATE SET times = times + excluded.times"
)
_TOO_OLD: Final = (
    "DELETE FROM request WHERE seq IN "
    "(SELECT seq FROM request WHERE at < :oldest ORDER BY at LIMIT :step)"
)
_TOO_MANY: Final = (
    "DELETE FROM request WHERE seq IN (SELECT seq FROM request WHERE seq <= "
    "(SELECT max(seq) FROM request) - :entries ORDER BY seq LIMIT :step)"
)


class Kept(NamedTuple):
    """What is kept.

    Attributes:
        days: of requests.
        entries: requests at most; older ones go first.
    """

    days: int
    entries: int


class RequestFile:
    """The file, as a host writes it; every method blocks, use one at a time.

    Args:
        path: the file; it is made when it is not there.
        kept: gives what is kept, as the configuration says now.
    """

    def __init__(self, path: Path, kept: Callable[[], Kept]) -> None:
        self.path: Final = path
        self._kept: Final = kept
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] = (0, 0)

    def append(self, records: Sequence[Record]) -> None:
        """Add records, all or none; what is only counted is added up.

        Args:
            records: oldest first.

        Raises:
            RequestLogUnusable: when they were not added.
        """
        try:
            connection = self._opened()
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(_INSERT, records)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        except (sqlite3.Error, OSError, RequestLogUnusable) as error:
            self.close()  # it may be another file by now
            raise unusable(self.path, error) from error

    def prune(self, now: int) -> bool:
        """Remove what is too old or too much, in short transactions.

        Args:
            now: microseconds since 1970.

        Returns:
            Whether there may be more to remove.

        Raises:
            RequestLogUnusable: when it cannot be written.
        """
        try:
            steps = 0
            while steps < STEPS and self._removes_a_step(now):
                steps += 1
        except (sqlite3.Error, OSError, RequestLogUnusable) as error:
            self.close()
            raise unusable(self.path, error) from error
        return steps == STEPS

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    def _removes_a_step(self, now: int) -> bool:
        connection, kept = self._opened(), self._kept()
        values = {
            "oldest": now - kept.days * _DAY,
            "entries": kept.entries,
            "step": STEP,
        }
        removed = [connection.execute(each, values) for each in (_TOO_OLD, _TOO_MANY)]
        return any(cursor.rowcount == STEP for cursor in removed)

    def _opened(self) -> sqlite3.Connection:
        if self._connection is not None and self._is_same():
            return self._connection
        self.close()
        ensure_file(self.path)
        self._connection = connection = connect(self.path, "rw")
        # A process that is killed loses nothing it has committed; a power cut may.
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA journal_size_limit={_WAL_BYTES_KEPT}")
        self._identity = _identity(self.path)
        return connection

    def _is_same(self) -> bool:
        """What was moved away is not written any more, although it is open."""
        return self.path.exists() and _identity(self.path) == self._identity


def connect(path: Path, mode: Literal["rw", "ro"]) -> sqlite3.Connection:
    """Open a file that is there and check that it is a log of requests; blocks.

    Args:
        path: the file.
        mode: to write or only to read.

    Returns:
        The connection; any thread may use it, one at a time.

    Raises:
        RequestLogUnusable: when it is something else.
        sqlite3.Error: when it cannot be opened.
    """
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,
        timeout=BUSY_SECONDS,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA trusted_schema=OFF")
        _check(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise RequestLogUnusable(path, NO_LOG)
    if _pragma(connection, "user_version") > FORMAT:
        raise RequestLogUnusable(path, NEWER)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    [(value,)] = connection.execute(f"PRAGMA {name}").fetchall()
    return int(value)


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino
