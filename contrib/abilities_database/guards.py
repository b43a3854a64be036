"""Guards: functions of SQLite that could work for hours on one row, held to a measure.

SQLite looks up between steps only, and one call of a function is one step.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, Final

_WORK: Final = 50_000_000
"""Comparisons of two characters in one call; they take less than half a second."""

_PATTERN: Final = 200
"""Characters of a pattern of LIKE and GLOB."""

_DIGITS: Final = re.compile(r"\d{5}")
_COMPARING: Final = (("instr", 2), ("replace", 3))
_TRIMMING: Final = (("trim", 2), ("ltrim", 2), ("rtrim", 2))
_PRINTING: Final = ("printf", "format")


class Guards:
    """Takes the place of some functions, and lets SQLite itself do what they do.

    Args:
        inner: a connection without data, for the same thread.

    Attributes:
        refused: whether a call was too much work.
    """

    def __init__(self, inner: sqlite3.Connection) -> None:
        self.refused = False
        self._inner: Final = inner

    def install(self, connection: sqlite3.Connection) -> None:
        """Put them in place.

        Args:
            connection: where queries run.
        """
        connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, _PATTERN)
        for name, count in (*_COMPARING, *_TRIMMING):
            guard = partial(self._compare, name)
            connection.create_function(name, count, guard, deterministic=True)
        for name in _PRINTING:
            guard = partial(self._print, name)
            connection.create_function(name, -1, guard, deterministic=True)

    def _compare(self, name: str, *cells: Any) -> Any:
        self._refuse_if(_size(cells[0]) * _size(cells[1]) > _WORK)
        return self._call(name, cells)

    def _print(self, name: str, *cells: Any) -> Any:
        """A width or a precision can ask for any number of characters."""
        template = str(cells[0]) if cells else ""
        self._refuse_if("*" in template or bool(_DIGITS.search(template)))
        return self._call(name, cells)

    def _refuse_if(self, is_too_much: bool) -> None:  # noqa: FBT001 - an answer
        if is_too_much:
            self.refused = True
            raise OverflowError

    def _call(self, name: str, cells: tuple[Any, ...]) -> Any:
        marks = ", ".join("?" * len(cells))
        return self._inner.execute(f"SELECT {name}({marks})", cells).fetchone()[0]


@contextmanager
def guarding(connection: sqlite3.Connection) -> Iterator[Guards]:
    """Hold the functions of a connection to a measure.

    Args:
        connection: where a query will run, in this thread.

    Yields:
        The guards, which know whether they refused something.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as inner:
        guards = Guards(inner)
        guards.install(connection)
        yield guards


def _size(cell: Any) -> int:
    return len(cell) if isinstance(cell, str | bytes) else 32
