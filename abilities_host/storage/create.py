"""How a new store comes to be: made aside, then published whole."""

import os
import secrets
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

from abilities_host.errors import StoreBusy, StoreMissing
from abilities_host.filelock import FileLock
from abilities_host.storage.faults import BUSY, store_faults
from abilities_host.storage.place import beside, check_place

APPLICATION_ID: Final = 0x4142494C  # "ABIL"
FORMAT: Final = 1
_SCHEMA: Final = (
    f"PRAGMA application_id={APPLICATION_ID}",
    f"PRAGMA user_version={FORMAT}",
    "CREATE TABLE generation (value INTEGER NOT NULL)",
    "INSERT INTO generation (value) VALUES (1)",
    """
    CREATE TABLE migration (
        owner TEXT NOT NULL,
        position INTEGER NOT NULL,
        name TEXT NOT NULL,
        applied_at TEXT NOT NULL,
        PRIMARY KEY (owner, position)
    )
    """,
)


def ensure_store(path: Path, *, create: bool) -> bool:
    """Check the place of a store, and make an empty one where there never was one.

    Args:
        path: the store, resolved.
        create: whether one may be made; its folder is then made too, with mode 0700.

    Returns:
        Whether this call made it.

    Raises:
        StoreMissing: when there is none and none may be made, or one was there before.
        StoreForeign: when something else is there.
        StoreUnsafe: when others may write there, or it is on a network file system.
        StoreError: when it cannot be made.
    """
    with store_faults(path):
        if create and not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_place(path)
        if path.exists():
            return False
        _check_never_was(path)
        if not create:
            problem = "it does not exist yet: the first start of a host makes it. Or "
            problem += "correct the path."
            raise StoreMissing(path, problem)
        return _create(path)


def _check_never_was(path: Path) -> None:
    # The lock file is made by the first write and never removed. Another process may
    # publish the store just now, so it is looked for again.
    for trace in (beside(path, "-lock"), beside(path, "-wal")):
        if trace.exists() and not path.exists():
            problem = f"it is gone, but {trace.name} shows that it was here. Put it "
            problem += "back, for example from backups/; or remove that file to begin "
            problem += "with an empty store."
            raise StoreMissing(path, problem)


def _create(path: Path) -> bool:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
    # SQLite gives its side files the mode of the main one.
    os.close(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        _fill(temporary)
        sync(temporary)
        is_ours = publish(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    with suppress(PermissionError):  # Windows opens no folders
        sync(path.parent)
    return is_ours


def _fill(path: Path) -> None:
    # Switching a shared file to WAL fails at once when another process does it too;
    # nobody shares this one yet.
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for statement in ("PRAGMA journal_mode=WAL", "BEGIN", *_SCHEMA, "COMMIT"):
            connection.execute(statement)
    finally:
        connection.close()


def sync(path: Path) -> None:
    """Make a file, or the names in a folder, outlast a power cut; blocks."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def publish(temporary: Path, path: Path) -> bool:
    """Give a finished file its name, unless that name is taken.

    Args:
        temporary: the file, in the same folder; it may still be there afterwards.
        path: the name it shall have.

    Returns:
        Whether it got the name.

    Raises:
        StoreBusy: when another process is publishing for too long.
    """
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except (OSError, NotImplementedError):  # a file system without hard links
        return rename_to_free(temporary, path)
    return True


def rename_to_free(temporary: Path, path: Path, *, seconds: float = 5.0) -> bool:
    """Rename a file, unless the new name is taken; for where links do not exist.

    Args:
        temporary: the file, in the same folder.
        path: the name it shall have.
        seconds: how long to wait for another process that renames.

    Returns:
        Whether it got the name.

    Raises:
        StoreBusy: when that takes longer.
    """
    lock = FileLock(beside(path, "-new"))
    if not lock.wait(seconds):
        raise StoreBusy(path, BUSY)
    try:
        if path.exists():
            return False
        temporary.rename(path)
    finally:
        lock.release()
    return True
