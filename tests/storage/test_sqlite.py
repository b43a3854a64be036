"""The SQLite store among other processes, under kills and with a full disk."""

import asyncio
import sqlite3
import sys
import threading
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from abilities_host.errors import StoreBusy, StoreError, StoreMissing
from abilities_host.filelock import FileLock
from abilities_host.storage.base import Statement
from abilities_host.storage.commits import CHECKPOINT_BYTES, LOG_BYTES
from abilities_host.storage.migrations import Migration
from abilities_host.storage.readers import READS_WAITING
from abilities_host.storage.sqlite import (
    SqliteStore,
    open_sqlite,
    wal_reset_bug,
)

ROWS = Migration("0001-rows", ("CREATE TABLE row (id TEXT PRIMARY KEY, data BLOB)",))
ADD = "INSERT INTO row (id, data) VALUES (:id, :data)"
COUNT = "SELECT count(*) FROM row"

CHILD = """
import asyncio, sys
from pathlib import Path
from abilities_host.errors import StoreError
from abilities_host.storage.base import Statement
from abilities_host.storage.migrations import Migration
from abilities_host.storage.sqlite import open_sqlite

ROWS = Migration("0001-rows", ("CREATE TABLE row (id TEXT PRIMARY KEY, data BLOB)",))
ADD = "INSERT INTO row (id, data) VALUES (:id, :data)"
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

def add(number):
    return Statement(ADD, {"id": f"{name}{number}", "data": bytes(2000)})

async def main():
    async with open_sqlite(path) as store:
        BODY
asyncio.run(main())
"""

# Writes rows and says of each that it is stored.
WRITER = CHILD.replace(
    "BODY",
    """
        await store.migrate("rows", [ROWS])
        try:
            for number in range(count):
                await store.write([add(number)], bump=True)
                print(f"{name}{number}", flush=True)
        except StoreError as error:
            print(type(error).__name__, "while", len(await store.read("SELECT 1")))
""",
)

# The last statement of this migration does not end.
MIGRATOR = CHILD.replace(
    "BODY",
    """
        endless = '''
            INSERT INTO row (id) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL
            SELECT i + 1 FROM n) SELECT i FROM n
        '''
        rows = Migration(ROWS.name, (*ROWS.statements, endless))
        await store.migrate("rows", [rows])
""",
)


async def start(code: str, path: Path, name: str = "r", count: int = 0) -> Process:
    arguments = ("-c", code, str(path), name, str(count))
    return await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdout=PIPE, stderr=PIPE
    )


def row(id_: str, size: int = 0) -> Statement:
    return Statement(ADD, {"id": id_, "data": bytes(size)})


async def ids_of(store: SqliteStore) -> set[str]:
    return {id_ for (id_,) in await store.read("SELECT id FROM row")}


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def size_of(path: Path) -> int:
    return path.stat().st_size


async def until_held(lock: FileLock, child: Process) -> None:
    async with asyncio.timeout(30):
        while lock.try_acquire():
            lock.release()
            assert child.returncode is None
            await asyncio.sleep(0.001)


async def test_processes_that_begin_and_write_at_once_lose_nothing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "new" / "store.db"
    children = [await start(WRITER, path, name, 20) for name in "abcd"]
    answers = await asyncio.gather(*(child.communicate() for child in children))
    async with open_sqlite(path) as store:
        stored, generation = await ids_of(store), store.generation()
        applied = await store.read("SELECT owner, name FROM migration")

    assert [errors for _, errors in answers] == [b""] * 4
    assert stored == {f"{name}{number}" for name in "abcd" for number in range(20)}
    assert (generation, applied) == (1 + 80, [("rows", "0001-rows")])


async def test_a_killed_writer_takes_nothing_that_was_stored_with_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    child = await start(WRITER, path, "r", 1_000_000)
    assert child.stdout
    told = {(await child.stdout.readline()).decode().strip() for _ in range(20)}
    child.kill()
    rest = await child.stdout.read()
    told |= {line.decode() for line in rest.split(b"\n")[:-1]}
    await child.communicate()

    async with open_sqlite(path) as store:
        stored = await ids_of(store)
        await store.write([row("after")])
    # One more may be stored whose writer never heard of it.
    assert (told <= stored, len(stored - told) <= 1) == (True, True)


async def test_a_migrator_killed_halfway_leaves_it_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    async with open_sqlite(path):
        pass
    child = await start(MIGRATOR, path)
    await until_held(FileLock(tmp_path / "store.db-lock"), child)
    child.kill()
    await child.communicate()

    async with open_sqlite(path) as store:
        tables = "SELECT name FROM sqlite_master WHERE name = 'row'"
        before = await store.read(tables)
        await store.migrate("rows", [ROWS])
        assert (before, await store.read(COUNT)) == ([], [(0,)])


async def test_a_full_disk_refuses_writes_and_keeps_reading(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    limited = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (9**6, 9**6))"
    child = await start(limited + WRITER, path, "r", 1_000_000)
    answer, errors = await child.communicate()
    *told, last = answer.decode().splitlines()
    async with open_sqlite(path) as store:
        stored = await ids_of(store)

    assert (errors, last, stored) == (b"", "StoreError while 1", set(told))


async def test_a_write_ends_at_the_limit_while_another_program_writes(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    async with open_sqlite(path, busy_seconds=0.02) as store:
        await store.migrate("rows", [ROWS])
        with closing(sqlite3.connect(path, isolation_level=None)) as program:
            program.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreBusy, match="another process holds it for longer"):
                await store.write([row("a")])
        await store.write([row("b")])

        assert await ids_of(store) == {"b"}


async def test_a_write_ends_at_the_limit_while_another_host_writes(
    tmp_path: Path,
) -> None:
    path, lock = tmp_path / "store.db", FileLock(tmp_path / "store.db-lock")
    async with open_sqlite(path, busy_seconds=0.02) as store:
        await store.migrate("rows", [ROWS])
        lock.try_acquire()
        with pytest.raises(StoreBusy):
            await store.write([row("a")])
        lock.release()
        await store.write([row("b")])

        assert await ids_of(store) == {"b"}


async def test_too_many_who_wait_are_refused(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "store.db") as store:
        every = [store.read("SELECT 1") for _ in range(READS_WAITING + 2)]
        answers = await asyncio.gather(*every, return_exceptions=True)

    assert [type(each) for each in answers[READS_WAITING - 1 :]] == [
        list,
        StoreBusy,
        StoreBusy,
    ]


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_store_that_vanishes_while_open_is_missed(
    tmp_path: Path, *, replaced: bool
) -> None:
    path = tmp_path / "store.db"
    async with open_sqlite(path) as store:
        path.rename(tmp_path / "moved.db")
        if replaced:
            path.write_bytes(b"x")

        for use in (store.read("SELECT 1"), store.write([])):
            with pytest.raises(StoreMissing, match="removed or replaced"):
                await use
        with pytest.raises(StoreMissing, match="removed or replaced"):
            store.generation()


async def test_the_log_is_folded_in_and_written_anew_before_it_grows(
    tmp_path: Path,
) -> None:
    log, sizes = tmp_path / "store.db-wal", []
    async with open_sqlite(tmp_path / "store.db") as store:
        await store.migrate("rows", [ROWS])
        for number in range(24):
            await store.write([row(str(number), CHECKPOINT_BYTES // 4)])
            sizes.append(size_of(log))

        assert CHECKPOINT_BYTES <= max(sizes) < 2 * CHECKPOINT_BYTES
        assert size_of(tmp_path / "store.db") > 4 * CHECKPOINT_BYTES
    assert names_in(tmp_path) == ["store.db", "store.db-lock", "store.db-mark"]


async def test_a_log_that_has_grown_too_large_is_made_empty(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "store.db") as store:
        await store.migrate("rows", [ROWS])
        await store.write([row("large", LOG_BYTES)])

        assert size_of(tmp_path / "store.db-wal") == 0
        assert size_of(tmp_path / "store.db") > LOG_BYTES


async def test_sqlite_folds_nothing_in_by_itself(tmp_path: Path) -> None:
    # Over the thousand pages at which SQLite would, under the bytes at which we do.
    path, size = tmp_path / "store.db", 1003 * 4084
    async with open_sqlite(path) as store:
        await store.migrate("rows", [ROWS])
        await store.write([row("large", size)])

        sizes = size_of(path), size_of(tmp_path / "store.db-wal")
        assert (sizes[0] < size < sizes[1] < CHECKPOINT_BYTES) is True


async def test_a_writer_still_waits_for_others_after_it_has_folded_the_log_in(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    async with open_sqlite(path) as store:
        await store.migrate("rows", [ROWS])
        await store.write([row("large", CHECKPOINT_BYTES)])
        with closing(sqlite3.connect(path, isolation_level=None)) as program:
            program.execute("BEGIN IMMEDIATE")
            write = asyncio.create_task(store.write([row("late")]))
            await asyncio.wait([write], timeout=0.05)
            program.execute("COMMIT")
        await write

        assert await ids_of(store) == {"large", "late"}


async def test_a_long_reader_holds_up_no_writer(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    async with open_sqlite(path) as store:
        await store.migrate("rows", [ROWS])
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute(COUNT).fetchone()
            for number in range(3):
                await store.write([row(str(number), CHECKPOINT_BYTES)])
            seen = reader.execute(COUNT).fetchone()
        await store.write([row("last")])
        size = size_of(tmp_path / "store.db-wal")
        await store.write([row("from the beginning", CHECKPOINT_BYTES)])

        assert (seen, await store.read(COUNT)) == ((0,), [(5,)])
        assert size_of(tmp_path / "store.db-wal") == size < LOG_BYTES


async def test_readers_are_safe_and_cannot_write(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "store.db") as store:
        pragmas = ("query_only", "trusted_schema", "foreign_keys", "journal_mode")
        values = [await store.read(f"PRAGMA {name}") for name in pragmas]

    assert values == [[(1,)], [(0,)], [(1,)], [("wal",)]]


async def test_foreign_keys_hold_for_writers(tmp_path: Path) -> None:
    child = "CREATE TABLE child (of TEXT REFERENCES row (id))"
    async with open_sqlite(tmp_path / "store.db") as store:
        await store.migrate("rows", [Migration("0001", (*ROWS.statements, child))])

        with pytest.raises(sqlite3.IntegrityError):
            await store.write([Statement("INSERT INTO child (of) VALUES ('no')")])


async def test_a_store_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    async with open_sqlite(folder / "store.db") as store:
        await store.migrate("rows", [ROWS])
        await store.write([row("a")])
        modes = {each.name: each.stat().st_mode & 0o777 for each in folder.iterdir()}

    sides = tuple(f"store.db{end}" for end in ("", "-lock", "-mark", "-shm", "-wal"))
    assert modes == dict.fromkeys(sides, 0o600)
    assert folder.stat().st_mode & 0o777 == 0o700


async def test_no_thread_outlives_an_open_store(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    async with open_sqlite(tmp_path / "store.db") as store:
        await store.read("SELECT 1")
    (tmp_path / "other.db").write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreError):
        async with open_sqlite(tmp_path / "other.db"):
            pass
    with pytest.raises(ZeroDivisionError):
        async with open_sqlite(tmp_path / "store.db"):
            raise ZeroDivisionError

    left = set(threading.enumerate()) - before
    for thread in left:
        thread.join(10)
    assert [thread for thread in left if thread.is_alive()] == []


@pytest.mark.parametrize(
    ("version", "has_it"),
    [
        ((3, 6, 23), False),
        ((3, 7, 0), True),
        ((3, 40, 1), True),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 53, 0), False),
    ],
)
def test_the_versions_with_the_reset_bug(
    version: Sequence[int], *, has_it: bool
) -> None:
    assert wal_reset_bug(version) is has_it
