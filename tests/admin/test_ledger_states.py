"""The states of a change: beside each other, as a tree, as pictures, and hidden."""

import json
import re
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from admin.admin_world import AdminWorld, admin_world, text_of
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape
from plugins.ledger.shelf import change, content_of
from server.http_world import TOKEN

from abilities_host import MISSING, State
from abilities_host.admin.pictures import BYTES, media_of
from abilities_host.admin.sides import Line, Row, side_by_side
from abilities_host.admin.tree import Node, tree_of
from abilities_host.admin.weight import shortened, weight_of
from abilities_host.admin.words import Words
from abilities_ledger.book import Book
from abilities_ledger.unified import unified

LEDGER = "/admin/ledger"
TEXTS = st.text(st.sampled_from("ab \n"), max_size=60)
LEAVES = st.none() | st.booleans() | st.integers(-2, 2) | st.text("ab", max_size=3)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("xyz", max_size=2), inner, max_size=4)
    ),
    max_leaves=12,
)


def png(width: int = 2, height: int = 2) -> bytes:
    """Make a picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        sum_ = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + sum_

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x33" * 3 * width) * height)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", rows), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


async def put(
    world: AdminWorld, before: State, after: State, domain: str = "gone", **parts: Any
) -> int:
    """Record a change of a thing whose domain is not there any more."""
    kept = [
        None if state is MISSING else content_of(state, 1 << 23)
        for state in (before, after)
    ]
    digests = [each.digest if each else None for each in kept]
    draft = change(before=digests[0], after=digests[1], domain=domain, **parts)
    book = Book(world.host.store)
    [seq] = await book.append([draft], [each for each in kept if each])
    return seq


async def shown(folder: Path, before: State, after: State, **parts: Any) -> str:
    """Give the page of a change."""
    async with admin_world(folder, "ana") as world:
        seq = await put(world, before, after, **parts)
        browser = await world.signed_in()
        page = await browser.get(f"{LEDGER}/{seq}")
    assert page.status_code == 200, page.text
    assert len(page.content) < 100_000
    return page.text


def cells(html: str) -> list[list[str]]:
    """Give the rows of the table, without their first."""
    [table] = re.findall(r'<table class="sides">(.*?)</table>', html, re.DOTALL)
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.DOTALL)
    return [re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in rows[1:]]


# --- side by side -------------------------------------------------------------


async def test_texts_stand_beside_each_other_with_numbers_and_marked_words(
    tmp_path: Path,
) -> None:
    same = "\n".join(f"same {n}" for n in range(9))
    before = f"{same}\nship in three days\ngone\nand the end"
    after = f"{same}\nship in two working days\nand the end\n<b>"
    html = await shown(tmp_path, before, after)
    assert cells(html) == [
        ["Lines that are the same are left out."],
        ["7", "same 6", "7", "same 6"],
        ["8", "same 7", "8", "same 7"],
        ["9", "same 8", "9", "same 8"],
        [
            "10 -",
            "ship in <del>three</del> days",
            "10 +",
            "ship in <ins>two working</ins> days",
        ],
        ["11 -", "<del>gone</del>", "11 +", "<ins>and the end</ins>"],
        [
            "12 -",
            '<del>and the end</del> <span class="note">(no line break here)</span>',
            "12 +",
            '<ins>&lt;b&gt;</ins> <span class="note">(no line break here)</span>',
        ],
    ]
    assert "style=" not in html


async def test_the_end_of_a_line_that_is_missing_is_told(tmp_path: Path) -> None:
    html = await shown(tmp_path, "one\ntwo", "one\ntwo\n")
    mark = ' <span class="note">(no line break here)</span>'
    assert cells(html)[-1] == ["2 -", f"two{mark}", "2 +", "two"]


def test_a_line_that_is_the_same_may_end_the_text() -> None:
    found = side_by_side(["@@ -1,2 +1,2 @@", "-a", "+b", " c", r"\ No newline"])
    last = Line(2, (("c", False),), is_open=True)
    assert found.rows[-1] == Row("same", last, last)


async def test_what_does_not_print_is_seen_and_splits_no_line(tmp_path: Path) -> None:
    html = await shown(tmp_path, "a\u2028b\r\nc", "a\u2028b\nc")
    assert cells(html)[0] == [
        "1 -",
        r"a\u2028b<del>\u000d</del>",
        "1 +",
        r"a\u2028b",
    ]


async def test_many_long_lines_are_cut_by_what_they_weigh(tmp_path: Path) -> None:
    html = await shown(tmp_path, MISSING, "\n".join(["世" * 300] * 900))
    assert "There is more than is shown." in text_of(html)
    assert len(cells(html)) > 50


@given(TEXTS, TEXTS)
def test_the_sides_are_the_texts(before: str, after: str) -> None:
    """With all lines around what is different, nothing is lost or added."""
    text = unified(before, after).text
    rows = side_by_side(text.split("\n") if text else ()).rows
    lines = {"old": before.split("\n"), "new": after.split("\n")}
    for row in rows:
        for side, line in (("old", row.old), ("new", row.new)):
            if line is not None:
                said = "".join(text for text, _ in line.pieces)
                assert said == lines[side][line.number - 1]
    assert (rows == ()) == (before == after)
    for row in rows:
        if row.kind == "same" and row.old and row.new:
            assert row.old.pieces == row.new.pieces


@given(st.text("ab, ", max_size=30), st.text("ab, ", max_size=30), st.integers(0, 50))
def test_words_are_marked_and_kept(old: str, new: str, room: int) -> None:
    one, other = Words(room).compare(old, new)
    assert "".join(text for text, _ in one) == old
    assert "".join(text for text, _ in other) == new
    same = ["".join(t for t, is_other in side if not is_other) for side in (one, other)]
    assert same[0] == same[1]


def test_words_that_are_too_many_are_marked_together() -> None:
    old, new = ("end " + " ".join(f"{c}{n}" for n in range(90)) for c in "xy")
    one, other = Words().compare(f"{'a ' * 300}{old}", f"{'a ' * 300}{new}")
    assert [is_other for _, is_other in one] == [False, True]
    assert [is_other for _, is_other in other] == [False, True]


def test_what_a_text_weighs_is_counted_in_bytes_of_html() -> None:
    assert weight_of("<世\u202e>") == len("&lt;世\\u202e&gt;".encode())
    assert shortened("<\n>\nmore", 11) == "<\n>"
    assert shortened("x" * 5_000, 10) == "x" * 1_000
    assert shortened("", 10) == ""


# --- a tree -------------------------------------------------------------------

OLD = {
    "prices": {"apple": 1, "plum": {"kilo": 3, "ton": 2500}},
    "tags": ["a", "b"],
    "hours": {"mo": "9-17"},
    "gone": True,
}
NEW = {
    "prices": {"apple": 1, "plum": {"kilo": 3, "ton": 2600}},
    "tags": ["a", "<x>", "b"],
    "hours": {"mo": "9-17"},
}


async def test_values_are_a_tree_that_is_open_where_they_differ(
    tmp_path: Path,
) -> None:
    html = await shown(tmp_path, OLD, NEW)
    opened = re.findall(
        r"<details( open)?><summary><b>(\w+)</b> \((\w+) parts?\)", html
    )
    said = text_of(html)
    assert opened == [
        ("", "hours", "one"),
        (" open", "prices", "2"),
        (" open", "plum", "2"),
        (" open", "tags", "3"),
    ]
    assert "<b>ton</b>: <del>2500</del> <ins>2600</ins>" in html
    assert "<ins>&#34;&lt;x&gt;&#34;</ins>" in html
    assert "gone : true removed" in said
    assert "plum (2 parts) changed kilo : 3 ton : 2500 2600 changed" in said


async def test_a_value_without_parts_is_shown_as_one(tmp_path: Path) -> None:
    html = await shown(tmp_path, 1, 2)
    assert '<div class="tree"><p><del>1</del> <ins>2</ins>' in html


async def test_secrets_are_hidden_in_the_tree_and_seen_to_differ(
    tmp_path: Path,
) -> None:
    before = {"password": "hunter2", "a": ["ftp://me:hunter3@x"], "token": ["hunter4"]}
    after = {"password": "hunter5", "a": ["ftp://me:hunter6@x"], "token": ["hunter4"]}
    html = await shown(tmp_path, before, after)
    hidden = "&#34;(hidden)&#34;"
    assert "hunter" not in html
    assert f"<b>password</b>: <del>{hidden}</del> <ins>{hidden}</ins>" in html
    assert "<del>&#34;ftp://me:(hidden)@x&#34;</del>" in html
    assert f"<b>token</b>: <span>{hidden}</span>" in html


async def test_of_a_secret_state_there_is_only_a_note(tmp_path: Path) -> None:
    html = await shown(tmp_path, {"a": "hunter2"}, {"a": "hunter3"}, partial="secret")
    assert "hunter" not in html
    assert "it holds a secret" in text_of(html)


async def test_what_differs_is_shown_before_what_does_not(tmp_path: Path) -> None:
    before = {f"k{n:05}": '"<>' * 30 for n in range(8_000)}
    html = await shown(tmp_path, before, {**before, "k07999": "other"})
    said = text_of(html)
    assert re.search(r"k07999 : .* changed", said)
    assert re.search(r"7,9\d\d more are not shown\.", said)


async def test_a_tree_in_which_all_differs_stays_small(tmp_path: Path) -> None:
    before, after = ([[f"<{n}{c}>"] * 9 for n in range(3_000)] for c in "ab")
    html = await shown(tmp_path, before, after)
    assert "more are not shown." in text_of(html)


def test_what_is_too_deep_is_only_counted() -> None:
    value: Any = ["in", "deep"]
    for _ in range(30):
        value = [value]
    node = tree_of(MISSING, value)
    depth = 0
    while node.parts:
        node, depth = node.parts[0], depth + 1
    assert depth == 8
    assert (node.kind, node.size, node.left_out) == ("added", 1, 1)


def test_long_values_are_shown_where_they_differ() -> None:
    node = tree_of("x" * 900 + "one", "x" * 900 + "two")
    assert (node.before, node.after) == (
        "…" + "x" * 40 + 'one"',
        "…" + "x" * 40 + 'two"',
    )
    cut = tree_of("y" * 900, "y" * 900)
    assert (cut.kind, cut.after) == ("same", '"' + "y" * 199 + "…")


def test_items_that_came_and_went_leave_the_others_the_same() -> None:
    node = tree_of([1, 2, 3, 4], [1, 5, 4])
    assert [(n.key, n.kind, n.before, n.after) for n in node.parts] == [
        ("0", "same", "1", "1"),
        ("1", "removed", "2", ""),
        ("2", "removed", "3", ""),
        ("1", "added", "", "5"),
        ("2", "same", "4", "4"),
    ]


def test_numbers_that_are_written_otherwise_differ() -> None:
    kinds = [tree_of(1, other).kind for other in (1.0, True, 2**70, 1)]
    assert kinds == ["changed", "changed", "changed", "same"]


def leaves(node: Node, side: str) -> list[str]:
    if node.size is None:
        kinds = ("added",) if side == "before" else ("removed",)
        return [] if node.kind in kinds else [getattr(node, side)]
    return [leaf for part in node.parts for leaf in leaves(part, side)]


def written(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in written(value[key])]
    if isinstance(value, list):
        return [leaf for each in value for leaf in written(each)]
    return [json.dumps(value)]


@given(VALUES, VALUES)
def test_the_tree_has_every_value_of_both_sides(before: Any, after: Any) -> None:
    node = tree_of({"v": before}, {"v": after})
    is_written = json.dumps(before, sort_keys=True) == json.dumps(after, sort_keys=True)
    assert (node.kind == "same") == is_written
    if type(before) is type(after) and all_parts(before, after):
        assert leaves(node, "before") == written(before)
        assert leaves(node, "after") == written(after)


def all_parts(one: Any, other: Any) -> bool:
    """Answer whether no container stands beside something of another kind."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(all_parts(one[k], other[k]) for k in one.keys() & other.keys())
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return True
        return all(map(all_parts, one, other))
    return not isinstance(one, dict | list) and not isinstance(other, dict | list)


# --- pictures -----------------------------------------------------------------

BEGINNINGS: dict[str, tuple[State, str]] = {
    "png": (png(), "image/png"),
    "jpeg": (b"\xff\xd8\xff\xe0more", "image/jpeg"),
    "gif": (b"GIF89a\0\1", "image/gif"),
    "old gif": (b"GIF87a\0\1", "image/gif"),
    "webp": (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
    "wave": (b"RIFF\x10\0\0\0WAVEfmt ", ""),
    "drawing": (b"<svg xmlns='http://www.w3.org/2000/svg'/>\xff", ""),
    "page": (b"<html>\xff\x89PNG\r\n\x1a\n", ""),
    "text": ("GIF89a", ""),
    "nothing": (MISSING, ""),
}


@pytest.mark.parametrize("case", BEGINNINGS)
def test_a_picture_is_known_by_how_it_begins(case: str) -> None:
    state, media = BEGINNINGS[case]
    assert media_of(state) == media


async def test_pictures_are_shown_before_and_after(tmp_path: Path) -> None:
    before, after = png(), png(3, 3)
    async with admin_world(tmp_path, "ana") as world:
        seq = await put(world, before, after)
        browser = await world.signed_in()
        page = await browser.get(f"{LEDGER}/{seq}")
        sides = [
            await browser.get(f"{LEDGER}/{seq}/state/{side}")
            for side in ("before", "after")
        ]
    assert f'<img src="{LEDGER}/{seq}/state/before" alt="Before entry {seq}"' in (
        page.text
    )
    assert f"After: PNG, {len(after)} bytes" in text_of(page.text)
    assert "only its size is shown" not in text_of(page.text)
    assert [side.content for side in sides] == [before, after]
    kept = ("content-type", "content-disposition", "content-security-policy")
    assert [sides[1].headers[name] for name in kept] == [
        "image/png",
        f'inline; filename="ledger-{seq}-after.png"',
        "default-src 'none'; sandbox",
    ]
    assert sides[1].headers["x-content-type-options"] == "nosniff"
    assert sides[1].headers["cache-control"] == "no-store"
    assert "img-src 'self'" in page.headers["content-security-policy"]


async def test_a_picture_beside_a_text_is_shown(tmp_path: Path) -> None:
    html = await shown(tmp_path, "no picture yet", png())
    assert html.count("<img") == 1
    assert "/state/after" in html


async def test_a_picture_that_is_too_large_shows_its_size(tmp_path: Path) -> None:
    large = png() + bytes(BYTES)
    async with admin_world(tmp_path, "ana") as world:
        seq = await put(world, MISSING, large)
        browser = await world.signed_in()
        page = await browser.get(f"{LEDGER}/{seq}")
        side = await browser.get(f"{LEDGER}/{seq}/state/after")
    assert f"After: PNG, {len(large):,} bytes" in text_of(page.text)
    assert "It is too large to be shown here." in text_of(page.text)
    assert "<img" not in page.text
    assert side.status_code == 404


async def test_only_pictures_are_given_and_only_to_people(tmp_path: Path) -> None:
    drawing = b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>\xff"
    async with admin_world(tmp_path, "ana") as world:
        seqs = [
            await put(world, "text", {"a": 1}),
            await put(world, drawing, MISSING),
            await put(world, png(), png(3, 3), partial="secret"),
        ]
        good = await put(world, png(), png(3, 3))
        browser, nobody = await world.signed_in(), world.browser()
        paths = [f"{seq}/state/{s}" for seq in seqs for s in ("before", "after")]
        paths += [f"{good}/state/between", "999999/state/after", f"{'9' * 30}/state/x"]
        refused = [(await browser.get(f"{LEDGER}/{p}")).status_code for p in paths]
        path = f"{LEDGER}/{good}/state/after"
        agent = await nobody.get(path, authorization=f"Bearer {TOKEN}")
        away = await nobody.get(path)
    assert refused == [404] * len(paths)
    assert (agent.status_code, away.status_code) == (403, 303)


async def test_what_is_no_picture_shows_its_size(tmp_path: Path) -> None:
    html = await shown(tmp_path, b"\0" * 1_234, MISSING)
    assert "Before: 1,234 bytes. After: nothing." in text_of(html)
    assert "only its size is shown" in text_of(html)
    assert "<img" not in html


async def test_what_agents_write_is_no_script_in_any_state(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    async with admin_world(tmp_path, "ana") as world:
        seqs = [
            await put(world, f"a {evil}", f"b {evil}"),
            await put(world, {evil: evil}, {evil: [evil], f"{evil}2": {evil: 1}}),
        ]
        browser = await world.signed_in()
        pages = [(await browser.get(f"{LEDGER}/{seq}")).text for seq in seqs]
    for page in pages:
        assert "<script>" not in page
        assert escape(evil) in page
