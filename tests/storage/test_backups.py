"""Before an existing store is migrated there is a copy of it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from abilities_host.errors import StoreError
from abilities_host.storage.backups import KEPT
from abilities_host.storage.base import Statement
from abilities_host.storage.migrations import Migration
from abilities_host.storage.sqlite import open_sqlite

STEPS = [
    Migration(f"{number:04}", (f"CREATE TABLE t{number} (a INTEGER)",))
    for number in range(KEPT + 4)
]


async def migrated(path: Path, steps: int) -> None:
    async with open_sqlite(path) as store:
        await store.migrate("owner", STEPS[:steps])
        await store.write([Statement("INSERT INTO t0 (a) VALUES (1)")])


def rows_of(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


async def test_a_new_store_needs_no_copy(tmp_path: Path) -> None:
    await migrated(tmp_path / "store.db", 1)
    await migrated(tmp_path / "store.db", 1)

    assert not (tmp_path / "backups").exists()


async def test_an_existing_store_is_copied_as_it_was(tmp_path: Path) -> None:
    await migrated(tmp_path / "store.db", 1)
    await migrated(tmp_path / "store.db", 3)

    folder = tmp_path / "backups"
    [copy] = folder.iterdir()
    assert [folder.stat().st_mode & 0o777, copy.stat().st_mode & 0o777] == [
        0o700,
        0o600,
    ]
    assert rows_of(copy, "SELECT count(*) FROM t0") == [(1,)]
    assert rows_of(copy, "SELECT name FROM migration") == [("0000",)]


async def test_a_copy_put_in_place_of_the_store_is_one(tmp_path: Path) -> None:
    await migrated(tmp_path / "store.db", 1)
    await migrated(tmp_path / "store.db", 2)
    [copy] = (tmp_path / "backups").iterdir()
    copy.replace(tmp_path / "store.db")
    await migrated(tmp_path / "store.db", 1)

    assert rows_of(tmp_path / "store.db", "SELECT count(*) FROM t0") == [(2,)]


async def test_only_the_newest_copies_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    (folder / "store-19990101T000000000000Z.db.part").touch()
    (folder / "my-own-copy.db").touch()
    for steps in range(1, KEPT + 4):
        await migrated(tmp_path / "store.db", steps)

    *copies, own = sorted(folder.iterdir(), reverse=True)
    assert own == folder / "my-own-copy.db"
    applied = [rows_of(each, "SELECT count(*) FROM migration")[0][0] for each in copies]
    assert applied == list(range(KEPT + 2, 2, -1))


async def test_without_room_for_a_copy_nothing_is_changed(tmp_path: Path) -> None:
    await migrated(tmp_path / "store.db", 1)
    (tmp_path / "backups").touch()

    with pytest.raises(StoreError, match="backups"):
        await migrated(tmp_path / "store.db", 2)
    assert rows_of(tmp_path / "store.db", "SELECT name FROM migration") == [("0000",)]
