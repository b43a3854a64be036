"""Online: a consistent copy of a store that others write meanwhile."""

import os
import secrets
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from abilities_host.errors import StoreError
from abilities_host.storage.connection import prepare_connection, uri
from abilities_host.storage.create import publish, sync
from abilities_host.storage.facts import BackupFacts, read_facts
from abilities_host.storage.faults import store_faults

PAGES: Final = 1024  # in one step; between two it looks whether it shall go on
_TAKEN: Final = "it exists already, and a copy replaces nothing. Choose another name."
_STOPPED: Final = "copying was stopped."


def copy_online(path: Path, to: Path, *, is_stopped: Callable[[], bool]) -> BackupFacts:
    """Copy a store as it is at one commit; others write meanwhile; blocks.

    Until it ends the store's log grows, since nothing in it may be written over.

    Args:
        path: the store, resolved.
        to: the copy; it gets mode 0600, and its name when it is whole.
        is_stopped: asked every few milliseconds; after True no copy is left.

    Returns:
        What is in the copy.

    Raises:
        StoreError: when it cannot be made, or there is something at `to` already.
    """
    to = to.parent.resolve() / to.name
    if os.path.lexists(to):
        raise StoreError(to, _TAKEN)
    part = to.with_name(f".{to.name}.{secrets.token_hex(8)}.part")
    try:
        with store_faults(to):
            os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            _fill(path, part, is_stopped)
            facts = read_facts(part, to)
            sync(part)
            if not publish(part, to):
                raise StoreError(to, _TAKEN)
            with suppress(PermissionError):  # Windows opens no folders
                sync(to.parent)
    finally:
        part.unlink(missing_ok=True)
    return replace(facts, path=to)


def _fill(path: Path, part: Path, is_stopped: Callable[[], bool]) -> None:
    def go_on(*_: int) -> None:
        if is_stopped():
            raise StoreError(path, _STOPPED)

    with (
        closing(sqlite3.connect(uri(path, "ro"), uri=True, isolation_level=None)) as db,
        closing(sqlite3.connect(part, isolation_level=None)) as target,
    ):
        with store_faults(path):
            prepare_connection(db, path, "ro")
            # An open transaction holds on to one commit: else the copying would begin
            # anew after each write of another.
            db.execute("BEGIN")
            db.execute("SELECT value FROM generation").fetchall()
        # No reader of the part, and it is synced whole.
        target.execute("PRAGMA journal_mode=OFF")
        target.execute("PRAGMA synchronous=OFF")
        db.backup(target, pages=PAGES, progress=go_on)
