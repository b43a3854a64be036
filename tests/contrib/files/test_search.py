from pathlib import Path
from typing import Any

import pytest
from contrib.files.world import build_world, open_folder
from hypothesis import given
from hypothesis import strategies as st

from abilities_files.search import cut_snippet, fold_text, search_files
from abilities_files.settings import Settings
from abilities_host import fold


async def test_names_and_lines_are_found_whatever_case_and_accents(
    tmp_path: Path,
) -> None:
    world = await build_world(tmp_path)
    (world.root / "Café").mkdir()
    (world.root / "Café" / "menu.md").write_text("one\r\nthe CAFE\r\nthree")
    (world.root / "binary").write_bytes(b"cafe\0")
    assert await world.run("search", query="cafe\u0301") == {
        "path": "",
        "matches": [
            {"path": "Café", "kind": "name", "snippet": "Café"},
            {
                "path": "Café/menu.md",
                "kind": "text",
                "line": 2,
                "snippet": "the CAFE",
            },
        ],
        "searched": 2,
        "skipped": 1,
        "stopped_by": None,
    }


async def test_a_query_is_plain_text_and_no_pattern(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "a").write_text("(a+)+$\naaaaaaaa")
    found = await world.run("search", query="(a+)+$")
    assert [match["line"] for match in found["matches"]] == [1]


@pytest.mark.parametrize("query", ["a\nb", "\u0301"])
async def test_a_query_that_cannot_stand_in_a_line_is_refused(
    tmp_path: Path, query: str
) -> None:
    world = await build_world(tmp_path)
    assert await world.code("search", query=query) == "invalid_content"


@pytest.mark.parametrize(
    ("settings", "arguments", "stopped", "count"),
    [
        ({}, {"limit": 3}, "limit", 3),
        ({}, {"limit": 4}, None, 4),
        ({"search_files": 1}, {}, "files", 2),
    ],
)
async def test_a_search_that_stops_early_says_why(
    tmp_path: Path,
    settings: dict[str, Any],
    arguments: dict[str, Any],
    stopped: str | None,
    count: int,
) -> None:
    world = await build_world(tmp_path, settings=settings)
    (world.root / "a").write_text("hit\nhit")
    (world.root / "b").write_text("hit\nhit")
    found = await world.run("search", query="hit", **arguments)
    assert (found["stopped_by"], len(found["matches"])) == (stopped, count)


def test_a_search_ends_with_its_time(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("hit")
    (tmp_path / "b").write_text("hit")
    root, settings = open_folder(tmp_path), Settings(search_seconds=0)
    found = search_files(root, settings, {"query": "hit"})
    assert (found["stopped_by"], found["searched"]) == ("time", 1)


async def test_large_linked_and_unreadable_files_are_skipped(tmp_path: Path) -> None:
    world = await build_world(tmp_path, settings={"search_bytes": 10})
    (world.root / "large").write_text("hit" * 10)
    (world.root / "bad\udcff").write_text("hit")
    (world.root / "link").symlink_to("small")
    (world.root / "small").write_text("hit")
    found = await world.run("search", query="HIT")
    assert [match["path"] for match in found["matches"]] == ["small"]
    assert (found["searched"], found["skipped"]) == (2, 2)


async def test_one_folder_is_searched(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    (world.root / "in").mkdir()
    (world.root / "in" / "hit").touch()
    (world.root / "hit").touch()
    found = await world.run("search", query="hit", path="in/")
    assert [match["path"] for match in found["matches"]] == ["in/hit"]


@pytest.mark.parametrize("filler", ["x", "é", "ß", "e\u0301"])
def test_a_snippet_of_a_long_line_shows_the_match(filler: str) -> None:
    line = filler * 400 + "NEEDLE" + filler * 400
    snippet = cut_snippet(line, fold(line).find("needle"))
    assert "NEEDLE" in snippet
    assert len(snippet) <= 200


@given(st.text(max_size=50))
def test_folding_a_long_text_is_folding(text: str) -> None:
    assert fold_text(text) == fold(text)


@given(st.text(alphabet="aé\u0301ß", min_size=201, max_size=400), st.data())
def test_a_snippet_never_begins_inside_a_character(
    text: str, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(fold(text))))
    snippet = cut_snippet(text, place)
    assert snippet in text
    assert not snippet.startswith("\u0301")
