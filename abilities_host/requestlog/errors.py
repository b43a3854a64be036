"""Errors: why the log of requests cannot be used, and what to do."""

import sqlite3
from pathlib import Path
from typing import Final

from abilities_host.errors import AbilitiesError

NO_LOG: Final = (
    "it is damaged, or no log of requests. Move it away: a new one is made at once."
)
NEWER: Final = "a newer version of the host made it. Upgrade the host, or move it away."
UNSAFE: Final = "others may write it. Run: chmod go-w FILE"
_BUSY: Final = "another process holds it for longer than this one waits."
_READ_ONLY: Final = "this user may not write it. Give the right on it and its folder."
_KINDS: Final = (
    ("SQLITE_CORRUPT", NO_LOG),
    ("SQLITE_NOTADB", NO_LOG),
    ("SQLITE_FULL", "the disk is full. Make room."),
    ("SQLITE_IOERR", "the disk failed. Check it, its free space and limits."),
    ("SQLITE_READONLY", _READ_ONLY),
    ("SQLITE_CANTOPEN", _READ_ONLY),
    ("SQLITE_BUSY", _BUSY),
    ("SQLITE_LOCKED", _BUSY),
)


class RequestLogUnusable(AbilitiesError):
    """Raised when the file of the log cannot be written or read."""

    def __init__(self, path: Path, problem: str) -> None:
        self.path = path
        self.problem = problem
        super().__init__(f"Request log {path}: {problem}")


def unusable(path: Path, error: Exception) -> RequestLogUnusable:
    """Say what an error of the file means.

    Args:
        path: the file.
        error: from SQLite or the operating system.

    Returns:
        The error to tell.
    """
    if isinstance(error, RequestLogUnusable):
        return error
    if isinstance(error, OSError):
        return RequestLogUnusable(path, f"{error.strerror or type(error).__name__}.")
    # Errors of the sqlite3 module itself carry no name.
    name = getattr(error, "sqlite_errorname", "")
    for prefix, problem in _KINDS:
        if name.startswith(prefix):
            return RequestLogUnusable(path, problem)
    is_schema = isinstance(error, sqlite3.OperationalError)
    problem = NO_LOG if is_schema else f"{type(error).__name__}."
    return RequestLogUnusable(path, problem)
