import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from contrib.files.history import read_tree
from contrib.files.world import Told, build_world, names_in, open_folder

from abilities_files.deletion import delete_path, delete_targets
from abilities_files.settings import Settings
from abilities_host import MISSING, AbilityFailed, State


async def test_a_file_and_an_empty_folder_are_deleted(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").write_text("x")
    (world.root / "b").mkdir()
    (world.root / "c").write_text("x")
    assert [await world.run("delete", path=path) for path in ["a", "b/"]] == [
        {"path": "a", "kind": "file", "deleted": 1},
        {"path": "b", "kind": "folder", "deleted": 1},
    ]
    gone = await world.run("delete", path="c", recursive=True)
    assert gone == {"path": "c", "kind": "file", "deleted": 1}
    assert await world.verify("delete", path="a") == {"exists": False}
    assert await world.verify("delete", path="a/b") == {"exists": False}
    assert names_in(world.root) == []


async def test_what_is_not_there_is_not_deleted(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    for recursive in [False, True]:
        codes = [
            await world.code("delete", path=path, recursive=recursive)
            for path in ["a", ".", "a/b", "../a"]
        ]
        assert codes == ["not_found", "invalid_path", "parent_missing", "outside_root"]


async def test_a_folder_with_something_in_it_stays(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").mkdir()
    (world.root / "a/x").touch()
    assert await world.code("delete", path="a") == "not_empty"
    assert await world.verify("delete", path="a") == {"exists": True, "kind": "folder"}


async def test_a_folder_goes_with_everything_in_it(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a/b/c").mkdir(parents=True)
    (world.root / "a/b/x").write_text("x")
    (world.root / "a/y").write_text("y")
    (world.root / "z").write_text("z")
    paths = ["a", "a/b", "a/b/c", "a/b/x", "a/y"]
    assert await world.targets("delete", path="./a/", recursive=True) == paths
    deleted = await world.run("delete", path="./a/", recursive=True)
    assert deleted == {"path": "a", "kind": "folder", "deleted": 5}
    assert names_in(world.root) == ["z"]


def _fill(folder: Path, count: int) -> None:
    for number in range(count):
        (folder / str(number)).touch()


def _nest(folder: Path, depth: int) -> None:
    folder.joinpath(*["d"] * depth).mkdir(parents=True)


def _make_large(folder: Path) -> None:
    for number in range(65):
        with (folder / str(number)).open("wb") as file:
            file.truncate(1 << 20)


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda folder: _fill(folder, 998), "too_large"),
        (lambda folder: _nest(folder, 64), "invalid_path"),
        (_make_large, "too_large"),
        (lambda folder: (folder / "y").write_bytes(b"x" * (1 << 20 | 1)), "too_large"),
        (lambda folder: (folder / "y").symlink_to("x"), "linked"),
        (lambda folder: os.link(folder / "x", folder / "y"), "linked"),
        (lambda folder: os.mkfifo(folder / "y"), "not_a_file"),
        (lambda folder: (folder / "y\n").touch(), "not_empty"),
        (lambda folder: (folder / os.fsdecode(b"\xff")).touch(), "not_empty"),
        (lambda folder: (folder / f".abilities-{0:016}.part").touch(), "not_empty"),
        (lambda folder: (folder / "closed").touch(), "protected"),
    ],
)
async def test_a_folder_that_could_not_be_put_back_is_not_touched(
    tmp_path: Path, spoil: Callable[[Path], object], code: str
) -> None:
    closed = tmp_path / "content/a/b/closed"
    settings = {"max_bytes": 1 << 20}
    world = await build_world(tmp_path, settings=settings, protected=[closed])
    (world.root / "a/b").mkdir(parents=True)
    (world.root / "a/b/x").write_text("x")
    spoil(world.root / "a/b")
    before = read_tree(world.root)
    assert await world.code("delete", path="a", recursive=True) == code
    assert read_tree(world.root) == before


async def test_as_much_as_one_call_may_change_is_named(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").mkdir()
    _fill(world.root / "a", 999)
    assert len(await world.targets("delete", path="a", recursive=True)) == 1000


async def test_what_has_come_since_the_targets_were_named_is_announced(
    tmp_path: Path,
) -> None:
    root = open_folder(tmp_path)
    (tmp_path / "a").mkdir()
    arguments = {"path": "a", "recursive": True}
    assert await delete_targets(root, Settings(), arguments) == ["a"]
    (tmp_path / "a/late").write_text("late")
    call = Told()
    await delete_path(root, Settings(), arguments, call)
    assert call.touched == ["a", "a/late"]
    assert call.left == {"a/late": MISSING, "a": MISSING}
    assert names_in(tmp_path) == []


class Late(Told):
    """A call in which somebody adds a file after all are announced."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def made(self, domain: str, target: str, state: State) -> None:
        super().made(domain, target, state)
        self.path.write_text("late")


async def test_what_comes_even_later_is_kept(tmp_path: Path) -> None:
    root = open_folder(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a/x").write_text("x")
    call = Late(tmp_path / "a/late")
    with pytest.raises(AbilityFailed) as refusal:
        await delete_path(root, Settings(), {"path": "a", "recursive": True}, call)
    assert refusal.value.code == "not_empty"
    assert call.left == {"a/x": MISSING}
    assert names_in(tmp_path / "a") == ["late"]


class Slow(Told):
    """A call that holds the deletion up after the first file."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.get_running_loop()
        self.has_begun = asyncio.Event()
        self.may_go_on = Event()

    def made(self, domain: str, target: str, state: State) -> None:
        super().made(domain, target, state)
        self.loop.call_soon_threadsafe(self.has_begun.set)
        assert self.may_go_on.wait(30)


async def test_a_cancelled_deletion_stops_before_it_is_over(tmp_path: Path) -> None:
    root = open_folder(tmp_path)
    (tmp_path / "a").mkdir()
    for name in ["x", "y", "z"]:
        (tmp_path / "a" / name).touch()
    call = Slow()
    arguments = {"path": "a", "recursive": True}
    deletion = asyncio.ensure_future(delete_path(root, Settings(), arguments, call))
    await call.has_begun.wait()
    deletion.cancel()
    asyncio.get_running_loop().call_soon(call.may_go_on.set)  # once it is told
    with pytest.raises(asyncio.CancelledError):
        await deletion
    assert call.left == {"a/z": MISSING}
    assert names_in(tmp_path / "a") == ["x", "y"]
