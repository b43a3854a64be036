"""Restore: a copy becomes the store, and what was the store is kept."""

import os
import secrets
import shutil
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from abilities_host.errors import StoreBusy, StoreError
from abilities_host.storage.connection import uri
from abilities_host.storage.create import sync
from abilities_host.storage.facts import check_kept, read_facts
from abilities_host.storage.faults import BUSY, store_faults
from abilities_host.storage.place import beside
from abilities_host.storage.usage import take_alone

_SAME: Final = "it is the store itself. Name a copy of it."


def restore_backup(copy: Path, store: Path) -> Path | None:
    """Put a copy in the place of a store that nobody has open; blocks.

    Killed at any moment it leaves either the old store or the copy, whole.

    Args:
        copy: checked first, all of it; it stays where it is.
        store: the database file; its folder exists.

    Returns:
        Where the replaced store is kept, in ``backups/`` beside it, or None when there
        was none.

    Raises:
        StoreBusy: when a host or another program has the store open.
        StoreError: when the copy is not a whole store of this host, or there is no
            room; the store is as it was.
    """
    copy, store = copy.resolve(), store.resolve()
    if copy == store:
        raise StoreError(copy, _SAME)
    part = store.with_name(f".{store.name}.{secrets.token_hex(8)}.new")
    with store_faults(store), closing(take_alone(store)):
        try:
            _take_over(copy, part)
            kept = _keep(store)
            part.replace(store)
        finally:
            part.unlink(missing_ok=True)
        beside(store, "-shm").unlink(missing_ok=True)
        with suppress(PermissionError):  # Windows opens no folders
            sync(store.parent)
    return kept


def _take_over(copy: Path, part: Path) -> None:
    """Make a file of the copy beside the store, and check that very file."""
    with store_faults(copy):
        stillness = check_kept(copy)
        _duplicate(copy, part)
        read_facts(part, copy)
        stillness.check()


def _duplicate(source: Path, target: Path) -> None:
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with source.open("rb") as old, os.fdopen(descriptor, "wb") as new:
        shutil.copyfileobj(old, new, 1 << 20)
        new.flush()
        os.fsync(descriptor)


def _keep(store: Path) -> Path | None:
    """Give the old store a second name; with its log if that cannot be folded in."""
    log = beside(store, "-wal")
    if not (store.exists() or log.exists()):
        return None
    folder = store.parent / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    name = f"{store.stem}-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.replaced{store.suffix}"
    kept = folder / name
    _keep_log(store, log, beside(kept, "-wal"))
    if store.exists():
        _name_again(store, kept)
    with suppress(PermissionError):  # Windows opens no folders
        sync(folder)
    # Left beside the store it would be taken for the log of the copy.
    log.unlink(missing_ok=True)
    return kept


def _keep_log(store: Path, log: Path, kept: Path) -> None:
    # SQLite throws away the log of a store that it cannot read.
    if log.exists():
        _duplicate(log, kept)
    is_folded = True
    try:
        is_folded = _fold(store, log)
    finally:
        if is_folded:
            kept.unlink(missing_ok=True)


def _fold(store: Path, log: Path) -> bool:
    """Fold the log into its store; False when the store is too damaged for that."""
    if not store.exists():
        return False
    try:
        with closing(
            sqlite3.connect(uri(store, "rw"), uri=True, isolation_level=None, timeout=1)
        ) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.Error as error:
        if error.sqlite_errorname.startswith("SQLITE_BUSY"):
            raise
        return False
    if log.exists():  # the last one to close removes it
        raise StoreBusy(store, BUSY)
    return True


def _name_again(store: Path, kept: Path) -> None:
    try:
        os.link(store, kept)
    except (OSError, NotImplementedError):  # a file system without hard links
        _duplicate(store, kept)
