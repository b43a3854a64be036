"""Making: how a new file of the log comes to be, whole and for its owner only."""

import os
import secrets
import sqlite3
from pathlib import Path
from typing import Final

from abilities_host.access import others_may_write
from abilities_host.filelock import FileLock
from abilities_host.requestlog.errors import NO_LOG, UNSAFE, RequestLogUnusable
from abilities_host.requestlog.record import Record
from abilities_host.storage.create import publish
from abilities_host.storage.place import beside

APPLICATION_ID: Final = 0x41425251  # "ABRQ"
FORMAT: Final = 1
_SECONDS: Final = 2.0
_NUMBERS: Final = frozenset(
    {"at", "micros", "bytes_in", "bytes_out", "repaired", "times"}
)
_COLUMNS: Final = ", ".join(
    f"{name} {'INTEGER' if name in _NUMBERS else 'TEXT'} NOT NULL"
    for name in Record._fields
)
_SCHEMA: Final = (
    "PRAGMA journal_mode=WAL",
    "BEGIN",
    f"PRAGMA application_id={APPLICATION_ID}",
    f"PRAGMA user_version={FORMAT}",
    # A number never comes again: who follows the log asks for greater ones.
    f"CREATE TABLE request (seq INTEGER PRIMARY KEY AUTOINCREMENT, {_COLUMNS})",
    "CREATE INDEX request_at ON request (at)",
    """
    CREATE UNIQUE INDEX request_counted ON request (at, surface, server, code)
    WHERE method = ''
    """,
    "COMMIT",
)


def ensure_file(path: Path) -> None:
    """Make the file unless it is there; blocks.

    Args:
        path: the file; its folder exists.

    Raises:
        OSError: when it cannot be made.
        RequestLogUnusable: when others may write what is there, or it is no file.
    """
    if not path.exists():
        _make(path)
    status = path.stat()
    if not path.is_file() or not status.st_size:
        raise RequestLogUnusable(path, NO_LOG)
    if others_may_write(status):
        raise RequestLogUnusable(path, UNSAFE)


def _make(path: Path) -> None:
    lock = FileLock(beside(path, "-lock"))
    if not lock.wait(_SECONDS):
        raise TimeoutError
    try:
        if not path.exists():
            # SQLite would read the log of a file that was removed into the new one.
            for end in ("-wal", "-shm"):
                beside(path, end).unlink(missing_ok=True)
            _publish(path)
    finally:
        lock.release()


def _publish(path: Path) -> None:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
    # SQLite gives its side files the mode of the main one.
    os.close(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        _fill(temporary)
        publish(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _fill(path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for statement in _SCHEMA:
            connection.execute(statement)
    finally:
        connection.close()
