"""`backup` copies the store while hosts go on, and says what the copy holds."""

import stat
from pathlib import Path

from cli.conftest import Command
from cli.record_world import SILENT, make_host, note

from abilities_host.storage.facts import check_backup


def test_a_copy_is_made_beside_the_store(tmp_path: Path, command: Command) -> None:
    loaded = make_host(tmp_path)
    note(loaded, 3)

    ended = command("backup", "--config", loaded.path)

    [copy] = (tmp_path / "backups").glob("abilities-*.backup.db")
    facts = check_backup(copy)
    words = " ".join(ended.out.split())
    assert (ended.code, ended.err) == (0, "")
    assert words.startswith(
        f"The store was copied to {copy} The copy is whole: {facts.size:,} bytes. It "
        "holds the record up to entry 3, of 20"
    )
    assert words.endswith(f"To put it back: abilities restore '{copy}'")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert "ledger" in facts.migrations


def test_a_copy_gets_the_name_or_the_folder_that_was_asked_for(
    tmp_path: Path, command: Command
) -> None:
    loaded = make_host(tmp_path)
    note(loaded)
    (tmp_path / "folder").mkdir()

    named = command("backup", tmp_path / "a.db", "--json", "--config", loaded.path)
    inside = command("backup", tmp_path / "folder", "--json", "--config", loaded.path)

    [copy] = (tmp_path / "folder").iterdir()
    head = named.value["head"]
    size = (tmp_path / "a.db").stat().st_size
    assert named.value == {
        "file": str(tmp_path / "a.db"),
        "bytes": size,
        "head": {**head, "seq": 1},
    }
    assert sorted(head) == ["at", "hash", "record", "seq"]
    assert inside.value == {"file": str(copy), "bytes": size, "head": head}


def test_a_store_without_a_record_is_copied_too(
    tmp_path: Path, command: Command
) -> None:
    loaded = make_host(tmp_path, SILENT)
    command("list", "--config", loaded.path)

    ended = command("backup", tmp_path / "a.db", "--config", loaded.path)

    assert ended.code == 0
    assert "There is no record in it." in " ".join(ended.out.split())


def test_a_copy_replaces_nothing(tmp_path: Path, command: Command) -> None:
    loaded = make_host(tmp_path)
    note(loaded)
    taken = tmp_path / "taken.db"
    taken.write_text("mine")

    ended = command("backup", taken, "--config", loaded.path)

    assert (ended.code, ended.out, taken.read_text()) == (4, "", "mine")
    assert "exists already, and a copy replaces nothing" in ended.err


def test_where_there_is_no_store_none_is_made(tmp_path: Path, command: Command) -> None:
    loaded = make_host(tmp_path)
    before = sorted(tmp_path.iterdir())

    ended = command("backup", "--config", loaded.path)

    assert (ended.code, ended.out) == (4, "")
    assert "does not exist" in ended.err
    assert sorted(tmp_path.iterdir()) == before
