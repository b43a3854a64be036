"""What every store does; a new kind of store is one more line in STORES."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from abilities_host.errors import StoreBusy, StoreError, StoreNewer
from abilities_host.storage import Migration, Statement, Store, Transaction
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.storage.writer import GROUP, WAITING


class Kind(NamedTuple):
    """How one kind of store is opened, each time the same store."""

    open: Callable[[], AbstractAsyncContextManager[Store]]
    integrity_error: type[Exception]
    waiting: int  # works at once
    group: int  # works in one transaction


STORES: dict[str, Callable[[Path], Kind]] = {
    "sqlite": lambda folder: Kind(
        partial(open_sqlite, folder / "store.db"),
        sqlite3.IntegrityError,
        WAITING,
        GROUP,
    ),
}

NOTES = Migration("0001-notes", ("CREATE TABLE note (id INTEGER PRIMARY KEY, t TEXT)",))
TAGS = Migration("0002-tags", ("CREATE TABLE tag (name TEXT PRIMARY KEY)",))
ADD = "INSERT INTO note (id, t) VALUES (:id, :t)"
IDS = "SELECT id FROM note ORDER BY id"
LAST = "SELECT coalesce(max(id), 0) FROM note"


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> Kind:
    return STORES[request.param](tmp_path)


def note(id_: int, text: str = "") -> Statement:
    return Statement(ADD, {"id": id_, "t": text})


def adding(id_: int, text: str = "") -> Callable[[Transaction], None]:
    return lambda changing: add(changing, id_, text)


def add(changing: Transaction, id_: int, text: str = "") -> None:
    changing.execute(ADD, {"id": id_, "t": text})


def add_next(changing: Transaction) -> int:
    """Read the head and add to it, as a chain does."""
    [(last,)] = changing.execute(LAST)
    add(changing, last + 1)
    return int(last) + 1


@asynccontextmanager
async def writer_held(store: Store) -> AsyncIterator[None]:
    """Keep the writer at work: what is asked for inside waits until the end."""
    begun, go_on = threading.Event(), threading.Event()

    def hold(_: Transaction) -> bool:
        begun.set()
        return go_on.wait(30)

    task = asyncio.create_task(store.transact(hold))
    assert await asyncio.to_thread(begun.wait, 30)
    try:
        yield
    finally:
        go_on.set()
        assert await task


async def started(*coroutines: Coroutine[Any, Any, Any]) -> list[asyncio.Task[Any]]:
    """Begin each, in this order, as far as it comes without waiting."""
    tasks = [asyncio.create_task(each) for each in coroutines]
    await asyncio.sleep(0)
    return tasks


async def test_what_was_written_is_read_and_stays(kind: Kind) -> None:
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        await store.write([note(1, "é'\0"), note(2)])
    async with kind.open() as store:
        rows = await store.read("SELECT * FROM note WHERE id < :id", {"id": 2})

    assert rows == [(1, "é'\0")]


async def test_each_statement_says_how_many_rows_it_changed(kind: Kind) -> None:
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        counts = await store.write(
            [
                note(1),
                note(2),
                Statement("UPDATE note SET t = 'x'"),
                Statement("DELETE FROM note WHERE id = 9"),
            ],
            bump=True,
        )

    assert counts == [1, 1, 2, 0]


async def test_a_failed_statement_leaves_nothing_of_its_transaction(kind: Kind) -> None:
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        before = store.generation()
        with pytest.raises(kind.integrity_error):
            await store.write([note(1), note(1)], bump=True)
        await store.write([note(2)])

        assert (await store.read(IDS), store.generation()) == ([(2,)], before)


async def test_a_bump_is_seen_by_others_before_the_write_returns(kind: Kind) -> None:
    async with kind.open() as here, kind.open() as there:
        await here.migrate("notes", [NOTES])
        before = there.generation()
        await here.write([note(1)])
        quiet = there.generation()
        await here.write([note(2)], bump=True)
        await there.write([], bump=True)

        seen = (quiet - before, there.generation() - before, here.generation() - before)
        assert seen == (0, 2, 2)


async def test_what_others_wrote_is_read_at_once(kind: Kind) -> None:
    async with kind.open() as here, kind.open() as there:
        await here.migrate("notes", [NOTES])
        for id_ in range(20):
            await (here, there)[id_ % 2].write([note(id_)])
            rows = await (there, here)[id_ % 2].read(IDS)

            assert rows == [(each,) for each in range(id_ + 1)]


async def test_writers_at_once_lose_nothing(kind: Kind) -> None:
    async with kind.open() as here, kind.open() as there:
        await here.migrate("notes", [NOTES])
        every = [(here, there)[id_ % 2].write([note(id_)]) for id_ in range(100)]
        await asyncio.gather(*every)

        assert await here.read(IDS) == [(id_,) for id_ in range(100)]


async def test_a_work_gives_its_answer_to_its_caller(kind: Kind) -> None:
    def work(changing: Transaction) -> tuple[Any, ...]:
        changing.execute_many(ADD, [{"id": id_, "t": "x"} for id_ in range(3)])
        many = changing.changes()
        changing.execute("UPDATE note SET t = 'y' WHERE id > :id", {"id": 0})
        updated = changing.changes()
        rows = changing.execute("SELECT id, t FROM note ORDER BY id")
        return many, updated, rows, changing.changes()

    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        answer = await store.transact(work)

    assert answer == (3, 2, [(0, "x"), (1, "y"), (2, "y")], 0)


async def test_works_read_what_they_build_on_inside_their_transaction(
    kind: Kind,
) -> None:
    async with kind.open() as here, kind.open() as there:
        await here.migrate("notes", [NOTES])
        every = [(here, there)[n % 2].transact(add_next) for n in range(200)]
        numbers = await asyncio.gather(*every)

        assert sorted(numbers) == list(range(1, 201))
        assert await there.read(IDS) == [(n,) for n in range(1, 201)]


async def test_works_that_wait_are_done_in_their_order(kind: Kind) -> None:
    count = kind.group + 10
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        async with writer_held(store):
            tasks = await started(*(store.transact(add_next) for _ in range(count)))

        assert await asyncio.gather(*tasks) == list(range(1, count + 1))


@pytest.mark.parametrize("together", [False, True])
async def test_an_error_undoes_its_own_work_and_reaches_its_caller_only(
    kind: Kind, *, together: bool
) -> None:
    own = ValueError("mine")

    def fail(changing: Transaction) -> None:
        add(changing, 7)
        raise own

    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        works = (adding(1), fail, adding(2), lambda changing: add(changing, 1))
        async with writer_held(store) if together else nullcontext():
            tasks = await started(*(store.transact(work) for work in works))
        answers = await asyncio.gather(*tasks, return_exceptions=True)

        assert [answers[0], answers[2]] == [None, None]
        assert answers[1] is own
        assert isinstance(answers[3], kind.integrity_error)
        assert await store.read(IDS) == [(1,), (2,)]


async def test_works_of_one_transaction_leave_each_other_notes(kind: Kind) -> None:
    """Nobody has to read the last row again, and no note outlives what it speaks of."""

    def add_next_by_note(changing: Transaction, *, fails: bool = False) -> int:
        last = changing.memo.get("last")
        if last is None:
            [(last,)] = changing.execute(LAST)
        add(changing, last + 1)
        changing.memo["last"] = last + 1
        if fails:
            raise LookupError
        return int(last) + 1

    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        works = [partial(add_next_by_note, fails=n in (3, 4)) for n in range(8)]
        async with writer_held(store):
            tasks = [asyncio.create_task(store.transact(work)) for work in works]
            await asyncio.sleep(0)
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        rows = await store.read(IDS)
        alone = await store.transact(add_next_by_note)

    assert [type(each) for each in ended] == [
        LookupError if n in (3, 4) else int for n in range(8)
    ]
    assert rows == [(n,) for n in range(1, 7)]
    assert alone == 7


async def test_a_work_for_many_gives_each_the_answer_to_his_own_item(
    kind: Kind,
) -> None:
    runs: list[list[int]] = []

    def work(changing: Transaction, items: Sequence[int]) -> list[str]:
        runs.append([*items])
        changing.insert("note", ("id", "t"), [(item, str(item)) for item in items])
        return [f"{item} of {changing.changes()}" for item in items]

    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        async with writer_held(store):
            tasks = await started(*(store.combine(work, n) for n in range(40)))
        answers = await asyncio.gather(*tasks)
        rows = await store.read("SELECT id, t FROM note ORDER BY id")

    assert answers == [f"{n} of 40" for n in range(40)]
    assert rows == [(n, str(n)) for n in range(40)]
    assert runs == [[*range(40)]]


async def test_a_work_for_many_stays_in_its_place_among_others(kind: Kind) -> None:
    def all_here(changing: Transaction, items: Sequence[int]) -> list[Any]:
        changing.insert("note", ("id", "t"), [(item, "") for item in items])
        return [changing.execute(IDS) for _ in items]

    def last_here(changing: Transaction, items: Sequence[int]) -> list[Any]:
        return all_here(changing, items)

    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        async with writer_held(store):
            tasks = await started(
                store.combine(all_here, 1),
                store.combine(all_here, 2),
                store.transact(adding(3)),
                store.combine(all_here, 4),
                store.combine(last_here, 5),
            )
        answers = await asyncio.gather(*tasks)

    seen = [answer and [id_ for (id_,) in answer] for answer in answers]
    assert seen == [[1, 2], [1, 2], None, [1, 2, 3, 4], [1, 2, 3, 4, 5]]


async def test_who_makes_a_work_for_many_fail_fails_alone(kind: Kind) -> None:
    def work(changing: Transaction, items: Sequence[int]) -> list[int]:
        for item in items:
            add(changing, item)
            if item == 2:
                raise LookupError(item)
        return [*items]

    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        async with writer_held(store):
            tasks = await started(*(store.combine(work, n) for n in (1, 2, 3, 3)))
        answers = await asyncio.gather(*tasks, return_exceptions=True)

        assert await store.read(IDS) == [(1,), (3,)]
    assert [answers[0], answers[2]] == [1, 3]
    assert isinstance(answers[1], LookupError)
    assert isinstance(answers[3], kind.integrity_error)


async def test_a_work_that_survives_an_error_of_its_own_is_stored(kind: Kind) -> None:
    def work(changing: Transaction) -> str:
        add(changing, 1)
        with pytest.raises(kind.integrity_error):
            add(changing, 1)
        add(changing, 2)
        return "both"

    async with kind.open() as store:
        await store.migrate("notes", [NOTES])

        assert await store.transact(work) == "both"
        assert await store.read(IDS) == [(1,), (2,)]


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(
    "signal", [StopIteration, KeyboardInterrupt, SystemExit, asyncio.CancelledError]
)
async def test_a_work_cannot_stop_the_loop(
    kind: Kind, signal: type[BaseException], *, together: bool
) -> None:
    def work(changing: Transaction) -> None:
        add(changing, 1)
        raise signal

    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        async with writer_held(store) if together else nullcontext():
            tasks = await started(store.transact(work), store.transact(adding(2)))
        answers = await asyncio.gather(*tasks, return_exceptions=True)

        assert repr(answers[0]) == f"RuntimeError('a work raised {signal.__name__}')"
        assert await store.read(IDS) == [(2,)]


@pytest.mark.parametrize("together", [False, True])
async def test_a_bump_counts_only_if_its_work_is_stored(
    kind: Kind, *, together: bool
) -> None:
    def fail(changing: Transaction) -> None:
        raise ValueError

    async with kind.open() as here, kind.open() as there:
        await here.migrate("notes", [NOTES])
        before = there.generation()
        async with writer_held(here) if together else nullcontext():
            tasks = await started(
                here.transact(fail, bump=True), here.transact(adding(1))
            )
        await asyncio.gather(*tasks, return_exceptions=True)
        after_failure = there.generation()
        async with writer_held(here) if together else nullcontext():
            tasks = await started(
                here.transact(adding(2), bump=True), here.transact(adding(3))
            )
        await asyncio.gather(*tasks)

        assert (after_failure, there.generation()) == (before, before + 1)


async def test_a_transaction_is_of_no_use_after_its_work(kind: Kind) -> None:
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        kept = await store.transact(lambda changing: changing)
        for use in (
            lambda changing: kept.execute(ADD, {"id": 1, "t": ""}),
            lambda changing: kept.execute_many(ADD, [{"id": 1, "t": ""}]),
            lambda changing: kept.insert("note", ("id", "t"), [(1, "")]),
        ):
            with pytest.raises(StoreError, match="after its work had ended"):
                await store.transact(use)

        assert await store.read(IDS) == []


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(
    "control", ["COMMIT", " rollback", "BEGIN", "\nsavepoint a", "VACUUM", "End"]
)
async def test_a_work_cannot_end_the_transaction_it_shares(
    kind: Kind, control: str, *, together: bool
) -> None:
    def work(changing: Transaction) -> None:
        add(changing, 1)
        changing.execute(control)

    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        async with writer_held(store) if together else nullcontext():
            tasks = await started(store.transact(work), store.transact(adding(2)))
        answers = await asyncio.gather(*tasks, return_exceptions=True)

        assert f"may not {control.strip().upper().split()[0]}" in str(answers[0])
        assert await store.read(IDS) == [(2,)]


async def test_a_read_waits_for_no_writer(kind: Kind) -> None:
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        async with writer_held(store):
            assert await store.read(IDS) == []


async def test_a_caller_who_leaves_while_waiting_leaves_nothing(kind: Kind) -> None:
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        async with writer_held(store):
            tasks = await started(*(store.transact(adding(n)) for n in range(5)))
            tasks[2].cancel()
        await asyncio.wait(tasks)

        assert await store.read(IDS) == [(0,), (1,), (3,), (4,)]


async def test_a_caller_who_leaves_meanwhile_may_find_it_stored(kind: Kind) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(changing: Transaction) -> None:
        add(changing, 1)
        begun.set()
        go_on.wait(30)

    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        task = asyncio.create_task(store.transact(work))
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        await asyncio.wait([task])
        go_on.set()
        await store.write([note(2)])

        assert (task.cancelled(), await store.read(IDS)) == (True, [(1,), (2,)])


async def test_more_than_may_wait_are_refused_and_the_rest_is_stored(
    kind: Kind,
) -> None:
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        async with writer_held(store):
            tasks = await started(
                *(store.transact(adding(n)) for n in range(kind.waiting + 1))
            )
        answers = await asyncio.gather(*tasks, return_exceptions=True)

        assert answers[: kind.waiting - 1] == [None] * (kind.waiting - 1)
        assert [type(each) for each in answers[kind.waiting - 1 :]] == [StoreBusy] * 2
        assert await store.read("SELECT count(*) FROM note") == [(kind.waiting - 1,)]


async def test_what_waits_when_a_store_is_closed_is_stored_before(kind: Kind) -> None:
    count = 2 * kind.group
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        tasks = await started(*(store.transact(adding(n)) for n in range(count)))
    await asyncio.gather(*tasks)
    with pytest.raises(StoreError, match="has closed it"):
        await store.transact(adding(count))

    async with kind.open() as store:
        assert await store.read("SELECT count(*) FROM note") == [(count,)]


async def test_migrations_run_once_in_their_order(kind: Kind) -> None:
    tagged = Migration("0003-tagged", ("INSERT INTO tag (name) VALUES ('x')",))
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        await store.write([note(1)])
    async with kind.open() as store:
        for _ in range(2):
            await store.migrate("notes", [NOTES, TAGS, tagged])

        rows = await store.read("SELECT id FROM note UNION ALL SELECT name FROM tag")
        assert rows == [(1,), ("x",)]


async def test_owners_migrate_apart(kind: Kind) -> None:
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        await store.migrate("tags", [Migration(NOTES.name, TAGS.statements)])

        assert await store.read("SELECT name FROM tag") == []


async def test_what_a_newer_version_made_is_refused(kind: Kind) -> None:
    async with kind.open() as store:
        await store.migrate("notes", [NOTES, TAGS])

        with pytest.raises(
            StoreNewer, match=r"'notes' wrote it \(migrations 0002-tags"
        ):
            await store.migrate("notes", [NOTES])


@pytest.mark.parametrize(
    ("declared", "sentence"),
    [
        ([TAGS, NOTES], "'notes' changed the order .* after '0001-notes'"),
        ([NOTES, NOTES], "'notes' declares one migration name twice"),
    ],
)
async def test_migrations_declared_wrongly_are_refused(
    kind: Kind, declared: list[Migration], sentence: str
) -> None:
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])

        with pytest.raises(StoreError, match=sentence):
            await store.migrate("notes", declared)


@pytest.mark.parametrize("broken", ["NOT SQL", "SELECT 1; SELECT 2"])
async def test_a_migration_that_fails_changes_nothing(kind: Kind, broken: str) -> None:
    bad = Migration("0002-bad", ("DROP TABLE note", broken))
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        with pytest.raises(StoreError, match="'0002-bad' of 'notes' failed"):
            await store.migrate("notes", [NOTES, TAGS, bad])

        await store.migrate("notes", [NOTES, TAGS])
        assert await store.read("SELECT * FROM note, tag") == []


async def test_a_reader_cannot_write(kind: Kind) -> None:
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        with pytest.raises(StoreError):
            await store.read(ADD, {"id": 1, "t": ""})

        assert await store.read(IDS) == []


async def test_a_closed_store_says_so(kind: Kind) -> None:
    async with kind.open() as store:
        pass

    with pytest.raises(StoreError, match="has closed it"):
        await store.read("SELECT 1")
    with pytest.raises(StoreError, match="has closed it"):
        await store.write([])
    with pytest.raises(StoreError, match="has closed it"):
        store.generation()
