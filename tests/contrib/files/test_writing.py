import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from contrib.files.world import build_world

from abilities_host import AbilityFailed


def _list_disk(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


async def test_a_new_file_is_written_and_verified(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    written = await world.run("write", path="./a.md", text="é\r\n")
    assert written == {"path": "a.md", "size": 4, "created": True}
    assert await world.verify("write", path="a.md", text="é\r\n") == {
        "exists": True,
        "kind": "file",
        "size": 4,
        "sha256": sha256("é\r\n".encode()).hexdigest(),
    }
    assert _list_disk(world.root) == ["a.md"]


async def test_bytes_replace_a_file_and_its_mode_stays(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").write_text("old")
    (world.root / "a").chmod(0o640)
    written = await world.run("write", path="a", base64="AP8=")
    assert written == {"path": "a", "size": 2, "created": False}
    assert (world.root / "a").read_bytes() == b"\0\xff"
    assert (world.root / "a").stat().st_mode & 0o7777 == 0o640
    assert _list_disk(world.root) == ["a"]


async def test_a_new_file_gets_the_bits_the_process_allows(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    mask = os.umask(0o027)
    try:
        await world.run("write", path="a", text="")
    finally:
        os.umask(mask)
    assert (world.root / "a").stat().st_mode & 0o7777 == 0o640


async def test_missing_folders_are_made_and_named_as_targets(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    arguments = {"path": "a/b/./c.md", "text": "x", "make_folders": True}
    await world.run("write", **arguments)
    await world.run("write", **arguments)
    changes = world.registry.get_ability("files/write").changes
    assert changes is not None
    assert changes.targets is not None
    assert changes.targets(arguments) == ["a", "a/b", "a/b/c.md"]
    assert changes.targets({"path": "a//b"}) == ["a/b"]
    assert _list_disk(world.root) == ["a", "a/b", "a/b/c.md"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"path": "a/new", "text": ""}, "not_a_folder"),
        ({"path": "no/new", "text": ""}, "parent_missing"),
        ({"path": "folder", "text": ""}, "is_folder"),
        ({"path": "a", "text": "", "overwrite": False}, "exists"),
        ({"path": "a"}, "invalid_content"),
        ({"path": "a", "text": "", "base64": ""}, "invalid_content"),
        ({"path": "a", "base64": "%"}, "invalid_content"),
        ({"path": "a", "text": "\ud800"}, "invalid_content"),
        ({"path": "a", "text": "x" * 21}, "too_large"),
        ({"path": "closed", "text": ""}, "read_only"),
        ({"path": "NUL.txt", "text": ""}, "invalid_path"),
        ({"path": "x./a", "text": "", "make_folders": True}, "invalid_path"),
        ({"path": "a/b/c", "text": "", "make_folders": True}, "not_a_folder"),
        ({"path": "../a", "text": ""}, "outside_root"),
    ],
)
async def test_a_refused_write_changes_nothing(
    tmp_path: Path, arguments: dict[str, Any], code: str
) -> None:
    world = await build_world(tmp_path, settings={"max_bytes": 20})
    (world.root / "a").write_text("old")
    (world.root / "closed").write_text("old")
    (world.root / "closed").chmod(0o444)
    (world.root / "folder").mkdir()
    assert await world.code("write", **arguments) == code
    assert _list_disk(world.root) == ["a", "closed", "folder"]
    assert (world.root / "a").read_text() == "old"


async def test_edits_are_done_in_order(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").write_bytes(b"one\r\ntwo two")
    edited = await world.run(
        "edit",
        path="a",
        edits=[
            {"old": "one\r\n", "new": "1\r\n"},
            {"old": "two", "new": "2", "all": True},
            {"old": "2 2", "new": "é"},
        ],
    )
    assert edited == {"path": "a", "size": 5, "replacements": 4}
    assert (world.root / "a").read_bytes() == "1\r\né".encode()


@pytest.mark.parametrize(
    ("data", "edit", "code", "hint"),
    [
        (b"a", {"old": "b", "new": ""}, "no_match", "Read the file again"),
        (b"a\r\nb", {"old": "a\nb", "new": ""}, "no_match", "\\r\\n"),
        (b"a  b", {"old": " a", "new": ""}, "no_match", "other blanks"),
        (b"aba", {"old": "a", "new": ""}, "multiple_matches", "more than once"),
        (b"aaa", {"old": "aa", "new": ""}, "multiple_matches", "more than once"),
        (b"a", {"old": "", "new": "b"}, "empty_old", "empty"),
        (b"\xff", {"old": "a", "new": ""}, "binary", "UTF-8"),
        (b"a", {"old": "a", "new": "\ud800"}, "invalid_content", "surrogate"),
        (b"a" * 9, {"old": "a", "new": "b" * 9, "all": True}, "too_large", "20"),
        (b"a", {"old": "a", "new": "é" * 11}, "too_large", "20"),
        (b"a" * 21, {"old": "b", "new": ""}, "too_large", "20"),
    ],
)
async def test_an_edit_that_does_not_fit_leaves_the_file(
    tmp_path: Path, data: bytes, edit: dict[str, Any], code: str, hint: str
) -> None:
    world = await build_world(tmp_path, settings={"max_bytes": 20})
    (world.root / "a").write_bytes(data)
    with pytest.raises(AbilityFailed) as refusal:
        await world.run("edit", path="a", edits=[edit])
    assert (refusal.value.code, hint in str(refusal.value)) == (code, True)
    assert (world.root / "a").read_bytes() == data


async def test_one_edit_that_does_not_fit_undoes_the_others(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").write_text("ab")
    edits = [{"old": "a", "new": "c"}, {"old": "a", "new": "d"}]
    with pytest.raises(AbilityFailed, match=r"Edit 2 of 'a'.*None of the edits"):
        await world.run("edit", path="a", edits=edits)
    assert (world.root / "a").read_text() == "ab"


async def test_only_a_writable_file_is_edited(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "folder").mkdir()
    (world.root / "closed").write_text("a")
    (world.root / "closed").chmod(0o400)
    edits = [{"old": "a", "new": "b"}]
    paths = ["folder", "closed", "missing"]
    assert [await world.code("edit", path=path, edits=edits) for path in paths] == [
        "is_folder",
        "read_only",
        "not_found",
    ]
