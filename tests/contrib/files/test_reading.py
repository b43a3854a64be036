from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from contrib.files.world import World, build_world


async def _read_pages(world: World, limit: int, **more: Any) -> list[dict[str, Any]]:
    pages, offset = [], 0
    while offset is not None:
        page = await world.run("read", path="a", offset=offset, limit=limit, **more)
        pages.append(page)
        offset = page["next_offset"]
    return pages


async def test_text_is_read_with_its_line_ends(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").write_bytes("\ufeffé\r\nb\n".encode())
    assert await world.run("read", path="./a") == {
        "path": "a",
        "size": 9,
        "kind": "text",
        "text": "\ufeffé\r\nb\n",
        "truncated": False,
        "next_offset": None,
    }


async def test_pages_of_text_never_split_a_character(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    text = "aé€😀" * 5
    (world.root / "a").write_text(text, encoding="utf-8")
    pages = await _read_pages(world, 3)
    assert "".join(page["text"] for page in pages) == text
    assert [page["truncated"] for page in pages] == [True] * 6 + [False]


async def test_pages_of_bytes_add_up_to_the_file(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    data = bytes(range(256))
    (world.root / "a").write_bytes(data)
    pages = await _read_pages(world, 100)
    assert b"".join(b64decode(page["base64"]) for page in pages) == data
    assert {page["mime"] for page in pages} == {"application/octet-stream"}


async def test_text_can_be_read_as_bytes_and_its_kind_is_told(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a.png").write_bytes(b"hi")
    assert await world.run("read", path="a.png", encoding="base64") == {
        "path": "a.png",
        "size": 2,
        "kind": "binary",
        "base64": "aGk=",
        "mime": "image/png",
        "truncated": False,
        "next_offset": None,
    }


async def test_an_offset_behind_the_end_gives_an_empty_page(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").write_text("abc")
    page = await world.run("read", path="a", offset=10)
    assert (page["text"], page["truncated"]) == ("", False)


@pytest.mark.parametrize("data", [b"a\0b", b"\xff\xfe", b"\xc3"])
async def test_what_is_not_utf8_is_not_read_as_text(
    tmp_path: Path, data: bytes
) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").write_bytes(data)
    assert await world.code("read", path="a", encoding="text") == "binary"


async def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    world = await build_world(tmp_path, settings={"max_bytes": 10})
    (world.root / "folder").mkdir()
    (world.root / "large").write_bytes(b"x" * 11)
    (world.root / "limit").write_bytes(b"x" * 10)
    paths = ["missing", "folder", "folder/missing", "no/a", "large", "limit/a"]
    assert [await world.code("read", path=path) for path in paths] == [
        "not_found",
        "is_folder",
        "not_found",
        "parent_missing",
        "too_large",
        "not_a_folder",
    ]
    assert (await world.run("read", path="limit"))["size"] == 10
