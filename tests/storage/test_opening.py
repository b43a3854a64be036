"""What is no good store is refused with the right error, and is left as it is."""

import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from abilities_host.errors import (
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreForeign,
    StoreMissing,
    StoreNewer,
    StoreUnsafe,
)
from abilities_host.filelock import FileLock
from abilities_host.storage.base import Statement
from abilities_host.storage.create import publish, rename_to_free
from abilities_host.storage.faults import store_faults
from abilities_host.storage.migrations import Migration
from abilities_host.storage.place import check_local, file_system
from abilities_host.storage.sqlite import open_sqlite

FILL = Migration(
    "0001-fill",
    (
        "CREATE TABLE row (data BLOB)",
        """
        INSERT INTO row WITH RECURSIVE n(i) AS (
            SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40
        ) SELECT zeroblob(3000) FROM n
        """,
    ),
)


async def made(path: Path) -> None:
    async with open_sqlite(path) as store:
        await store.migrate("fill", [FILL])


def execute(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql)


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-8192:-4096] = b"\xa5" * 4096  # nothing reads it while opening
    path.write_bytes(content)


def open_the_log(path: Path) -> None:
    log = path.with_name("store.db-wal")
    log.touch()
    log.chmod(0o666)


def become_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def become_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


BAD: dict[str, tuple[Callable[[Path], object], type[StoreError], str]] = {
    "empty": (lambda p: p.write_bytes(b""), StoreForeign, "not a store of this host"),
    "five bytes": (lambda p: p.write_bytes(b"SQLit"), StoreForeign, "not a store"),
    "text": (lambda p: p.write_text("hello\n" * 999), StoreForeign, "not a store"),
    "foreign": (
        lambda p: execute(p, "PRAGMA application_id=7"),
        StoreForeign,
        "Correct the path, or move that file away",
    ),
    "pipe": (become_fifo, StoreForeign, "not a store"),
    "folder": (become_folder, StoreForeign, "not a store"),
    "newer": (
        lambda p: execute(p, "PRAGMA user_version=2"),
        StoreNewer,
        "Upgrade the host",
    ),
    "damaged": (damage, StoreCorrupt, "newest good copy from backups/"),
    "cut": (
        lambda p: os.truncate(p, p.stat().st_size // 2),
        StoreCorrupt,
        "is damaged",
    ),
    "vanished": (Path.unlink, StoreMissing, "store.db-lock shows that it was here"),
    "no WAL": (
        lambda p: execute(p, "PRAGMA journal_mode=DELETE"),
        StoreUnsafe,
        "not in WAL mode",
    ),
    "group may write": (lambda p: p.chmod(0o660), StoreUnsafe, "Run: chmod go-w"),
    "all may write": (lambda p: p.chmod(0o602), StoreUnsafe, "others may write"),
    "all may write the folder": (
        lambda p: p.parent.chmod(0o1777),
        StoreUnsafe,
        "others may write",
    ),
    "all may write the log": (
        open_the_log,
        StoreUnsafe,
        "store.db-wal",
    ),
}


def content_of(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


# Without its log a store is only read, in whatever mode it was left.
CASES = [
    (spoil, read_only)
    for spoil in BAD
    for read_only in (False, True)
    if not (read_only and spoil == "no WAL")
]


@pytest.mark.parametrize(("spoil", "read_only"), CASES)
async def test_a_bad_store_is_refused_and_left_alone(
    tmp_path: Path, spoil: str, *, read_only: bool
) -> None:
    path = tmp_path / "store.db"
    await made(path)
    act, kind, sentence = BAD[spoil]
    act(path)
    before = content_of(path)

    with pytest.raises(StoreError, match=re.escape(sentence)) as refused:
        async with open_sqlite(path, read_only=read_only):
            pass

    assert (type(refused.value), refused.value.path) == (kind, path)
    assert content_of(path) == before


async def test_none_is_made_when_it_must_be_there(tmp_path: Path) -> None:
    path = tmp_path / "none" / "store.db"
    with pytest.raises(StoreMissing, match="the first start of a host makes it"):
        async with open_sqlite(path, create=False):
            pass
    assert not path.parent.exists()


async def test_an_existing_one_is_opened_when_it_must_be_there(tmp_path: Path) -> None:
    await made(tmp_path / "store.db")
    async with open_sqlite(tmp_path / "store.db", create=False) as store:
        assert await store.read("SELECT count(*) FROM row") == [(40,)]


async def test_a_path_through_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=re.escape("Check the rights")):
        async with open_sqlite(tmp_path / "file" / "store.db"):
            pass


async def test_a_link_leads_to_the_one_store(tmp_path: Path) -> None:
    path = tmp_path / "real" / "store.db"
    (tmp_path / "link.db").symlink_to(path)
    async with open_sqlite(tmp_path / "link.db") as here, open_sqlite(path) as there:
        await here.migrate("fill", [FILL])
        await here.write([Statement("DELETE FROM row")])

        assert (here.path, await there.read("SELECT * FROM row")) == (path, [])


async def test_names_with_signs_of_an_address_are_just_names(tmp_path: Path) -> None:
    path = tmp_path / "a b?mode=memory#c%20é" / "store.db"
    await made(path)

    assert path.stat().st_size > 40 * 3000


async def test_a_store_locked_by_another_program_is_busy(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await made(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as program:
        program.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            async with open_sqlite(path, busy_seconds=0.02):
                pass


def disk_full(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA max_page_count=1")
        connection.execute("CREATE TABLE t (a)")


def read_only(path: Path) -> None:
    execute(path, "CREATE TABLE t (a)")
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        connection.execute("INSERT INTO t VALUES (1)")


def not_there(path: Path) -> None:
    sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True)


def broken_rule(path: Path) -> None:
    execute(path, "CREATE TABLE t (a INTEGER PRIMARY KEY)")
    execute(path, "INSERT INTO t VALUES (1), (1)")


def closed(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.close()
    connection.execute("SELECT 1")


@pytest.mark.parametrize(
    ("fail", "kind", "sentence"),
    [
        (disk_full, StoreError, "the disk is full; nothing was stored"),
        (read_only, StoreError, "this user may not write the file"),
        (not_there, StoreError, "it cannot be opened. Check the rights"),
        (broken_rule, sqlite3.IntegrityError, "UNIQUE"),
        (closed, sqlite3.ProgrammingError, "closed database"),
        (lambda path: path.rmdir(), StoreError, "No such file or directory"),
    ],
)
def test_an_error_about_the_file_says_what_to_do(
    tmp_path: Path,
    fail: Callable[[Path], None],
    kind: type[Exception],
    sentence: str,
) -> None:
    with (
        pytest.raises(kind, match=re.escape(sentence)) as told,
        store_faults(tmp_path / "t.db"),
    ):
        fail(tmp_path / "t.db")
    assert type(told.value) is kind


MOUNTS = r"""22 1 254:0 / / rw,relatime - ext4 /dev/root rw
31 22 0:40 / /home rw shared:5 master:1 - nfs4 server:/home rw
32 31 0:41 / /home/ann/my\040disk rw - ext4 /dev/sdb rw
33 22 0:42 / /mnt rw - ext4 /dev/sdc rw
34 33 0:43 / /mnt rw - cifs //server/share rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/lib", "ext4"),
        ("/home", "nfs4"),
        ("/home/ann", "nfs4"),
        ("/homes/ann", "ext4"),
        ("/home/ann/my disk/x", "ext4"),
        ("/mnt/x", "cifs"),
    ],
)
def test_the_kind_of_file_system_is_that_of_the_nearest_mount(
    path: str, kind: str
) -> None:
    assert file_system(Path(path), MOUNTS) == kind


def test_a_store_on_a_network_file_system_is_refused() -> None:
    check_local(Path("/home/ann/my disk/store.db"), MOUNTS)
    with pytest.raises(StoreUnsafe, match=r"network file system \(nfs4\)"):
        check_local(Path("/home/ann/store.db"), MOUNTS)


def test_without_a_list_of_mounts_the_kind_is_unknown() -> None:
    assert file_system(Path("/var/lib"), "") == ""


@pytest.mark.parametrize("give_name", [publish, rename_to_free])
@pytest.mark.parametrize("taken", [False, True])
def test_a_finished_file_never_replaces_another(
    tmp_path: Path, give_name: Callable[[Path, Path], bool], *, taken: bool
) -> None:
    temporary, path = tmp_path / "temporary", tmp_path / "store.db"
    temporary.write_text("new")
    if taken:
        path.write_text("old")

    got_it = give_name(temporary, path)

    assert (got_it, path.read_text()) == ((False, "old") if taken else (True, "new"))


def test_renaming_gives_up_while_another_process_renames(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "store.db-new")
    lock.try_acquire()
    (tmp_path / "temporary").touch()

    with pytest.raises(StoreBusy):
        rename_to_free(tmp_path / "temporary", tmp_path / "store.db", seconds=0.01)
    lock.release()
