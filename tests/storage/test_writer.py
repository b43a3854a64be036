"""The writer of the SQLite store: groups, and what goes wrong in them."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from abilities_host.errors import StoreBusy, StoreError
from abilities_host.filelock import FileLock
from abilities_host.storage import Migration, Transaction
from abilities_host.storage.connection import connected
from abilities_host.storage.group import Ending, Work
from abilities_host.storage.sqlite import SqliteStore, open_sqlite
from abilities_host.storage.writer import Writer, opened_writer

NOTES = Migration(
    "0001-notes",
    (
        "CREATE TABLE note (id INTEGER PRIMARY KEY)",
        """
        CREATE TABLE reply (
            to_note INTEGER REFERENCES note (id) DEFERRABLE INITIALLY DEFERRED
        )
        """,
    ),
)
ADD = "INSERT INTO note VALUES (:id)"
ADD_OR_ROLLBACK = "INSERT OR ROLLBACK INTO note VALUES (:id)"
IDS = "SELECT id FROM note ORDER BY id"


def adding(id_: int, sql: str = ADD) -> Callable[[Transaction], None]:
    def work(changing: Transaction) -> None:
        changing.execute(sql, {"id": id_})

    return work


@asynccontextmanager
async def held(writer: SqliteStore | Writer) -> AsyncIterator["asyncio.Task[bool]"]:
    """Keep the writer at work: what is asked for inside waits until the end."""
    begun, go_on = threading.Event(), threading.Event()

    def hold(_: Transaction) -> bool:
        begun.set()
        return go_on.wait(30)

    task = asyncio.create_task(
        writer.submit(Work(hold))
        if isinstance(writer, Writer)
        else writer.transact(hold)
    )
    assert await asyncio.to_thread(begun.wait, 30)
    try:
        yield task
    finally:
        go_on.set()
        await asyncio.wait([task])


async def started(*coroutines: Coroutine[Any, Any, Any]) -> list[asyncio.Task[Any]]:
    tasks = [asyncio.create_task(each) for each in coroutines]
    await asyncio.sleep(0)
    return tasks


async def grouped(
    store: SqliteStore, works: Sequence[Callable[[Transaction], Any]]
) -> list[Any]:
    """Have works committed as one group; give their answers and errors."""
    async with held(store):
        tasks = await started(*(store.transact(work) for work in works))
    return await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with open_sqlite(tmp_path / "store.db", busy_seconds=0.05) as opened:
        await opened.migrate("notes", [NOTES])
        yield opened


async def test_works_that_wait_are_one_transaction(store: SqliteStore) -> None:
    before = store.path.with_name("store.db-wal").stat().st_size
    await grouped(store, [adding(n) for n in range(100)])
    grown = store.path.with_name("store.db-wal").stat().st_size - before

    # A transaction of its own would write each of them a page of 4 KiB.
    assert grown < 10 * 4200


async def test_works_that_come_turn_by_turn_are_one_transaction(
    store: SqliteStore,
) -> None:
    async def come(turns: int) -> None:
        for _ in range(turns):
            await asyncio.sleep(0)
        await store.transact(adding(turns))

    before = store.path.with_name("store.db-wal").stat().st_size
    await asyncio.gather(*(come(turns) for turns in range(4)))
    grown = store.path.with_name("store.db-wal").stat().st_size - before

    assert await store.read(IDS) == [(0,), (1,), (2,), (3,)]
    assert grown < 2 * 4200


async def test_a_work_that_undoes_all_takes_no_other_with_it(
    store: SqliteStore,
) -> None:
    works = [adding(1), adding(2), adding(2, ADD_OR_ROLLBACK), adding(3)]
    answers = await grouped(store, works)

    assert [type(each) for each in answers] == [
        *[type(None)] * 2,
        sqlite3.IntegrityError,
        type(None),
    ]
    assert await store.read(IDS) == [(1,), (2,), (3,)]


@pytest.mark.parametrize("goes_on", [False, True])
async def test_a_work_that_passes_over_its_undoing_is_told(
    store: SqliteStore, *, goes_on: bool
) -> None:
    def work(changing: Transaction) -> None:
        adding(2)(changing)
        with pytest.raises(sqlite3.IntegrityError):
            adding(2, ADD_OR_ROLLBACK)(changing)
        if goes_on:
            adding(4)(changing)

    answers = await grouped(store, [adding(1), work, adding(3)])

    assert isinstance(answers.pop(1), StoreError if goes_on else sqlite3.Error)
    assert (answers, await store.read(IDS)) == ([None, None], [(1,), (3,)])


async def test_a_rule_that_is_looked_at_last_stops_its_breaker_only(
    store: SqliteStore,
) -> None:
    def orphan(changing: Transaction) -> None:
        changing.execute("INSERT INTO reply VALUES (99)")

    answers = await grouped(store, [adding(1), orphan, adding(2)])

    assert [type(each).__name__ for each in answers] == [
        "NoneType",
        "IntegrityError",
        "NoneType",
    ]
    assert await store.read("SELECT * FROM note, reply") == []
    assert await store.read(IDS) == [(1,), (2,)]


async def test_all_who_wait_for_a_held_lock_are_refused_each_for_himself(
    store: SqliteStore,
) -> None:
    lock = FileLock(store.path.with_name("store.db-lock"))
    async with held(store):
        tasks = await started(*(store.transact(adding(n)) for n in range(5)))
        await asyncio.to_thread(steal, lock)
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    lock.release()
    await store.transact(adding(9))

    check_own_errors(answers)
    assert await store.read(IDS) == [(9,)]


def steal(lock: FileLock) -> None:
    """Let the lock's file be another one, and hold that."""
    lock.path.unlink()
    assert lock.try_acquire()


async def test_all_are_refused_while_another_program_writes(
    store: SqliteStore,
) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as program:
        tasks = await started(*(store.transact(adding(n)) for n in range(6)))
        program.execute("BEGIN IMMEDIATE")
        answers = await asyncio.gather(*tasks, return_exceptions=True)
    await store.transact(adding(9))

    refused = [each for each in answers if each is not None]
    check_own_errors(refused[-5:])
    assert len(await store.read(IDS)) == 1 + answers.count(None)


def check_own_errors(errors: Sequence[object]) -> None:
    assert [type(each) for each in errors] == [StoreBusy] * 5
    assert len({id(each) for each in errors}) == 5
    causes = {id(each.__cause__) for each in errors if isinstance(each, BaseException)}
    assert len(causes) == 1


async def test_nobody_waits_for_a_writer_that_was_ended(store: SqliteStore) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(changing: Transaction) -> str:
        begun.set()
        go_on.wait(30)
        adding(1)(changing)
        return "stored"

    async with held(store):
        group = await started(store.transact(slow), store.transact(adding(2)))
    await asyncio.to_thread(begun.wait, 30)
    waiting = await started(store.transact(adding(3)))
    [task] = [task for task in asyncio.all_tasks() if task.get_name() == "store-writer"]
    task.cancel()
    await asyncio.wait([task])
    with pytest.raises(StoreError, match="has closed it"):
        await waiting[0]
    go_on.set()

    assert await asyncio.gather(*group) == ["stored", None]
    assert await store.read(IDS) == [(1,), (2,)]
    with pytest.raises(StoreError, match="has closed it"):
        await store.transact(adding(4))


async def test_who_leaves_behind_one_that_left_leaves_nothing(
    store: SqliteStore,
) -> None:
    async with held(store) as first:
        first.cancel()
        await asyncio.wait([first])
        [second] = await started(store.transact(adding(1)))
        second.cancel()
        await asyncio.wait([second])
    await store.transact(adding(2))

    assert await store.read(IDS) == [(2,)]


def commit_nothing(
    works: Sequence[Work], connection: sqlite3.Connection
) -> list[Ending]:
    return [Ending(work.function(Nothing())) for work in works]


class Nothing:
    """A transaction in which nothing can be done."""

    def __init__(self) -> None:
        self.memo: dict[str, Any] = {}

    def execute(self, sql: str, parameters: object = None) -> list[tuple[Any, ...]]:
        return []

    def execute_many(self, sql: str, parameters: object) -> None: ...

    def changes(self) -> int:
        return 0


async def test_a_connection_closed_beneath_is_an_error_for_each(
    store: SqliteStore,
) -> None:
    async with (
        connected(store.path, "rw", seconds=1) as connection,
        opened_writer(store.path, connection, commit_nothing) as writer,
    ):
        await connection.close()
        works = (writer.submit(Work(adding(n))) for n in range(3))
        async with asyncio.timeout(30):  # nobody is left waiting
            errors = await asyncio.gather(*works, return_exceptions=True)

    assert [type(each) for each in errors] == [StoreError] * 3
    # Closing and closed are two sentences of the driver.
    assert all("it cannot be written: " in str(each) for each in errors)
