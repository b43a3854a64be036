"""A store that cannot be written any more is still read, and recovers."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from abilities_host.errors import StoreError
from abilities_host.storage import Migration, Statement, Transaction
from abilities_host.storage.sqlite import SqliteStore, open_sqlite

ROWS = Migration("0001-rows", ("CREATE TABLE row (id INTEGER PRIMARY KEY, data BLOB)",))
ADD = "INSERT INTO row (id, data) VALUES (:id, zeroblob(:size))"
IDS = "SELECT id FROM row ORDER BY id"
SMALL, LARGE = 10, 100_000


def row(id_: int, size: int = SMALL) -> Statement:
    return Statement(ADD, {"id": id_, "size": size})


def adding(id_: int, size: int = SMALL) -> Callable[[Transaction], str]:
    def work(changing: Transaction) -> str:
        changing.execute(*row(id_, size))
        return "stored"

    return work


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with open_sqlite(tmp_path / "store.db") as opened:
        await opened.migrate("rows", [ROWS])
        await opened.write([row(0)])
        yield opened


async def limit_pages(store: SqliteStore, extra: int) -> None:
    """Let the file grow by so many pages only, as a small disk would."""
    [(count,)] = await store.read("PRAGMA page_count")
    sql = f"PRAGMA max_page_count={count + extra}"
    await store.transact(lambda changing: changing.execute(sql))


async def test_on_a_full_disk_reads_go_on_until_there_is_room_again(
    store: SqliteStore,
) -> None:
    await limit_pages(store, 2)
    with pytest.raises(StoreError, match="the disk is full; nothing was stored"):
        await store.write([row(1), row(2, LARGE)])
    while_full = await store.read(IDS)
    await limit_pages(store, 1000)
    await store.write([row(1), row(2, LARGE)])

    assert (while_full, await store.read(IDS)) == ([(0,)], [(0,), (1,), (2,)])


async def test_the_one_who_needs_too_much_room_takes_it_from_no_other(
    store: SqliteStore,
) -> None:
    await limit_pages(store, 2)
    sizes = [SMALL, SMALL, LARGE, SMALL, LARGE, SMALL]
    works = [adding(id_, size) for id_, size in enumerate(sizes, 1)]
    answers = await asyncio.gather(
        *(store.transact(work) for work in works), return_exceptions=True
    )

    assert [each == "stored" for each in answers] == [size == SMALL for size in sizes]
    assert await store.read(IDS) == [(0,), (1,), (2,), (4,), (6,)]


async def test_a_file_made_read_only_is_not_written(store: SqliteStore) -> None:
    store.path.chmod(0o400)
    with pytest.raises(StoreError, match="made read-only; nothing was stored"):
        await store.write([row(1)])
    with pytest.raises(StoreError, match="made read-only; nothing was stored"):
        await store.migrate("others", [Migration("1", ("CREATE TABLE other (a)",))])
    meanwhile = await store.read(IDS)
    store.path.chmod(0o600)
    await store.write([row(2)])

    assert (meanwhile, await store.read(IDS)) == ([(0,)], [(0,), (2,)])


async def test_without_its_lock_nothing_is_written(store: SqliteStore) -> None:
    lock = store.path.with_name("store.db-lock")
    lock.unlink()
    lock.mkdir()
    with pytest.raises(StoreError, match="Check the rights"):
        await store.write([row(1)])
    meanwhile = await store.read(IDS)
    lock.rmdir()
    await store.write([row(2)])

    assert (meanwhile, await store.read(IDS)) == ([(0,)], [(0,), (2,)])


# Lets no file grow beyond a limit, writes until that is felt, and lifts the limit.
LIMITED = """
import asyncio, resource, sys
from pathlib import Path
from abilities_host.errors import StoreError
from abilities_host.storage import Migration, Statement
from abilities_host.storage.sqlite import open_sqlite

ROWS = Migration("1", ("CREATE TABLE row (id INTEGER PRIMARY KEY, data BLOB)",))
ADD = "INSERT INTO row (id, data) VALUES (:id, zeroblob(9000))"
IDS = "SELECT id FROM row"
LIMIT, HARD = 300_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]

async def fill(store, worker, stored):
    try:
        for number in range(1000):
            id_ = worker * 1000 + number
            await store.write([Statement(ADD, {"id": id_})])
            stored.add(id_)
    except StoreError as error:
        return error.problem

async def ids(store):
    return {id_ for (id_,) in await store.read(IDS)}

async def main():
    async with open_sqlite(Path(sys.argv[1])) as store:
        await store.migrate("rows", [ROWS])
        resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, HARD))
        stored = set()
        problems = await asyncio.gather(*(fill(store, n, stored) for n in range(4)))
        print(len(set(problems)), "disk" in problems[0], stored == await ids(store))
        resource.setrlimit(resource.RLIMIT_FSIZE, (HARD, HARD))
        await store.write([Statement(ADD, {"id": -1})])
        print(await ids(store) - stored)
    async with open_sqlite(Path(sys.argv[1])) as store:
        print(await ids(store) == stored | {-1}, len(stored) > 4)
asyncio.run(main())
"""


async def test_at_the_limit_of_a_file_nothing_is_half_stored(tmp_path: Path) -> None:
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", LIMITED, str(tmp_path / "store.db")),
        stdout=PIPE,
        stderr=PIPE,
    )
    answer, errors = await child.communicate()

    assert (answer.decode().splitlines(), errors) == (
        ["1 True True", "{-1}", "True True"],
        b"",
    )
