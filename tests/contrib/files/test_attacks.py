import os
import socket
import stat
from pathlib import Path

import pytest
from contrib.files.world import Told, World, build_world, names_in

from abilities_files.folder import Folder
from abilities_files.listing import list_files
from abilities_files.reading import read_file
from abilities_files.refusals import OtherSpelling, TooLarge
from abilities_files.settings import Settings
from abilities_files.writing import write_file
from abilities_host.protected import ProtectedPaths

STRAY = ".abilities-0123456789abcdef.part"


async def _codes(world: World, path: str) -> set[str]:
    """Try everything on one path."""
    edits = [{"old": "secret", "new": "x"}]
    return {
        await world.code("read", path=path),
        await world.code("write", path=path, text="x"),
        await world.code("edit", path=path, edits=edits),
        await world.code("delete", path=path),
        await world.code("move", source=path, destination="moved"),
        await world.code("move", source="plain", destination=path, overwrite=True),
    }


async def test_a_link_is_not_followed_at_the_end_or_on_the_way(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (tmp_path / "secret").write_text("secret")
    (world.root / "plain").write_text("x")
    (world.root / "inside").symlink_to("plain")
    (world.root / "file").symlink_to(tmp_path / "secret")
    (world.root / "folder").symlink_to(tmp_path)
    (world.root / "dangling").symlink_to(tmp_path / "none")
    paths = ["inside", "file", "folder", "folder/secret", "dangling", "dangling/a"]
    for path in paths:
        assert await _codes(world, path) == {"linked"}
    found = await world.run("search", query="secret")
    assert found["matches"] == []
    assert await world.paths(depth=9) == [
        "dangling",
        "file",
        "folder",
        "inside",
        "plain",
    ]
    assert (tmp_path / "secret").read_text() == "secret"


async def test_pipes_sockets_and_devices_are_refused_at_once(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "plain").write_text("x")
    os.mkfifo(world.root / "pipe")
    (folder := tmp_path / "s").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "s"))
        (folder / "s").rename(world.root / "socket")
        for path in ["pipe", "socket"]:
            assert await _codes(world, path) == {"not_a_file"}
    found = await world.run("search", query="pipe")
    assert [match["path"] for match in found["matches"]] == ["pipe"]


async def test_a_device_node_is_refused_where_one_can_be_made(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "plain").write_text("x")
    try:
        os.mknod(world.root / "zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except OSError:  # only the administrator may make one
        os.mkfifo(world.root / "zero")
    assert await _codes(world, "zero") == {"not_a_file"}


async def test_a_second_name_makes_a_file_readable_only(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (tmp_path / "other").write_text("secret")
    (world.root / "plain").write_text("x")
    (world.root / "a").hardlink_to(tmp_path / "other")
    assert (await world.run("read", path="a"))["text"] == "secret"
    edits = [{"old": "secret", "new": "x"}]
    assert {
        await world.code("write", path="a", text="x"),
        await world.code("edit", path="a", edits=edits),
        await world.code("delete", path="a"),
        await world.code("move", source="a", destination="b"),
        await world.code("move", source="plain", destination="a", overwrite=True),
    } == {"linked"}
    assert (tmp_path / "other").read_text() == "secret"


@pytest.mark.parametrize(
    "path",
    [
        "host.toml",
        "./host.toml",
        "sub/..//host.toml",
        "hard",
        "Café",
        "Cafe\u0301",
        "plugins/secret.py",
        "plugins",
        "HOST.toml",
        "store.db-wal",
        "./Plugins/secret.py",
    ],
)
async def test_what_belongs_to_the_host_is_closed_by_every_spelling(
    tmp_path: Path, path: str
) -> None:
    root = tmp_path / "content"
    (root / "plugins").mkdir(parents=True)
    for name in ["host.toml", "Café", "plugins/secret.py", "plain"]:
        (root / name).write_text("secret")
    names = ["host.toml", "Café", "plugins", "store.db-wal"]
    world = await build_world(tmp_path, protected=[root / name for name in names])
    (root / "hard").hardlink_to(root / "host.toml")
    (root / "link").symlink_to("host.toml")
    before = sorted(root.rglob("*"))
    allowed = {"protected", "outside_root", "not_found", "parent_missing"}
    assert await _codes(world, path) <= allowed | {"is_folder"}
    assert await world.paths(depth=9) == ["plain"]
    found = await world.run("search", query="secret")
    assert [match["path"] for match in found["matches"]] == ["plain"]
    assert sorted(root.rglob("*")) == before
    assert (root / "host.toml").read_text() == "secret"


async def test_a_name_in_another_unicode_form_is_the_same_file(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "e\u0301").mkdir()
    (world.root / "e\u0301" / "o\u0308").write_text("old")
    assert await world.paths(depth=2) == ["\u00e9", "\u00e9/\u00f6"]
    for path in ["\u00e9/\u00f6", "e\u0301/o\u0308"]:
        await world.run("write", path=path, text="new")
    assert (world.root / "e\u0301" / "o\u0308").read_text() == "new"
    assert names_in(world.root / "e\u0301") == ["o\u0308"]
    assert (await world.domain.capture("\u00e9/\u00f6"))["base64"] == "bmV3"


def test_a_folding_file_system_knows_a_thing_by_one_name(tmp_path: Path) -> None:
    root = Folder(tmp_path, ProtectedPaths([]).protects, folds_case=True)
    (tmp_path / "Folder").mkdir()
    (tmp_path / "Folder" / "a").write_text("x")
    assert read_file(root, Settings(), {"path": "Folder/a"})["text"] == "x"
    for path in ["folder/a", "Folder/A"]:
        with pytest.raises(OtherSpelling, match="capital letters"):
            write_file(root, Settings(), {"path": path, "text": "y"}, Told())
    write = {"path": "Folder/b", "text": ""}
    assert write_file(root, Settings(), write, Told())["created"]


def test_the_case_of_letters_matters_where_the_disk_says_so(tmp_path: Path) -> None:
    (tmp_path / "Root").mkdir()
    assert not Folder(tmp_path / "Root", ProtectedPaths([]).protects).folds_case
    (tmp_path / "rOOT").symlink_to("Root")  # the same folder by both spellings
    assert Folder(tmp_path / "Root", ProtectedPaths([]).protects).folds_case


def test_the_root_of_the_machine_folds_nothing() -> None:
    assert not Folder(Path("/"), ProtectedPaths([]).protects).folds_case


async def test_unfinished_writes_are_hidden_and_closed(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / STRAY).write_text("secret")
    (world.root / "plain").touch()
    assert await _codes(world, STRAY) == {"invalid_path"}
    assert await world.paths() == ["plain"]
    found = await world.run("search", query="secret")
    assert found["matches"] == []


def test_a_folder_with_too_many_names_is_refused(tmp_path: Path) -> None:
    root = Folder(tmp_path, ProtectedPaths([]).protects, names_limit=3)
    for number in range(3):
        (tmp_path / str(number)).touch()
    assert len(list_files(root, {})["entries"]) == 3
    (tmp_path / "more").touch()
    with pytest.raises(TooLarge, match="limit of 3 names in one folder"):
        list_files(root, {})
    assert read_file(root, Settings(), {"path": "0"})["size"] == 0


async def test_a_huge_sparse_file_is_refused_without_reading_it(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    with (world.root / "huge").open("wb") as file:
        file.truncate(1 << 40)
    assert await world.code("read", path="huge") == "too_large"
    assert (await world.run("search", query="x"))["skipped"] == 1


async def test_a_root_that_was_replaced_is_seen(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    world.root.rename(tmp_path / "old")
    assert await world.code("list") == "not_found"
    world.root.mkdir()
    (world.root / "new").touch()
    assert await world.paths() == ["new"]
    world.root.rename(tmp_path / "third")
    world.root.symlink_to(tmp_path / "third")
    assert await world.code("list") in {"linked", "not_a_folder"}
