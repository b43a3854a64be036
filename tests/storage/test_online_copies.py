"""A copy is taken while others write, is whole or not there, and can be checked."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from abilities_host.errors import (
    StoreCorrupt,
    StoreError,
    StoreForeign,
    StoreMissing,
    StoreNewer,
    StoreUnsafe,
)
from abilities_host.storage import Migration, Transaction
from abilities_host.storage.facts import BackupFacts, check_backup
from abilities_host.storage.sqlite import SqliteStore, open_sqlite

ROWS = Migration(
    "0001-rows",
    (
        "CREATE TABLE row (id INTEGER PRIMARY KEY, data BLOB)",
        "CREATE TABLE total (rows INTEGER)",
        "INSERT INTO total VALUES (0)",
    ),
)
NOTES = Migration("0001-notes", ("CREATE TABLE note (id INTEGER PRIMARY KEY)",))


def add_row(changing: Transaction) -> None:
    changing.execute("INSERT INTO row (data) VALUES (zeroblob(3000))")
    changing.execute("UPDATE total SET rows = rows + 1")


async def fill(store: SqliteStore, count: int) -> None:
    await store.migrate("rows", [ROWS])

    def work(changing: Transaction) -> None:
        for _ in range(count):
            add_row(changing)

    await store.transact(work, bump=True)


async def made(path: Path, count: int = 50) -> Path:
    """Make a store and a copy of it beside it."""
    async with open_sqlite(path) as store:
        await fill(store, count)
        await store.backup(path.with_name("copy.db"))
    return path.with_name("copy.db")


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


async def checked(path: Path) -> BackupFacts:
    return await asyncio.to_thread(check_backup, path)


def ask(path: Path, sql: str) -> list[tuple[int, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


async def test_a_copy_is_told_and_private_and_alone(tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    async with open_sqlite(tmp_path / "store.db") as store:
        await fill(store, 7)
        await store.migrate("notes", [NOTES])
        facts = await store.backup(folder / "copy.db")
        generation = store.generation()

    copy = folder / "copy.db"
    assert facts == BackupFacts(
        copy,
        copy.stat().st_size,
        1,
        generation,
        {"rows": ("0001-rows",), "notes": ("0001-notes",)},
    )
    assert (facts, copy.stat().st_mode & 0o777) == (await checked(copy), 0o600)
    assert names_in(folder) == ["copy.db"]


async def test_a_copy_is_that_of_one_commit_while_others_write(tmp_path: Path) -> None:
    is_over = False

    async def go_on() -> int:
        count = 0
        while not is_over:
            await store.transact(add_row)
            count += 1
        return count

    async with open_sqlite(tmp_path / "store.db") as store:
        await fill(store, 1000)
        writers = [asyncio.create_task(go_on()) for _ in range(4)]
        for number in range(3):
            await store.backup(tmp_path / f"copy{number}.db")
        is_over = True
        more = sum(await asyncio.gather(*writers))
        [(end,)] = await store.read("SELECT rows FROM total")

    counts = [
        ask(
            tmp_path / f"copy{number}.db",
            "SELECT (SELECT count(*) FROM row), rows FROM total",
        )[0]
        for number in range(3)
    ]
    assert all(rows == total for rows, total in counts)
    assert 1000 <= counts[0][0] <= counts[1][0] <= counts[2][0] <= end == 1000 + more


async def test_a_copy_is_a_store_also_to_be_read_only(tmp_path: Path) -> None:
    copy = await made(tmp_path / "store.db", 3)
    async with open_sqlite(copy, read_only=True) as store:
        rows = await store.read("SELECT rows FROM total")
    async with open_sqlite(copy) as store:
        await store.transact(add_row)
        assert (rows, await store.read("SELECT rows FROM total")) == ([(3,)], [(4,)])


@pytest.mark.parametrize("dangling", [False, True])
async def test_a_copy_replaces_nothing(tmp_path: Path, *, dangling: bool) -> None:
    taken = tmp_path / "taken.db"
    if dangling:
        taken.symlink_to(tmp_path / "nowhere")
    else:
        taken.write_text("mine")
    async with open_sqlite(tmp_path / "store.db") as store:
        before = names_in(tmp_path)
        with pytest.raises(StoreError, match="exists already"):
            await store.backup(taken)

        assert names_in(tmp_path) == before
    assert dangling or taken.read_text() == "mine"


async def test_two_copies_of_one_name_are_one(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "store.db") as store:
        await fill(store, 50)
        copies = [store.backup(tmp_path / "copy.db") for _ in range(4)]
        answers = await asyncio.gather(*copies, return_exceptions=True)

    facts = [each for each in answers if isinstance(each, BackupFacts)]
    assert facts == [await checked(tmp_path / "copy.db")]
    assert not [name for name in names_in(tmp_path) if name.endswith(".part")]


async def test_without_a_folder_there_is_no_copy(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "store.db") as store:
        with pytest.raises(StoreError, match="No such file or directory"):
            await store.backup(tmp_path / "none" / "copy.db")


async def test_copying_that_is_cancelled_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    async with open_sqlite(tmp_path / "store.db") as store:
        await fill(store, 5000)
        task = asyncio.create_task(store.backup(folder / "copy.db"))
        async with asyncio.timeout(30):
            while not names_in(folder):
                await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

        assert (task.cancelled(), names_in(folder)) == (True, [])
        await store.backup(folder / "copy.db")


async def test_a_closed_store_makes_no_copy(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "store.db") as store:
        pass
    with pytest.raises(StoreError, match="has closed it"):
        await store.backup(tmp_path / "copy.db")


def execute(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql)


def damage(path: Path, at: int = 8192) -> None:
    content = bytearray(path.read_bytes())
    content[-at : 4096 - at] = b"\xa5" * 4096
    path.write_bytes(content)


def become_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def leave_log(path: Path) -> None:
    path.with_name("copy.db-wal").write_bytes(b"changes")


BAD: dict[str, tuple[Callable[[Path], object], type[StoreError], str]] = {
    "missing": (Path.unlink, StoreMissing, "there is no such copy"),
    "empty": (lambda p: p.write_bytes(b""), StoreForeign, "not a store of this host"),
    "text": (lambda p: p.write_text("x\n" * 9999), StoreForeign, "not a store"),
    "folder": (become_folder, StoreForeign, "not a store"),
    "foreign": (
        lambda p: execute(p, "PRAGMA application_id=7"),
        StoreForeign,
        "not a store",
    ),
    "newer": (
        lambda p: execute(p, "PRAGMA user_version=2"),
        StoreNewer,
        "Upgrade the host",
    ),
    "damaged": (damage, StoreCorrupt, "this copy is damaged"),
    "cut": (lambda p: p.write_bytes(p.read_bytes()[:-9000]), StoreCorrupt, "damaged"),
    "robbed": (
        lambda p: execute(p, "DROP TABLE migration"),
        StoreCorrupt,
        "this copy is damaged",
    ),
    "with a log": (leave_log, StoreUnsafe, "copy.db-wal beside it holds changes"),
}


@pytest.mark.parametrize("spoil", BAD)
async def test_a_bad_copy_is_refused_by_name(tmp_path: Path, spoil: str) -> None:
    copy = await made(tmp_path / "store.db")
    act, kind, sentence = BAD[spoil]
    act(copy)

    with pytest.raises(StoreError, match=sentence) as refused:
        await checked(copy)

    assert (type(refused.value), refused.value.path) == (kind, copy)
