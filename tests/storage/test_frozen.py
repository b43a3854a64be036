"""A store that is only read: nothing beside it is made, and nothing in it changes."""

from pathlib import Path

import pytest

from abilities_host.errors import StoreBusy, StoreError, StoreNewer, StoreUnsafe
from abilities_host.storage import Migration, Statement, Store
from abilities_host.storage.frozen import FrozenStore
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.storage.usage import take_alone

NOTES = Migration("0001-notes", ("CREATE TABLE note (id INTEGER PRIMARY KEY)",))
TAGS = Migration("0002-tags", ("CREATE TABLE tag (name TEXT PRIMARY KEY)",))
ADD = Statement("INSERT INTO note DEFAULT VALUES")
COUNT = "SELECT count(*) FROM note"


async def made(path: Path, *migrations: Migration) -> int:
    """Make a store with one note; give its generation."""
    async with open_sqlite(path) as store:
        await store.migrate("notes", [NOTES, *migrations])
        await store.write([ADD], bump=True)
        return store.generation()


def seen(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        each.name: (each.stat().st_size, each.stat().st_mtime_ns)
        for each in folder.iterdir()
    }


@pytest.mark.parametrize("alone", [False, True])
async def test_a_store_is_read_from_where_nothing_can_be_written(
    tmp_path: Path, *, alone: bool
) -> None:
    path = tmp_path / "folder" / "store.db"
    generation = await made(path)
    if alone:
        path.with_name("store.db-lock").unlink()
        path.with_name("store.db-mark").unlink()
    path.chmod(0o400)
    path.parent.chmod(0o500)
    before = seen(path.parent)

    async with open_sqlite(path, read_only=True) as store:
        await store.migrate("notes", [NOTES])
        answers = (await store.read(COUNT), store.generation(), seen(path.parent))
    path.parent.chmod(0o700)

    assert isinstance(store, FrozenStore)
    assert store.path == path
    assert (answers, seen(path.parent)) == (([(1,)], generation, before), before)


async def test_two_hosts_may_only_read_one_store(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await made(path)
    async with (
        open_sqlite(path, read_only=True) as here,
        open_sqlite(path, read_only=True) as there,
    ):
        assert [await here.read(COUNT), await there.read(COUNT)] == [[(1,)]] * 2


async def test_what_would_write_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await made(path)
    async with open_sqlite(path, read_only=True) as store:
        problem = "start one without --read-only"
        with pytest.raises(StoreError, match=problem):
            await store.write([ADD])
        with pytest.raises(StoreError, match=problem):
            await store.transact(lambda changing: changing.execute(COUNT))
        with pytest.raises(StoreError, match="may not write the file"):
            await store.read(ADD.sql)

        assert await store.read(COUNT) == [(1,)]


async def test_tables_that_are_not_up_to_date_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await made(path)
    async with open_sqlite(path, read_only=True) as store:
        with pytest.raises(StoreError, match=r"'notes' must .* \(migrations 0002-tags"):
            await store.migrate("notes", [NOTES, TAGS])
        with pytest.raises(StoreError, match="Start and stop a host"):
            await store.migrate("others", [NOTES])


async def test_tables_of_a_newer_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await made(path, TAGS)
    async with open_sqlite(path, read_only=True) as store:
        with pytest.raises(StoreNewer):
            await store.migrate("notes", [NOTES])


async def test_a_store_with_changes_in_its_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    async with open_sqlite(path) as writing:
        await writing.migrate("notes", [NOTES])

        with pytest.raises(StoreUnsafe, match=r"store\.db-wal beside it holds changes"):
            async with open_sqlite(path, read_only=True):
                pass
    async with open_sqlite(path, read_only=True) as store:
        assert await store.read(COUNT) == [(0,)]


async def test_a_store_that_another_host_writes_meanwhile_is_not_trusted(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    await made(path)
    async with open_sqlite(path, read_only=True) as store:
        async with open_sqlite(path) as writing:
            before = await store.read(COUNT)
            await writing.write([ADD])
            await check_changed(store)
        await check_changed(store)

    assert before == [(1,)]


async def check_changed(store: Store) -> None:
    with pytest.raises(StoreError, match="was changed while it was only read"):
        await store.read(COUNT)
    with pytest.raises(StoreError, match="was changed while it was only read"):
        store.generation()


async def test_a_store_that_is_closed_says_so(tmp_path: Path) -> None:
    await made(tmp_path / "store.db")
    async with open_sqlite(tmp_path / "store.db", read_only=True) as store:
        pass

    for use in (
        store.read(COUNT),
        store.write([]),
        store.transact(lambda _: None),
        store.combine(lambda _, items: items, 1),
    ):
        with pytest.raises(StoreError, match="has closed it"):
            await use
    with pytest.raises(StoreError, match="has closed it"):
        store.generation()


@pytest.mark.parametrize("read_only", [False, True])
async def test_a_store_that_is_being_restored_cannot_be_opened(
    tmp_path: Path, *, read_only: bool
) -> None:
    path = tmp_path / "store.db"
    await made(path)
    restoring = take_alone(path)
    with pytest.raises(StoreBusy, match="being restored"):
        async with open_sqlite(path, read_only=read_only):
            pass
    restoring.close()

    async with open_sqlite(path, read_only=read_only) as store:
        assert await store.read(COUNT) == [(1,)]


@pytest.mark.parametrize("which", ["file", "folder"])
async def test_what_cannot_be_written_is_named_and_so_is_the_switch(
    tmp_path: Path, which: str
) -> None:
    path = tmp_path / "place" / "store.db"
    await made(path)
    spoiled = path if which == "file" else path.parent
    mode = spoiled.stat().st_mode
    spoiled.chmod(mode & ~0o222)
    with pytest.raises(StoreError) as refused:
        async with open_sqlite(path):
            pass
    spoiled.chmod(mode)

    assert refused.value.problem == (
        f"the {which} {spoiled} is read-only. Give the right to write, or start with "
        "--read-only."
    )
