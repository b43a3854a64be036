from pathlib import Path
from typing import Any

import pytest
from contrib.files.world import build_world, names_in


async def test_a_file_is_moved_and_verified(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "folder").mkdir()
    (world.root / "a").write_text("x")
    arguments = {"source": "./a", "destination": "folder/b"}
    moved = await world.run("move", **arguments)
    assert moved == {"source": "a", "destination": "folder/b", "overwritten": False}
    verified = await world.verify("move", **arguments)
    assert verified["source"] == {"exists": False}
    assert (verified["destination"]["kind"], verified["destination"]["size"]) == (
        "file",
        1,
    )
    changes = world.registry.get_ability("files/move").changes
    assert changes is not None
    assert changes.targets is not None
    assert changes.targets(arguments) == ["a", "folder/b"]
    assert (world.root / "folder/b").stat().st_nlink == 1


async def test_a_file_replaces_another_only_when_told(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").write_text("new")
    (world.root / "b").write_text("old")
    arguments: dict[str, Any] = {"source": "a", "destination": "b"}
    assert await world.code("move", **arguments) == "exists"
    assert (world.root / "b").read_text() == "old"
    moved = await world.run("move", **arguments, overwrite=True)
    assert moved["overwritten"]
    assert (world.root / "b").read_text() == "new"
    assert names_in(world.root) == ["b"]


async def test_an_empty_folder_is_moved(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").mkdir(mode=0o700)
    await world.run("move", source="a", destination="b")
    assert (world.root / "b").stat().st_mode & 0o777 == 0o700
    assert names_in(world.root) == ["b"]


@pytest.mark.parametrize(
    ("source", "destination", "code"),
    [
        ("missing", "x", "not_found"),
        ("a", "a", "exists"),
        ("a", "full", "exists"),
        ("empty", "a", "exists"),
        ("full", "x", "not_empty"),
        ("a", "no/x", "parent_missing"),
        ("a", "nul", "invalid_path"),
        ("a", "../x", "outside_root"),
    ],
)
async def test_a_refused_move_changes_nothing(
    tmp_path: Path, source: str, destination: str, code: str
) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").write_text("x")
    (world.root / "empty").mkdir()
    (world.root / "full/b").mkdir(parents=True)
    move = {"source": source, "destination": destination}
    assert await world.code("move", **move) == code
    assert names_in(world.root) == ["a", "empty", "full"]


async def test_overwriting_spares_folders_and_read_only_files(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").write_text("x")
    (world.root / "empty").mkdir()
    (world.root / "closed").write_text("y")
    (world.root / "closed").chmod(0o444)
    moves = [("a", "empty"), ("a", "closed"), ("empty", "a")]
    codes = [
        await world.code("move", source=source, destination=to, overwrite=True)
        for source, to in moves
    ]
    assert codes == ["is_folder", "read_only", "exists"]
