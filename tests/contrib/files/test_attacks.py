import os
import socket
import stat
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from contrib.files.world import World, build_world, names_in

from abilities_files.folder import Folder
from abilities_files.handle import Handle
from abilities_files.listing import list_files
from abilities_files.moving import delete_file, move_file
from abilities_files.placement import put_contents
from abilities_files.reading import read_file
from abilities_files.refusals import OtherSpelling, PathRefused, TooLarge
from abilities_files.settings import Settings
from abilities_files.strays import sweep_strays
from abilities_files.writing import write_file
from abilities_host.protected import ProtectedPaths

STRAY = ".abilities-0123456789abcdef.part"

OPENERS = [
    pytest.param(Handle.open_root, id="descriptors"),
    pytest.param(Handle.open_root_by_path, id="paths"),
]


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
            write_file(root, Settings(), {"path": path, "text": "y"})
    assert write_file(root, Settings(), {"path": "Folder/b", "text": ""})["created"]


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
    assert _read(root, "0")["size"] == 0


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


class Meddler:
    """Answers the pack's question about a path, and exchanges something meanwhile.

    The pack asks at each of its steps, so every moment of a race is tried in turn.
    """

    def __init__(self, moment: int, root: Path) -> None:
        self.left = moment
        self.root = root

    def protects(self, path: Path, status: os.stat_result | None = None) -> bool:
        del path, status
        self.left -= 1
        if self.left == 0:
            for name in ["folder", "file"]:
                (self.root / name).rename(self.root / f"{name}.old")
                (self.root / f"{name}.link").rename(self.root / name)
        return False


def _lay_out(tmp_path: Path) -> tuple[Path, Path]:
    (root := tmp_path / "root").mkdir()
    (outside := tmp_path / "outside").mkdir()
    (root / "folder").mkdir()
    for path in [outside / "file", root / "folder/file", root / "file"]:
        path.write_text("SECRET" if path.parent == outside else "inside")
    (root / "folder.link").symlink_to(outside)
    (root / "file.link").symlink_to(outside / "file")
    return root, outside


def _read(root: Folder, path: str) -> Any:
    return read_file(root, Settings(), {"path": path})


def _write(root: Folder, path: str) -> Any:
    return write_file(root, Settings(), {"path": path, "text": "written"})


def _move(root: Folder, path: str) -> Any:
    return move_file(root, {"source": path, "destination": "moved"})


def _delete(root: Folder, path: str) -> Any:
    return delete_file(root, {"path": path})


def _make(root: Folder, path: str) -> Any:
    return _write(root, f"{Path(path).parent}/new")


@pytest.mark.parametrize("work", [_read, _write, _move, _delete, _make])
@pytest.mark.parametrize("path", ["folder/file", "file"])
@pytest.mark.parametrize("moment", range(1, 9))
def test_an_exchange_at_any_moment_leads_nowhere(
    tmp_path: Path, work: Any, path: str, moment: int
) -> None:
    root, outside = _lay_out(tmp_path)
    folder = Folder(root, Meddler(moment, root).protects)
    try:
        answer = work(folder, path)
    except PathRefused:
        answer = None
    assert "SECRET" not in str(answer)
    assert names_in(outside) == ["file"]
    assert (outside / "file").read_text() == "SECRET"


def test_the_same_exchange_fools_a_check_of_the_resolved_path(tmp_path: Path) -> None:
    root, _ = _lay_out(tmp_path)
    meddler = Meddler(1, root)
    path = (root / "folder/file").resolve()
    assert path.is_relative_to(root)
    assert not meddler.protects(path)
    assert path.read_text() == "SECRET"


@pytest.mark.parametrize("open_root", OPENERS)
def test_both_ways_to_open_folders_do_the_same(tmp_path: Path, open_root: Any) -> None:
    root, outside = _lay_out(tmp_path)
    folder = Folder(root, ProtectedPaths([]).protects, open_root=open_root)
    assert _read(folder, "folder/file")["text"] == "inside"
    assert _write(folder, "folder/file")["created"] is False
    assert _make(folder, "folder/file")["created"] is True
    assert _move(folder, "folder/file")["destination"] == "moved"
    assert _delete(folder, "moved")["kind"] == "file"
    for path in ["folder.link/file", "file.link", "folder.link"]:
        with pytest.raises(PathRefused) as refusal:
            _read(folder, path)
        assert refusal.value.code == "linked"
    with pytest.raises(PathRefused) as refusal:
        _read(folder, "file/x")
    assert refusal.value.code == "not_a_folder"
    assert names_in(root / "folder") == ["new"]
    assert names_in(outside) == ["file"]


def test_a_root_without_descriptors_must_be_a_plain_folder(tmp_path: Path) -> None:
    root, _ = _lay_out(tmp_path)
    with pytest.raises(NotADirectoryError):
        Handle.open_root_by_path(str(root / "file"))
    with pytest.raises(OSError, match="symbolic links"):
        Handle.open_root_by_path(str(root / "folder.link"))
    handle = Handle.open_root_by_path(str(root))
    with pytest.raises(OSError, match="symbolic links"):
        handle.open_file("file.link")


class Stubborn(Handle):
    """A folder that does not let go of one file, as one with a sticky bit."""

    __slots__ = ()

    def remove_file(self, name: str) -> None:
        if name in {"a", STRAY}:
            raise PermissionError(1, "Operation not permitted")
        super().remove_file(name)


def test_a_move_that_cannot_be_finished_is_taken_back(tmp_path: Path) -> None:
    protects = ProtectedPaths([]).protects
    folder = Folder(tmp_path, protects, open_root=Stubborn.open_root)
    (tmp_path / "a").write_text("x")
    with pytest.raises(PathRefused) as refusal:
        _move(folder, "a")
    assert refusal.value.code == "no_access"
    assert names_in(tmp_path) == ["a"]
    assert (tmp_path / "a").stat().st_nlink == 1


def test_a_stray_that_cannot_be_removed_is_left(tmp_path: Path) -> None:
    protects = ProtectedPaths([]).protects
    folder = Folder(tmp_path, protects, open_root=Stubborn.open_root)
    (tmp_path / STRAY).touch()
    assert sweep_strays(folder, older_than=-60) == 0
    assert names_in(tmp_path) == [STRAY]


def test_what_goes_while_a_folder_is_listed_is_left_out(tmp_path: Path) -> None:
    (root := tmp_path / "root").mkdir()
    for name in ["a", "b", "c"]:
        (root / name).mkdir()

    def protects(path: Path, status: os.stat_result | None) -> bool:
        if path.name == "a" and (root / "b").exists():
            (root / "b").rmdir()
        if path.name == "c" and not (root / "c").is_symlink():
            (root / "c").rmdir()
            (root / "c").symlink_to(tmp_path)
        return status is None

    listing = list_files(Folder(root, protects), {"depth": 2})
    assert [entry["path"] for entry in listing["entries"]] == ["a", "c"]


class Unlinkable(Handle):
    """A folder on a file system without hard links, such as FAT."""

    __slots__ = ()

    def link(self, name: str, other: Handle, new: str) -> None:
        raise PermissionError(1, "Operation not permitted")


def test_nothing_is_overwritten_where_hard_links_do_not_exist(tmp_path: Path) -> None:
    protects = ProtectedPaths([]).protects
    folder = Folder(tmp_path, protects, open_root=Unlinkable.open_root)
    assert _write(folder, "a")["created"]
    assert _move(folder, "a")["overwritten"] is False
    assert names_in(tmp_path) == ["moved"]
    assert (tmp_path / "moved").read_text() == "written"
    with folder.spot("moved") as spot, pytest.raises(FileExistsError):
        put_contents(spot, b"x", over=None)
    assert (tmp_path / "moved").read_text() == "written"
    assert names_in(tmp_path) == ["moved"]


def test_two_that_make_one_name_do_not_overwrite_each_other(tmp_path: Path) -> None:
    folder = Folder(tmp_path, ProtectedPaths([]).protects)
    make = partial(write_file, folder, Settings())
    with folder.spot("a") as spot:
        assert spot.find_status() is None
        make({"path": "a", "text": "first"})
        with pytest.raises(FileExistsError):
            put_contents(spot, b"second", over=None)
    assert (tmp_path / "a").read_text() == "first"
    assert names_in(tmp_path) == ["a"]


def test_a_file_changed_since_it_was_looked_at_is_left(tmp_path: Path) -> None:
    folder = Folder(tmp_path, ProtectedPaths([]).protects)
    codes = []
    with folder.spot("a") as spot:
        (tmp_path / "a").write_text("old")
        status = spot.get_status()
        for change in [_rewrite, _remove, _make_folder]:
            change(tmp_path / "a")
            with pytest.raises(PathRefused) as refusal:
                put_contents(spot, b"new", over=status)
            codes.append(refusal.value.code)
    assert codes == ["changed"] * 3
    assert names_in(tmp_path) == ["a"]


def _rewrite(path: Path) -> None:
    path.write_text("from outside")


def _remove(path: Path) -> None:
    path.unlink()


def _make_folder(path: Path) -> None:
    path.mkdir()
