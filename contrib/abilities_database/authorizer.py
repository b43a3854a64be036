"""Authorizer: what SQLite asks while it prepares a query, answered from lists."""

import sqlite3
from collections.abc import Collection
from typing import Final

from abilities_database.functions import FILE_FUNCTIONS, SAFE_FUNCTIONS
from abilities_database.identifiers import fold_identifier

_PLAIN: Final = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})
_FILES: Final = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
_INNER: Final = ("sqlite_", "pragma_")


class Authorizer:
    """Lets a query read tables that are shown, and nothing else happen.

    Args:
        tables: names that may be read, folded.
        taken: all names that stand for something in this SQLite, folded.

    Attributes:
        refused: what was refused first: a kind and a name; None so far.
    """

    def __init__(self, tables: Collection[str], taken: Collection[str]) -> None:
        self.refused: tuple[str, str] | None = None
        self._tables: Final = frozenset(tables)
        self._taken: Final = frozenset(taken)

    def __call__(
        self,
        action: int,
        first: str | None,
        second: str | None,
        database: str | None,
        source: str | None,  # noqa: ARG002 - SQLite says which view or trigger asks
    ) -> int:
        """Answer one question of SQLite.

        Args:
            action: what it would do.
            first: table or other subject.
            second: column, function or other detail.
            database: ``main``, ``temp`` or None.
            source: the view it comes from.

        Returns:
            SQLITE_OK or SQLITE_DENY.
        """
        kind, name = self._judge(action, first or "", second or "", database or "main")
        if not kind:
            return sqlite3.SQLITE_OK
        self.refused = self.refused or (kind, name)
        return sqlite3.SQLITE_DENY

    def _judge(
        self, action: int, first: str, second: str, database: str
    ) -> tuple[str, str]:
        if action in _PLAIN:
            return "", ""
        if action == sqlite3.SQLITE_READ:
            is_allowed = database == "main" and self._shows(first, second)
            return ("", "") if is_allowed else ("table", first)
        if action == sqlite3.SQLITE_FUNCTION:
            return _judge_function(second.lower())
        if action == sqlite3.SQLITE_PRAGMA and (first, second) == ("data_version", ""):
            return "", ""  # full-text tables ask it to see whether others wrote
        return ("file", "") if action in _FILES else ("write", "")

    def _shows(self, table: str, column: str) -> bool:
        """A name without a column may also be the query's own WITH."""
        name = fold_identifier(table)
        if name in self._tables:
            return True
        is_free = name not in self._taken and not name.startswith(_INNER)
        return is_free and not column


def _judge_function(name: str) -> tuple[str, str]:
    if name in SAFE_FUNCTIONS:
        return "", ""
    return ("file", name) if name in FILE_FUNCTIONS else ("function", name)
