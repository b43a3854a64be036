import os
from pathlib import Path
from typing import Any

from contrib.files.world import build_world


async def test_a_folder_is_listed_in_the_order_of_its_paths(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "b").mkdir()
    (world.root / "b" / "x").write_text("12")
    (world.root / "a").write_text("1")
    (world.root / "c").symlink_to("a")
    os.mkfifo(world.root / "d")
    for path in ["a", "b", "b/x"]:
        os.utime(world.root / path, (0, 0))
    for path in ["c", "d"]:
        os.utime(world.root / path, (0, 0), follow_symlinks=False)
    epoch = "1970-01-01T00:00:00+00:00"
    assert await world.run("list", depth=2) == {
        "path": "",
        "entries": [
            {"path": "a", "kind": "file", "size": 1, "modified": epoch},
            {"path": "b", "kind": "folder", "size": 0, "modified": epoch},
            {"path": "b/x", "kind": "file", "size": 2, "modified": epoch},
            {"path": "c", "kind": "link", "size": 0, "modified": epoch},
            {"path": "d", "kind": "other", "size": 0, "modified": epoch},
        ],
        "truncated": False,
        "next_after": None,
    }


async def test_pages_of_any_size_add_up_to_the_whole_listing(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    for path in ["a/1", "a/2/x", "a-b", "a.b", "b/1", "c"]:
        (world.root / path).parent.mkdir(parents=True, exist_ok=True)
        (world.root / path).write_text("")
    whole = await world.paths(depth=3)
    for limit in range(1, len(whole) + 2):
        after: dict[str, str] = {}
        found, truncated = [], True
        while truncated:
            page: dict[str, Any] = await world.run(
                "list", depth=3, limit=limit, **after
            )
            found += [entry["path"] for entry in page["entries"]]
            after, truncated = {"after": page["next_after"]}, page["truncated"]
        assert found == whole
    assert whole == ["a", "a/1", "a/2", "a/2/x", "a-b", "a.b", "b", "b/1", "c"]


async def test_paging_goes_on_where_the_last_entry_was_removed(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    for name in "abd":
        (world.root / name).write_text("")
    assert await world.paths(after="c") == ["d"]
    assert await world.paths(after="a/gone") == ["b", "d"]


async def test_a_folder_below_the_root_and_the_depth_are_chosen(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a/b/c").mkdir(parents=True)
    assert await world.paths(path="./a/") == ["a/b"]
    assert await world.paths(path="a", depth=2) == ["a/b", "a/b/c"]


async def test_very_long_paths_make_a_shorter_page(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    deep = world.root.joinpath(*["x" * 250] * 12)
    deep.mkdir(parents=True)
    for number in range(300):
        (deep / str(number)).touch()
    page = await world.run("list", depth=16, limit=1000)
    assert page["truncated"]
    assert sum(len(entry["path"]) for entry in page["entries"]) < 500_000


async def test_unreadable_names_are_escaped_and_do_not_stop_a_listing(
    tmp_path: Path,
) -> None:
    world = await build_world(tmp_path)
    for name in [b"bad\xff", b"new\nline", b"esc\x1b", b"ok"]:
        (world.root / os.fsdecode(name)).touch()
    (world.root / os.fsdecode(b"dir\xff")).mkdir()
    (world.root / os.fsdecode(b"dir\xff") / "inner").touch()
    listing = await world.run("list", depth=3)
    assert [(e["path"], "unreadable_name" in e) for e in listing["entries"]] == [
        ("bad\\xff", True),
        ("dir\\xff", True),
        ("esc\\x1b", True),
        ("new\\nline", True),
        ("ok", False),
    ]


async def test_what_cannot_be_listed_says_why(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").touch()
    (world.root / "link").symlink_to(tmp_path)
    paths = ["a", "missing", "link", "..", "/"]
    assert [await world.code("list", path=path) for path in paths] == [
        "not_a_folder",
        "not_found",
        "linked",
        "outside_root",
        "outside_root",
    ]
