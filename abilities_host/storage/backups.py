"""Copies of a store, taken before its tables are changed."""

import os
import sqlite3
from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from typing import Final

KEPT: Final = 5


def make_backup(connection: sqlite3.Connection, path: Path) -> Path:
    """Copy a store into ``backups/`` beside it and drop the oldest copies.

    Args:
        connection: an open connection to it, outside a transaction; nobody may write
            meanwhile.
        path: the store.

    Returns:
        The copy; the newest 5 are kept.

    Raises:
        sqlite3.Error: when there is no room; no half copy stays.
        OSError: when the folder cannot be made.
    """
    folder = path.parent / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    copy = folder / f"{path.stem}-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}{path.suffix}"
    part = copy.with_name(copy.name + ".part")
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        _copy(connection, part)
        part.rename(copy)
    finally:
        part.unlink(missing_ok=True)
    _prune(folder, path)
    return copy


def _copy(connection: sqlite3.Connection, part: Path) -> None:
    target = sqlite3.connect(part)
    try:
        connection.backup(target)
    finally:
        target.close()


def _prune(folder: Path, path: Path) -> None:
    pattern = f"{escape(path.stem)}-*Z{escape(path.suffix)}"
    copies = sorted(folder.glob(pattern))
    # A killed process leaves its half copy behind; nobody else copies now.
    halves = folder.glob(f"{pattern}.part")
    for old in (*copies[:-KEPT], *halves):
        old.unlink(missing_ok=True)
