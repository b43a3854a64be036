"""Works that are committed as one transaction, each undone by itself if it fails."""

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from abilities_host.errors import StoreError
from abilities_host.storage.base import NO_PARAMETERS
from abilities_host.storage.faults import StoreFaults, store_faults
from abilities_host.storage.inserting import insert_rows

_BEGIN: Final = "BEGIN IMMEDIATE"
_BUMP: Final = "UPDATE generation SET value = value + 1"
_CONTROL: Final = re.compile(
    r"\s*(BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|ATTACH|DETACH|VACUUM)\b",
    re.IGNORECASE,
)
_OVER: Final = "a transaction was used after its work had ended."
_UNDONE: Final = "a work went on after an error had undone its transaction."


ALONE: Final = object()
"""The item of a work that is done for one caller."""


class Work(NamedTuple):
    """What one caller wants done in a transaction.

    Attributes:
        function: see `Store.transact`; with an item, see `Store.combine`.
        bump: whether it counts the generation up.
        item: what it is done for, together with what others bring.
    """

    function: Callable[..., Any]
    bump: bool = False
    item: Any = ALONE


class Ending(NamedTuple):
    """How one work ended: what it returned, or why nothing of it is stored."""

    value: Any = None
    error: BaseException | None = None


_Run = Callable[
    [sqlite3.Connection, Path, Sequence[Work], dict[str, Any]], list[Ending]
]


class SqliteTransaction:
    """The transaction that is open on a connection, as one work sees it.

    Args:
        connection: with a transaction open.
        path: the store, for the errors.
        memo: what works of the transaction leave each other.
    """

    def __init__(
        self, connection: sqlite3.Connection, path: Path, memo: dict[str, Any]
    ) -> None:
        self.memo = memo
        self._connection: sqlite3.Connection | None = connection
        self._path = path
        self._faults = StoreFaults(path)
        self._changes = 0

    def execute(
        self, sql: str, parameters: Mapping[str, Any] = NO_PARAMETERS
    ) -> list[tuple[Any, ...]]:
        """Run one statement; see `Transaction.execute`."""
        connection = self._usable(sql)
        with self._faults:
            cursor = connection.execute(sql, parameters)
            rows = cursor.fetchall()
        self._changes = max(0, cursor.rowcount)
        return rows

    def execute_many(self, sql: str, parameters: Sequence[Mapping[str, Any]]) -> None:
        """Run one statement for each set of values; see `Transaction.execute_many`."""
        connection = self._usable(sql)
        with self._faults:
            cursor = connection.executemany(sql, parameters)
        self._changes = max(0, cursor.rowcount)

    def insert(
        self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> None:
        """Insert rows; see `Transaction.insert`."""
        connection = self._usable(table)
        with self._faults:
            insert_rows(connection, table, tuple(columns), rows)
        self._changes = len(rows)

    def changes(self) -> int:
        """Say how many rows the last statement changed."""
        return self._changes

    def end(self) -> None:
        """Refuse everything from now on."""
        self._connection = None

    def _usable(self, sql: str) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreError(self._path, _OVER)
        if not self._connection.in_transaction:
            raise StoreError(self._path, _UNDONE)
        if control := _control_of(sql):
            problem = f"a work may not {control}: its transaction is shared."
            raise StoreError(self._path, problem)
        return self._connection


@lru_cache(maxsize=1000)
def _control_of(sql: str) -> str:
    """Give the word with which a statement would end the transaction, or nothing."""
    control = _CONTROL.match(sql)
    return control[1].upper() if control else ""


class _GroupUndoneError(Exception):
    """Raised when one error has undone the works of others too."""


@contextmanager
def transaction(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Hold a transaction open; committed at the end, undone by any exception.

    Args:
        connection: the writer's, with no transaction open.
        path: the store, for the errors.

    Raises:
        StoreError: when it cannot be begun or committed; nothing is stored.
    """
    with store_faults(path):
        connection.execute(_BEGIN)
    with _finished(connection, path):
        yield


@contextmanager
def _finished(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    try:
        yield
        with store_faults(path):
            connection.execute("COMMIT")
    except BaseException:
        # Some errors, such as a full disk, have rolled it back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def commit_group(
    connection: sqlite3.Connection, path: Path, works: Sequence[Work]
) -> list[Ending]:
    """Commit works as one transaction or, if that is undone, each by itself.

    Args:
        connection: the writer's, with no transaction open.
        path: the store, for the errors.
        works: at least one, in their order.

    Returns:
        How each ended; those without an error are durable.

    Raises:
        sqlite3.Error: when no transaction could be begun; nothing is stored.
    """
    if len(works) > 1:
        # A savepoint for each work costs more than most works, and few ever fail.
        for run in (_run_bare, _run_parts):
            with suppress(_GroupUndoneError):
                return _commit_together(connection, path, works, run)
    return _commit_each(connection, path, works)


def _commit_together(
    connection: sqlite3.Connection, path: Path, works: Sequence[Work], run: _Run
) -> list[Ending]:
    connection.execute(_BEGIN)
    try:
        with _finished(connection, path):
            return run(connection, path, works, {})
    except Exception as error:
        raise _GroupUndoneError from error


def _run_bare(
    connection: sqlite3.Connection,
    path: Path,
    works: Sequence[Work],
    memo: dict[str, Any],
) -> list[Ending]:
    endings: list[Ending] = []
    try:
        for _, group in groupby(enumerate(works), _combined):
            same = [work for _, work in group]
            endings += map(Ending, _run(connection, path, same, memo))
    except BaseException as error:
        raise _GroupUndoneError from error
    return endings


def _combined(numbered: tuple[int, Work]) -> object:
    """Give what works that follow each other have in common if they are one."""
    number, work = numbered
    return number if work.item is ALONE else work.function


def _run_parts(
    connection: sqlite3.Connection,
    path: Path,
    works: Sequence[Work],
    memo: dict[str, Any],
) -> list[Ending]:
    return [_run_part(connection, path, work, memo) for work in works]


def _run_part(
    connection: sqlite3.Connection, path: Path, work: Work, memo: dict[str, Any]
) -> Ending:
    connection.execute("SAVEPOINT part")
    try:
        [value] = _run(connection, path, [work], memo)
    except BaseException as error:
        memo.clear()  # it may speak of what is undone now
        # Some errors, such as a full disk, have rolled everything back.
        if not connection.in_transaction:
            raise _GroupUndoneError from error
        connection.execute("ROLLBACK TO part")
        connection.execute("RELEASE part")
        return Ending(error=error)
    connection.execute("RELEASE part")
    return Ending(value)


def _commit_each(
    connection: sqlite3.Connection, path: Path, works: Sequence[Work]
) -> list[Ending]:
    endings: list[Ending] = []
    for work in works:
        try:
            with store_faults(path):
                connection.execute(_BEGIN)
        except (StoreError, sqlite3.Error) as error:
            # Each of the others would wait as long again.
            return [*endings, *refuse(error, path, len(works) - len(endings))]
        endings.append(_commit_one(connection, path, work))
    return endings


def _commit_one(connection: sqlite3.Connection, path: Path, work: Work) -> Ending:
    try:
        with _finished(connection, path):
            [value] = _run(connection, path, [work], {})
            return Ending(value)
    except BaseException as error:  # noqa: BLE001 - it belongs to the one who waits
        return Ending(error=error)


def refuse(error: Exception, path: Path, count: int) -> list[Ending]:
    """Tell several callers of one error, each with an exception object of its own.

    One object for all would collect the tracebacks of all.

    Args:
        error: why nothing of theirs is stored.
        path: the store.
        count: how many they are.

    Returns:
        An ending for each.
    """
    kind, problem = StoreError, f"it failed inside: {error}."
    if isinstance(error, StoreError):
        kind, problem = type(error), error.problem
    errors = [kind(path, problem) for _ in range(count)]
    for each in errors:
        each.__cause__ = error.__cause__ or error
    return [Ending(error=each) for each in errors]


def _run(
    connection: sqlite3.Connection,
    path: Path,
    works: Sequence[Work],
    memo: dict[str, Any],
) -> Sequence[Any]:
    """Run one work, or several that are the same; give an answer for each."""
    view = SqliteTransaction(connection, path, memo)
    function, bump, item = works[0]
    try:
        if item is ALONE:
            answers = [function(view)]
        else:
            answers = function(view, [work.item for work in works])
        if bump:
            view.execute(_BUMP)
    finally:
        view.end()
    return answers
