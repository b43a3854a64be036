"""What SQLite's error codes mean for somebody who runs a host."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
CORRUPT: Final = (
    "it is damaged. Stop every host, keep a copy of the file, and put the newest good "
    "copy from backups/ beside it in its place."
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
    ("SQLITE_CORRUPT", StoreCorrupt, CORRUPT),
    ("SQLITE_NOTADB", StoreForeign, FOREIGN),
)


@contextmanager
def store_faults(path: Path) -> Iterator[None]:
    """Turn what SQLite says about the file into an error that says what to do.

    Args:
        path: the store.

    Raises:
        StoreError: in place of an `OSError`, or of a `sqlite3.Error` about the file;
            one about the statement, such as a broken constraint, is let through.
    """
    try:
        yield
    except sqlite3.Error as error:
        # Errors of the sqlite3 module itself carry no name.
        name = getattr(error, "sqlite_errorname", "")
        for prefix, kind, problem in _KINDS:
            if name.startswith(prefix):
                raise kind(path, problem) from error
        raise
    except OSError as error:
        place = error.filename or path.parent
        problem = f"{place}: {error.strerror}. Check the rights and the free space."
        raise StoreError(path, problem) from error
