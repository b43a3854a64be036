"""What SQLite's error codes mean for somebody who runs a host."""

import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Final

from abilities_host.errors import (
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreForeign,
    StoreMissing,
)

BUSY: Final = (
    "another process holds it for longer than this one may wait. Try again; if it "
    "stays so, end the program that has it open."
)
CLOSED: Final = "this host has closed it."
CORRUPT: Final = (
    "it is damaged. Stop every host and run 'abilities restore' with the newest good "
    "copy from backups/ beside it, or one of your own."
)
FOREIGN: Final = (
    "it is not a store of this host. Correct the path, or move that file away."
)
GONE: Final = (
    "the file was removed or replaced while it was in use. Put it back and start again."
)

# Longest first: SQLITE_READONLY_DBMOVED is a SQLITE_READONLY too.
_KINDS: Final[tuple[tuple[str, type[StoreError], str], ...]] = (
    ("SQLITE_READONLY_DBMOVED", StoreMissing, GONE),
    (
        "SQLITE_READONLY_DIRECTORY",
        StoreError,
        "this user may not write in its folder. Give the right, or move the store.",
    ),
    (
        "SQLITE_READONLY",
        StoreError,
        "this user may not write the file. Give the right, or move the store.",
    ),
    (
        "SQLITE_CANTOPEN",
        StoreError,
        "it cannot be opened. Check the rights on the file and its folder.",
    ),
    (
        "SQLITE_FULL",
        StoreError,
        "the disk is full; nothing was stored. Make room. Reads go on.",
    ),
    (
        "SQLITE_IOERR",
        StoreError,
        "the disk failed; nothing was stored. Check it, its free space and limits.",
    ),
    ("SQLITE_BUSY", StoreBusy, BUSY),
    ("SQLITE_LOCKED", StoreBusy, BUSY),
    # Only closing stops what somebody waits for.
    ("SQLITE_INTERRUPT", StoreError, CLOSED),
    ("SQLITE_CORRUPT", StoreCorrupt, CORRUPT),
    ("SQLITE_NOTADB", StoreForeign, FOREIGN),
)


class StoreFaults:
    """Turns what SQLite says about the file into an error that says what to do.

    A class, and used again and again: every statement goes through it.

    Args:
        path: the store.
    """

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Begin to listen."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Raise what the error means.

        Raises:
            StoreError: in place of an `OSError`, or of a `sqlite3.Error` about the
                file; one about the statement, such as a broken constraint, is let
                through.
        """
        if error is not None and (meant := _meaning(error, self._path)) is not None:
            raise meant from error


def store_faults(path: Path) -> StoreFaults:
    """Listen for what SQLite says about a file; see `StoreFaults`.

    Args:
        path: the store.

    Returns:
        A context.
    """
    return StoreFaults(path)


def _meaning(error: BaseException, path: Path) -> StoreError | None:
    if isinstance(error, sqlite3.Error):
        # Errors of the sqlite3 module itself carry no name.
        name = getattr(error, "sqlite_errorname", "")
        for prefix, kind, problem in _KINDS:
            if name.startswith(prefix):
                return kind(path, problem)
    elif isinstance(error, OSError):
        place = error.filename or path.parent
        problem = f"{place}: {error.strerror}. Check the rights and the free space."
        return StoreError(path, problem)
    return None
