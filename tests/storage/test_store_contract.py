"""What every store does; a new kind of store is one more line in STORES."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from abilities_host.errors import StoreError, StoreNewer
from abilities_host.storage.base import Statement, Store
from abilities_host.storage.migrations import Migration
from abilities_host.storage.sqlite import open_sqlite


class Kind(NamedTuple):
    """How one kind of store is opened, each time the same store."""

    open: Callable[[], AbstractAsyncContextManager[Store]]
    integrity_error: type[Exception]


STORES: dict[str, Callable[[Path], Kind]] = {
    "sqlite": lambda folder: Kind(
        partial(open_sqlite, folder / "store.db"), sqlite3.IntegrityError
    ),
}

NOTES = Migration("0001-notes", ("CREATE TABLE note (id INTEGER PRIMARY KEY, t TEXT)",))
TAGS = Migration("0002-tags", ("CREATE TABLE tag (name TEXT PRIMARY KEY)",))
ADD = "INSERT INTO note (id, t) VALUES (:id, :t)"
IDS = "SELECT id FROM note ORDER BY id"


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> Kind:
    return STORES[request.param](tmp_path)


def note(id_: int, text: str = "") -> Statement:
    return Statement(ADD, {"id": id_, "t": text})


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


async def test_a_cancelled_writer_leaves_the_store_working(kind: Kind) -> None:
    async with kind.open() as store:
        await store.migrate("notes", [NOTES])
        task = asyncio.create_task(store.write([note(1)]))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        await store.write([note(2)])

        assert (await store.read(IDS))[-1] == (2,)


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
