"""Definitions, changes and what is kept of them, each by itself."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host import MISSING
from abilities_host.gate import hash_of
from abilities_host.pins import PinFile, headline, is_foreign, lines_of
from abilities_host.pins.change import Pair, accepted_in, change_of, changes_of
from abilities_host.pins.definition import (
    Difference,
    difference_in_words,
    differences,
    encoded,
)
from abilities_host.pins.kept import Found, Kept
from abilities_host.pins.outside import Seen
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.threads import run_in_thread

TEXT = st.text(st.characters(), max_size=9)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES, VALUES)
def test_values_differ_somewhere_unless_they_are_the_same_json(
    old: Any, new: Any
) -> None:
    before, after = encoded({"x": old}), encoded({"x": new})

    found = differences(before, after)

    assert (not found) == (before == after)
    assert all(each.at.startswith("/x") for each in found)
    assert all("\n" not in difference_in_words(each) for each in found)


@given(VALUES)
def test_what_is_shown_leads_back_to_the_same_hash(value: Any) -> None:
    new = encoded({"x": value})
    [change] = changes_of("p/q", "1", "2", [Pair("q/a", None, new)])

    accepted = accepted_in(change.canonical)

    assert accepted.trusted == {("p/q", "q/a", hash_of(new))}
    assert json.loads(accepted.definitions["q/a"]) == json.loads(new)


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"pack": 1}', b"\xff"])
def test_a_text_that_is_no_change_lets_nothing_in(text: bytes) -> None:
    assert accepted_in(text).trusted == frozenset()


def test_a_difference_is_told_in_a_line_that_shows_where() -> None:
    long = "a" * 500
    found = [
        Difference("/label", "Add", "Put"),
        Difference("/meta/hint", MISSING, 1),
        Difference("/meta/hint", None, MISSING),
        Difference("/description", f"{long}b", f"{long}c"),
    ]

    words = [difference_in_words(each) for each in found]

    start = "a" * 30
    assert words == [
        'label was "Add", is "Put"',
        "meta/hint is new: 1",
        "meta/hint is gone: null",
        f'description was …{start}b", is …{start}c"',
    ]


def test_a_large_upgrade_is_several_decisions_that_leave_nothing_out() -> None:
    small = [Pair(f"q/a{n:03}", None, b"{}") for n in range(150)]
    large = [Pair(f"q/b{n}", None, encoded("x" * 700_000)) for n in range(3)]

    changes = changes_of("p/q", "", "", [*large, *small])

    assert [len(change.pairs) for change in changes] == [100, 51, 1, 1]
    assert [pair for c in changes for pair in c.pairs] == sorted(small + large)
    assert len({change.id for change in changes}) == 4
    assert changes[1].title == "p/q: 51 new (q/a100 …)"


def test_a_long_change_is_told_in_short() -> None:
    old, new = encoded({"a": 1}), encoded({"a": 2})
    pairs = tuple(Pair(f"q/a{n}", old, new) for n in range(9))
    change = change_of("p/q", "1", "2", (*pairs, Pair("q/b", None, new)))

    said, lines = headline(change, holds=True), list(lines_of(change))

    assert "q/a4 (a) and 5 more. They wait for a person" in said
    assert lines[-2:] == ["q/a7: a was 1, is 2", "and 2 more places"]
    assert list(lines_of(replace(change, pairs=change.pairs[-1:]))) == ["q/b is new"]


@pytest.mark.parametrize(
    ("pack", "foreign"),
    [
        ("abilities-host/core", False),
        ("", False),
        ("abilities-host-x/core", True),
        ("plugins_dir/abilities-host", True),
        ("local/notes", True),
    ],
)
def test_a_pack_is_foreign_unless_it_comes_with_the_host(
    pack: str, *, foreign: bool
) -> None:
    assert is_foreign(pack) is foreign


async def test_who_sees_a_pack_first_says_what_is_pinned(tmp_path: Path) -> None:
    def found(name: str, said: bytes) -> Found:
        return Found("p/q", "1", name, said)

    file = PinFile(tmp_path / "deep" / "s.pins")
    async with open_sqlite(tmp_path / "s.db") as store:
        kept = Kept(store, file)
        await kept.migrate()
        await kept.pin([found("q/a", b"1")], at=0, is_late=False)
        late = [found("q/a", b"2"), found("q/b", b"2")]
        await kept.pin(late, at=0, is_late=False)
        first = await kept.first_sight(notes=True)
        await kept.pin(late, at=0, is_late=True)
        second = await kept.first_sight(notes=True)
        noted = await run_in_thread(file.read)

    one, two = hash_of(b"1"), hash_of(b"2")
    assert first == {"p/q": {"q/a": (one, "1")}}
    assert second == {"p/q": {"q/a": (one, "1"), "q/b": (two, "1")}}
    assert noted == {"p/q": {"q/a": one, "q/b": two}}


def test_lines_of_the_file_that_are_none_hide_no_other(tmp_path: Path) -> None:
    path = tmp_path / "s.pins"
    path.write_bytes(
        b'{"pack": "p/q", "pins": {"q/a": "1"\n[]\n{"pack": 1}\n'
        b'{"pack": "p/q", "pins": []}\n{"pack": "p/q"}'
    )
    file = PinFile(path)

    file.add([Seen("p/q", "q/a", "2"), Seen("p/q", "q/b", "2")])
    file.add([Seen("p/q", "q/a", "3")])
    file.add([])

    assert file.read() == {"p/q": {"q/a": "2", "q/b": "2"}}
