"""A copy takes the place of a store that nobody has open, and nothing is lost."""

import asyncio
import sqlite3
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from abilities_host.errors import StoreBusy, StoreCorrupt, StoreError, StoreMissing
from abilities_host.storage import Migration, Statement
from abilities_host.storage.restore import restore_backup
from abilities_host.storage.sqlite import open_sqlite

NOTES = Migration("0001-notes", ("CREATE TABLE note (text TEXT, data BLOB)",))
ADD = "INSERT INTO note (text, data) VALUES (:text, zeroblob(:size))"
TEXTS = "SELECT text FROM note ORDER BY rowid"


def note(text: str, size: int = 0) -> Statement:
    return Statement(ADD, {"text": text, "size": size})


async def made(folder: Path, *, size: int = 0) -> tuple[Path, Path]:
    """Make a store with an old note, a copy of that, and a new note."""
    store, copy = folder / "host" / "store.db", folder / "copy.db"
    async with open_sqlite(store) as opened:
        await opened.migrate("notes", [NOTES])
        await opened.write([note("old", size)])
        await opened.backup(copy)
        await opened.write([note("new")])
    return store, copy


async def texts(path: Path) -> list[str]:
    async with open_sqlite(path) as store:
        return [text for (text,) in await store.read(TEXTS)]


def bytes_in(folder: Path) -> dict[str, bytes]:
    return {
        str(each.relative_to(folder)): each.read_bytes()
        for each in folder.rglob("*")
        if each.is_file()
    }


async def restored(copy: Path, store: Path) -> Path | None:
    return await asyncio.to_thread(restore_backup, copy, store)


async def test_a_copy_becomes_the_store_and_the_store_is_kept(tmp_path: Path) -> None:
    store, copy = await made(tmp_path)
    before = copy.read_bytes()
    kept = await restored(copy, store)

    assert kept is not None
    assert (kept.parent, kept.suffixes) == (
        store.parent / "backups",
        [".replaced", ".db"],
    )
    assert [each.stat().st_mode & 0o777 for each in (store, kept)] == [0o600, 0o600]
    assert (await texts(store), copy.read_bytes()) == (["old"], before)
    # The way back is the same way.
    await restored(kept, store)
    assert await texts(store) == ["old", "new"]


async def test_what_was_kept_stays_when_later_migrations_copy(tmp_path: Path) -> None:
    store, copy = await made(tmp_path)
    kept = await restored(copy, store)
    for count in range(2, 10):
        steps = [Migration(f"{n}", (f"CREATE TABLE t{n} (a)",)) for n in range(count)]
        async with open_sqlite(store) as opened:
            await opened.migrate("more", steps)

    assert kept is not None
    assert kept.exists()


async def test_a_store_that_is_lost_is_put_back(tmp_path: Path) -> None:
    store, copy = await made(tmp_path)
    store.unlink()

    assert await restored(copy, store) is None
    assert await texts(store) == ["old"]


async def test_what_a_killed_host_left_in_its_log_is_kept_too(tmp_path: Path) -> None:
    store, copy = await made(tmp_path)
    async with open_sqlite(store) as opened:
        await opened.write([note("newest")])
        log = store.with_name("store.db-wal").read_bytes()
        main = store.read_bytes()
    store.write_bytes(main)
    store.with_name("store.db-wal").write_bytes(log)
    kept = await restored(copy, store)

    assert kept is not None
    assert await texts(store) == ["old"]
    assert await texts(kept) == ["old", "new", "newest"]


async def test_a_damaged_store_is_kept_with_its_log(tmp_path: Path) -> None:
    store, copy = await made(tmp_path)
    store.write_text("damaged\n" * 1000)
    log = store.with_name("store.db-wal")
    log.write_bytes(b"log")
    log.chmod(0o600)
    kept = await restored(copy, store)

    assert kept is not None
    assert kept.read_text() == "damaged\n" * 1000
    assert kept.with_name(kept.name + "-wal").read_bytes() == b"log"
    assert await texts(store) == ["old"]


async def test_the_log_of_a_lost_store_is_not_taken_for_that_of_the_copy(
    tmp_path: Path,
) -> None:
    store, copy = await made(tmp_path)
    async with open_sqlite(store) as opened:
        await opened.write([note("newest")])
        log = store.with_name("store.db-wal").read_bytes()
    store.unlink()
    store.with_name("store.db-wal").write_bytes(log)
    kept = await restored(copy, store)

    assert kept is not None
    assert kept.with_name(kept.name + "-wal").read_bytes() == log
    assert await texts(store) == ["old"]


@pytest.mark.parametrize("read_only", [False, True])
async def test_a_store_that_is_open_is_not_replaced(
    tmp_path: Path, *, read_only: bool
) -> None:
    store, copy = await made(tmp_path)
    async with open_sqlite(store, read_only=read_only) as opened:
        with pytest.raises(StoreBusy, match="a host has it open"):
            await restored(copy, store)
        assert await opened.read(TEXTS) == [("old",), ("new",)]

    assert not (store.parent / "backups").exists()


HOST = """
import asyncio, sys
from pathlib import Path
from abilities_host.storage.sqlite import open_sqlite
async def main():
    async with open_sqlite(Path(sys.argv[1])):
        print("open", flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


async def test_only_the_death_of_another_host_sets_its_store_free(
    tmp_path: Path,
) -> None:
    store, copy = await made(tmp_path)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOST, str(store), stdout=PIPE
    )
    assert child.stdout
    assert await child.stdout.readline() == b"open\n"
    with pytest.raises(StoreBusy, match="a host has it open"):
        await restored(copy, store)
    child.kill()
    await child.wait()
    await restored(copy, store)

    assert await texts(store) == ["old"]


@pytest.mark.parametrize("mode", ["NORMAL", "EXCLUSIVE"])
async def test_a_store_that_another_program_has_open_is_not_replaced(
    tmp_path: Path, mode: str
) -> None:
    store, copy = await made(tmp_path)
    with closing(sqlite3.connect(store, isolation_level=None)) as program:
        program.execute(f"PRAGMA locking_mode={mode}")
        program.execute("BEGIN IMMEDIATE")
        program.execute("DELETE FROM note")
        with pytest.raises(StoreBusy):
            await restored(copy, store)
        program.execute("ROLLBACK")

    assert await texts(store) == ["old", "new"]


def damage(copy: Path, store: Path) -> Path:
    content = bytearray(copy.read_bytes())
    content[-4096:] = b"\xa5" * 4096
    copy.write_bytes(content)
    return copy


BAD: dict[str, tuple[Callable[[Path, Path], Path], type[StoreError], str]] = {
    "damaged": (damage, StoreCorrupt, "this copy is damaged"),
    "missing": (lambda copy, _: copy.with_name("x"), StoreMissing, "no such copy"),
    "itself": (lambda _, store: store, StoreError, "it is the store itself"),
}


@pytest.mark.parametrize("case", BAD)
async def test_a_bad_copy_changes_nothing(tmp_path: Path, case: str) -> None:
    store, copy = await made(tmp_path)
    choose, kind, sentence = BAD[case]
    chosen = choose(copy, store)
    before = bytes_in(store.parent)

    with pytest.raises(StoreError, match=sentence) as refused:
        await restored(chosen, store)

    assert (type(refused.value), refused.value.path) == (kind, chosen)
    assert bytes_in(store.parent) == before


RESTORE = """
import sys
from pathlib import Path
from abilities_host.storage.restore import restore_backup
print("begin", flush=True)
restore_backup(Path(sys.argv[1]), Path(sys.argv[2]))
"""


async def test_a_restore_that_is_killed_leaves_one_of_the_two(tmp_path: Path) -> None:
    store, copy = await made(tmp_path, size=1 << 20)
    found = set()
    for attempt in range(4):
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", RESTORE, str(copy), str(store)), stdout=PIPE
        )
        assert child.stdout
        assert await child.stdout.readline() == b"begin\n"
        await asyncio.wait([asyncio.create_task(child.wait())], timeout=attempt * 0.004)
        if child.returncode is None:
            child.kill()
            await child.wait()
        found.add(tuple(await texts(store)))

    assert found <= {("old", "new"), ("old",)}
