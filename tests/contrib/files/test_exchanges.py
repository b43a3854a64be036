import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from contrib.files.world import Told, names_in

from abilities_files.deletion import delete_all
from abilities_files.folder import Folder
from abilities_files.handle import Handle
from abilities_files.listing import list_files
from abilities_files.moving import move_file
from abilities_files.placement import put_contents, remove, set_folder_mode
from abilities_files.reading import read_file
from abilities_files.refusals import Changed, PathRefused
from abilities_files.settings import Settings
from abilities_files.states import read_state
from abilities_files.strays import sweep_strays
from abilities_files.writing import write_file
from abilities_host.protected import ProtectedPaths

STRAY = ".abilities-0123456789abcdef.part"

OPENERS = [
    pytest.param(Handle.open_root, id="descriptors"),
    pytest.param(Handle.open_root_by_path, id="paths"),
]


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
    return write_file(root, Settings(), {"path": path, "text": "written"}, Told())


def _move(root: Folder, path: str) -> Any:
    move = {"source": path, "destination": "moved"}
    return move_file(root, Settings(), move, Told())


def _delete(root: Folder, path: str) -> Any:
    return delete_all(root, [path], Told(), Event())


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
    assert _delete(folder, "moved") == "file"
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


def test_a_folder_exchanged_for_a_closed_one_is_not_listed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "secret").touch()
    closed = (tmp_path / "closed").stat().st_ino

    def protects(path: Path, status: os.stat_result | None) -> bool:
        if path.name == "a" and (tmp_path / "closed").exists():
            (tmp_path / "a").rename(tmp_path / "z")
            (tmp_path / "closed").rename(tmp_path / "a")
        return status is not None and status.st_ino == closed

    listing = list_files(Folder(tmp_path, protects), {"depth": 2})
    assert [entry["path"] for entry in listing["entries"]] == ["a"]


def test_opening_a_pipe_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with Handle.open_root(str(tmp_path)) as handle:
        os.close(handle.open_file("pipe"))


class Restless(Handle):
    """A folder whose files are always somewhere else just now."""

    __slots__ = ()

    def open_file(self, name: str) -> int:
        raise FileNotFoundError(2, "No such file or directory")


def test_what_never_holds_still_has_no_state(tmp_path: Path) -> None:
    protects = ProtectedPaths([]).protects
    folder = Folder(tmp_path, protects, open_root=Restless.open_root)
    (tmp_path / "a").touch()
    with pytest.raises(PathRefused) as refusal:
        read_state(folder, 1, "a")
    assert refusal.value.code == "changed"


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


def _rewrite_quietly(path: Path) -> None:
    """Write as many bytes and set the time back, once the clock has moved on."""
    before = path.stat()
    while path.stat().st_ctime_ns == before.st_ctime_ns:
        path.write_bytes(b"OLD")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _exchange_for_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


CHANGES: dict[str, Callable[[Path], object]] = {
    "close": lambda path: path.chmod(0o400),
    "rewrite": lambda path: path.write_text("from outside"),
    "rewrite quietly": _rewrite_quietly,
    "remove": Path.unlink,
    "exchange": _exchange_for_folder,
}


def test_two_that_make_one_name_do_not_overwrite_each_other(tmp_path: Path) -> None:
    folder = Folder(tmp_path, ProtectedPaths([]).protects)
    make = partial(write_file, folder, Settings(), call=Told())
    with folder.spot("a") as spot:
        assert spot.find_status() is None
        make({"path": "a", "text": "first"})
        with pytest.raises(FileExistsError):
            put_contents(spot, b"second", over=None)
    assert (tmp_path / "a").read_text() == "first"
    assert names_in(tmp_path) == ["a"]


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_a_file_changed_since_it_was_looked_at_is_left(
    tmp_path: Path, name: str
) -> None:
    folder = Folder(tmp_path, ProtectedPaths([]).protects)
    (tmp_path / "a").write_text("old")
    with folder.spot("a") as spot:
        status = spot.get_status()
        CHANGES[name](tmp_path / "a")
        with pytest.raises(PathRefused) as refusal:
            put_contents(spot, b"new", over=status)
    assert refusal.value.code == "changed"
    assert names_in(tmp_path) == ([] if name == "remove" else ["a"])


def test_a_folder_changed_since_it_was_looked_at_is_left(tmp_path: Path) -> None:
    folder = Folder(tmp_path, ProtectedPaths([]).protects)
    (tmp_path / "a").mkdir()
    with folder.spot("a") as spot:
        status = spot.get_status()
        (tmp_path / "a").chmod(0o711)
        with pytest.raises(Changed):
            remove(spot, status)
        with pytest.raises(Changed):
            set_folder_mode(spot, 0o700, status)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o711
