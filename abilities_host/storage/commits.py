"""Commits: how changes reach the file of a store that several processes share."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from abilities_host.errors import StoreBusy
from abilities_host.filelock import FileLock
from abilities_host.storage.faults import BUSY, store_faults
from abilities_host.storage.group import Ending, Work, commit_group, refuse
from abilities_host.storage.identity import Identity
from abilities_host.storage.mark import Mark
from abilities_host.storage.place import beside

CHECKPOINT_BYTES: Final = 4 << 20  # of the log, before it is folded into the file
LOG_BYTES: Final = 16 << 20  # of the log, before it is made empty


class Commits:
    """What the writer's thread does; everything here blocks.

    Args:
        path: the store, resolved.
        identity: which file it is.
        mark: moved around each commit that counts.
        busy_seconds: how long a commit waits for other processes.
    """

    def __init__(
        self, path: Path, identity: Identity, mark: Mark, *, busy_seconds: float
    ) -> None:
        self._path = path
        self._log = str(beside(path, "-wal"))
        self._log_bytes = 0  # when it was last folded into the file
        self._identity = identity
        self._mark = mark
        self._busy_seconds = busy_seconds
        self._lock = FileLock(beside(path, "-lock"))

    def commit(
        self, works: Sequence[Work], connection: sqlite3.Connection
    ) -> list[Ending]:
        """Commit works together, apart from every other process.

        Args:
            works: at least one, in their order.
            connection: the writer's.

        Returns:
            How each ended; nothing is raised.
        """
        try:
            with store_faults(self._path):
                return self._commit(works, connection)
        except Exception as error:  # noqa: BLE001 - each of the callers hears of it
            return refuse(error, self._path, len(works))

    def _commit(
        self, works: Sequence[Work], connection: sqlite3.Connection
    ) -> list[Ending]:
        self._identity.check_writable()
        with self.alone(self._busy_seconds):
            if not any(work.bump for work in works):
                return self._commit_alone(works, connection)
            self._mark.begin()
            try:
                return self._commit_alone(works, connection)
            finally:
                self._mark.finish()

    def _commit_alone(
        self, works: Sequence[Work], connection: sqlite3.Connection
    ) -> list[Ending]:
        endings = commit_group(connection, self._path, works)
        self._checkpoint(connection)
        return endings

    @contextmanager
    def alone(self, seconds: float) -> Iterator[None]:
        """Keep every other process from writing.

        Args:
            seconds: how long to wait for that.

        Raises:
            StoreBusy: when another process writes for longer.
        """
        if not self._lock.wait(seconds):
            raise StoreBusy(self._path, BUSY)
        try:
            yield
        finally:
            self._lock.release()

    def _checkpoint(self, connection: sqlite3.Connection) -> None:
        # The commit is durable already: what goes wrong here is done the next time.
        with suppress(sqlite3.Error, OSError):
            size = os.stat(self._log).st_size  # noqa: PTH116 - each commit asks
            self._log_bytes = min(self._log_bytes, size)
            if size < CHECKPOINT_BYTES or size == self._log_bytes:
                return
            # It is written anew from its beginning: a sync of a file that does not
            # grow is far cheaper. Only one that has grown too large is made empty.
            mode = "PASSIVE" if size < LOG_BYTES else "TRUNCATE"
            self._fold(connection, mode)
            self._log_bytes = size

    def _fold(self, connection: sqlite3.Connection, mode: str) -> None:
        try:
            # Nobody who reads is waited for.
            connection.execute("PRAGMA busy_timeout=0")
            connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()
        finally:
            limit = f"{self._busy_seconds * 1000:.0f}"
            connection.execute(f"PRAGMA busy_timeout={limit}")
