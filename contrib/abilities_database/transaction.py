"""Transaction: one write of one call, open on the event loop while threads work."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from threading import Lock
from typing import Final, TypeVar

from abilities_database.connection import PATIENCE, is_busy, refusing, time_limit
from abilities_database.database import Database
from abilities_database.refusals import Busy
from abilities_host import State, run_in_thread

T = TypeVar("T")


class Transaction:
    """One write transaction; made by `open_transaction`.

    It is exclusive from its beginning, so what was read in it stays true until the
    end. Its steps run in threads, one at a time, and none outlives `end`.

    Args:
        database: what it changes.

    Attributes:
        database: likewise.
        states: target to state of the rows it is about to change, as it read them.
        is_committed: whether its changes are durable.
        is_over: whether it takes no more steps.
    """

    def __init__(self, database: Database) -> None:
        self.database: Final = database
        self.states: Final[dict[str, State]] = {}
        self.is_committed = False
        self.is_over = False
        self._seconds: Final[float] = database.settings.seconds
        self._step: Final = Lock()
        self._connection: sqlite3.Connection | None = None

    async def begin(self) -> None:
        """Wait for the lock of the file, and take it.

        Raises:
            AbilityFailed: when it cannot be had.
        """
        await run_in_thread(self._begin)

    async def do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run one step in a thread.

        Args:
            work: what to do; it is interrupted when its time is over.

        Returns:
            Its answer.

        Raises:
            AbilityFailed: instead of an sqlite3.Error.
        """
        return await run_in_thread(lambda: self._do(work))

    async def commit(self) -> None:
        """Make the changes durable.

        Raises:
            AbilityFailed: when they cannot be; nothing was changed.
        """
        committing = run_in_thread(self._commit)
        try:
            await asyncio.shield(committing)
        except asyncio.CancelledError:
            self.is_over = True
            await settle(committing)
            raise

    async def end(self) -> None:
        """Close it; what was not committed is undone."""
        self.is_over = True
        await settle(run_in_thread(self._close), self._interrupt)

    def _interrupt(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # it was closed just now
            if self._connection is not None:
                self._connection.interrupt()

    def _begin(self) -> None:
        with self._step, refusing(self._seconds):
            if self.is_over:  # the caller left before this thread came to run
                raise Busy
            self._connection = self.database.connect_writer()
            self._insist(self._connection, "BEGIN IMMEDIATE")
            self._connection.execute("PRAGMA defer_foreign_keys = ON")

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._step, refusing(self._seconds):
            connection = self._get()
            with time_limit(connection, self._seconds):
                return work(connection)

    def _commit(self) -> None:
        with self._step, refusing(self._seconds):
            self._insist(self._get(), "COMMIT")
            self.is_committed = True

    def _close(self) -> None:
        with self._step:
            if self._connection is not None:
                self._connection.close()

    def _get(self) -> sqlite3.Connection:
        """Outside a transaction every statement would be durable at once."""
        connection = self._connection
        if connection is None or self.is_over or not connection.in_transaction:
            raise Busy
        return connection

    def _insist(self, connection: sqlite3.Connection, sql: str) -> None:
        """SQLite's own waiting cannot be broken off, so it waits a little at a time."""
        deadline = time.monotonic() + self._seconds
        while True:
            try:
                connection.execute(sql)
            except sqlite3.OperationalError as error:
                if not is_busy(error) or time.monotonic() >= deadline or self.is_over:
                    raise
            else:
                return


_RUNNING: Final[ContextVar[Transaction | None]] = ContextVar(
    "abilities_database_transaction", default=None
)


@asynccontextmanager
async def open_transaction(database: Database) -> AsyncIterator[Transaction]:
    """Open a transaction for the running call.

    Args:
        database: what to change.

    Yields:
        The transaction; without a commit nothing of it stays.

    Raises:
        Busy: when others keep it from beginning for too long.
    """
    await _take_turn(database)
    transaction = Transaction(database)
    outer = _RUNNING.get()
    _RUNNING.set(transaction)
    try:
        await transaction.begin()
        yield transaction
    finally:
        _RUNNING.set(outer)
        try:
            await transaction.end()
        finally:
            database.turn.release()


def find_transaction(database: Database) -> Transaction | None:
    """Find the transaction that the running call has open.

    Args:
        database: what it would change.

    Returns:
        The transaction, or None.
    """
    transaction = _RUNNING.get()
    if transaction is None or transaction.database is not database:
        return None
    # A task that was started meanwhile still has it when it is long over.
    return None if transaction.is_over else transaction


async def settle(
    future: "asyncio.Future[T]", press: Callable[[], None] | None = None
) -> None:
    """Wait for a thread to the end, also when the caller goes away meanwhile.

    Args:
        future: the thread's; its error is left in it.
        press: asks what is in its way to end; called again and again, since an
            interrupt between two statements is lost.

    Raises:
        asyncio.CancelledError: at the end, when the caller was cancelled.
    """
    gone: asyncio.CancelledError | None = None
    while not future.done():
        try:
            if press is not None:
                press()
            await asyncio.wait([future], timeout=PATIENCE)
        except asyncio.CancelledError as error:
            gone = error
    future.exception()  # it was looked at
    if gone is not None:
        raise gone


async def _take_turn(database: Database) -> None:
    try:
        async with asyncio.timeout(database.settings.seconds):
            await database.turn.acquire()
    except TimeoutError:
        raise Busy from None
