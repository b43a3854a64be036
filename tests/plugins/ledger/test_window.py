from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, cast

import pytest
from plugins.ledger.shelf import (
    Shelf,
    change,
    numbers,
    open_shelf,
    other,
    outcome,
)

from abilities_host.ledger import Digest
from abilities_host.storage import Store
from abilities_ledger.book import Book
from abilities_ledger.draft import Draft
from abilities_ledger.window import NAMED, Windows, micros

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
NOTHING = Digest(
    source="change_ledger",
    entries_count=0,
    by_domain={},
    by_action={},
    targets=[],
    targets_count=0,
    divergence=False,
    divergences=0,
    rolled_back=0,
    unknown=0,
    first=None,
    last=None,
    actors=[],
    sessions=[],
)


async def append_minutely(shelf: Shelf, drafts: Sequence[Draft]) -> None:
    """Append entries as if one came every minute from noon on."""
    for seq in await shelf.book.append(drafts):
        await shelf.set_time(seq, micros(NOON + (seq - 1) * MINUTE))


async def digest_of(
    shelf: Shelf, first: int = 1, last: int = 60, **asked: Any
) -> Digest:
    """Give the digest of the minutes of these entries, both included."""
    start, end = NOON + (first - 1) * MINUTE, NOON + last * MINUTE
    window = await Windows(shelf.book).changes_in_window(start, end, **asked)
    return window.digest


def undone(call: str, about: int, **parts: Any) -> Draft:
    given = {"action": "undone", "domain": "notes", "target": "a", **parts}
    return other("rollback", call, about=about, **given)


async def test_a_window_counts_everything_that_changed_in_it(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        drafts = [
            other("intent", "c1"),
            change("c1", action="created"),
            change("c1", target="b", action="created"),
            outcome("c1"),
            change("c2", domain="files", actor="bob", session="s2"),
            change("c3", real="failed"),
            outcome("c4", is_listed=True, result="unknown"),
            outcome("c5", is_listed=True, real="unchanged"),
            change("c6", session="", result="unknown", real="changed"),
        ]
        await append_minutely(shelf, drafts)
        window = await Windows(shelf.book).changes_in_window(NOON, NOON + 60 * MINUTE)

    assert numbers(window.entries) == [2, 3, 5, 6, 7, 8, 9]
    assert window.is_cut is False
    assert window.digest == Digest(
        source="change_ledger",
        entries_count=5,
        by_domain={"files": 1, "notes": 4},
        by_action={"files.updated": 1, "notes.created": 2, "notes.updated": 2},
        targets=["files:a", "notes:a", "notes:b"],
        targets_count=3,
        divergence=True,
        divergences=3,
        rolled_back=0,
        unknown=1,
        first=2,
        last=9,
        actors=["ann", "bob"],
        sessions=["s1", "s2"],
    )


async def test_a_window_begins_with_its_start_and_ends_before_its_end(
    tmp_path: Path,
) -> None:
    async with open_shelf(tmp_path) as shelf:
        await append_minutely(shelf, [change(f"c{n}") for n in range(5)])
        windows = Windows(shelf.book)
        zone = timezone(timedelta(hours=2))
        window = await windows.changes_in_window(
            (NOON + MINUTE).astimezone(zone), NOON + 3 * MINUTE
        )
        empty = await windows.changes_in_window(NOON, NOON)
    assert numbers(window.entries) == [2, 3]
    assert (empty.entries, empty.digest) == ((), NOTHING)


async def test_the_order_is_that_of_numbers_when_the_clock_was_set_back(
    tmp_path: Path,
) -> None:
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append([change() for _ in range(5)])
        for seq, minute in enumerate((7, 8, 1, 2, 9), 1):
            await shelf.set_time(seq, micros(NOON + minute * MINUTE))
        windows = Windows(shelf.book)
        window = await windows.changes_in_window(NOON + 2 * MINUTE, NOON + 9 * MINUTE)
    assert numbers(window.entries) == [1, 2, 4]
    assert (window.digest["first"], window.digest["last"]) == (1, 4)


async def test_a_window_may_be_of_one_session_or_actor(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        drafts = [
            change("c1", actor="ann", session="s1"),
            change("c2", actor="bob", session="s1"),
            change("c3", actor="ann", session="s2"),
        ]
        await append_minutely(shelf, drafts)
        session = await digest_of(shelf, session="s1")
        actor = await digest_of(shelf, actor="ann")
        both = await digest_of(shelf, actor="ann", session="s1")
        neither = await digest_of(shelf, actor="", session="s1")
    assert (session["entries_count"], session["actors"]) == (2, ["ann", "bob"])
    assert (actor["entries_count"], actor["sessions"]) == (2, ["s1", "s2"])
    assert (both["entries_count"], both["last"]) == (1, 1)
    assert neither == NOTHING


async def test_entries_are_given_in_parts_and_counted_whole(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        await append_minutely(shelf, [change(f"c{n}") for n in range(5)])
        windows = Windows(shelf.book)
        parts = []
        after = None
        for _ in range(3):
            window = await windows.changes_in_window(
                NOON, NOON + 60 * MINUTE, after=after, limit=2
            )
            after = window.entries[-1].entry.seq
            count = window.digest["entries_count"]
            parts.append((numbers(window.entries), window.is_cut, count))
    assert parts == [([1, 2], True, 5), ([3, 4], True, 5), ([5], False, 5)]


async def test_a_digest_names_a_bounded_number_of_targets(tmp_path: Path) -> None:
    names = [f"{n:03}" for n in range(NAMED + 5)]
    async with open_shelf(tmp_path) as shelf:
        drafts = [change(f"c{name}", target=name) for name in names]
        await append_minutely(shelf, [*drafts, *drafts])
        digest = await digest_of(shelf, last=1000)
    assert digest["targets"] == [f"notes:{name}" for name in names[:NAMED]]
    assert (digest["targets_count"], digest["entries_count"]) == (205, 410)


async def test_what_was_undone_and_the_undo_are_no_changes(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        drafts = [
            change("c1"),
            change("c2", target="b"),
            change("u1"),
            undone("u1", about=1),
        ]
        await append_minutely(shelf, drafts)
        await shelf.undone(1, by=4)
        whole = await digest_of(shelf)
        before = await digest_of(shelf, last=2)
        after = await digest_of(shelf, first=3)
    assert (whole["targets"], whole["rolled_back"]) == (["notes:b"], 1)
    assert (before["targets"], before["rolled_back"]) == (["notes:b"], 1)
    # What it undid lies outside: there, something is different at the end.
    assert (after["targets"], after["rolled_back"]) == (["notes:a"], 0)


async def test_an_undo_of_another_session_is_a_change_of_its_own(
    tmp_path: Path,
) -> None:
    async with open_shelf(tmp_path) as shelf:
        drafts = [
            change("c1", session="s1"),
            change("u1", session="s2"),
            undone("u1", about=1),
        ]
        await append_minutely(shelf, drafts)
        await shelf.undone(1, by=3)
        first = await digest_of(shelf, session="s1")
        second = await digest_of(shelf, session="s2")
    assert (first["entries_count"], first["rolled_back"]) == (0, 1)
    assert (second["entries_count"], second["rolled_back"]) == (1, 0)


async def test_a_change_that_came_back_counts_once(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        drafts = [
            change("c1"),
            change("u1"),
            undone("u1", about=1),
            change("r1"),
            undone("r1", about=2),
            undone("r1", about=1, action="redone"),
        ]
        await append_minutely(shelf, drafts)
        await shelf.undone(2, by=6)
        whole = await digest_of(shelf)
        later = await digest_of(shelf, first=2)
        last = await digest_of(shelf, first=4)
    assert (whole["entries_count"], whole["rolled_back"]) == (1, 0)
    assert later["entries_count"] == 0
    assert last["entries_count"] == 1


async def test_a_target_that_only_an_undo_touched_is_a_change(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        drafts = [change("u1", target="folder"), undone("u1", about=99, target="a")]
        await append_minutely(shelf, drafts)
        digest = await digest_of(shelf)
    assert digest["targets"] == ["notes:folder"]


async def test_a_later_verdict_counts(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        await append_minutely(shelf, [change("c1", real=""), change("c2", real="")])
        await shelf.verdict("c1", "unchanged", seq=9)
        digest = await digest_of(shelf)
    assert (digest["divergence"], digest["divergences"]) == (True, 1)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (NOON.replace(tzinfo=None), NOON),
        (NOON, NOON.replace(tzinfo=None)),
        (NOON, NOON - MINUTE),
    ],
    ids=["start without zone", "end without zone", "end before start"],
)
async def test_a_window_that_is_none_is_refused(
    tmp_path: Path, start: datetime, end: datetime
) -> None:
    async with open_shelf(tmp_path) as shelf:
        with pytest.raises(ValueError, match=r"has no time zone|before it starts"):
            await Windows(shelf.book).changes_in_window(start, end)


def test_a_moment_is_exact_to_the_microsecond_in_every_zone() -> None:
    moment = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    early = datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    assert micros(moment) == 253_402_300_799_999_999
    assert micros(early) == -1
    assert micros(early.astimezone(timezone(timedelta(hours=-7)))) == -1


class Explaining:
    """A store that also keeps how it runs each statement."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.plan: list[str] = []

    async def read(self, sql: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        rows = await self.store.read(f"EXPLAIN QUERY PLAN {sql}", values)
        self.plan.extend(row[3] for row in rows)
        return await self.store.read(sql, values)


@pytest.mark.parametrize(
    ("asked", "index"),
    [
        ({}, "ledger_listed"),
        ({"session": "s1"}, "ledger_by_session"),
        ({"actor": "ann"}, "ledger_by_actor"),
    ],
    ids=["all", "session", "actor"],
)
async def test_a_window_is_read_along_an_index(
    tmp_path: Path, asked: dict[str, Any], index: str
) -> None:
    async with open_shelf(tmp_path) as shelf:
        explaining = Explaining(shelf.store)
        windows = Windows(Book(cast("Store", explaining)))
        await windows.changes_in_window(NOON, NOON + MINUTE, **asked)

    plan = explaining.plan
    walks = [line for line in plan if line.startswith(("SEARCH e ", "SCAN e "))]
    assert [f"INDEX {index} " in line for line in walks] == [True, True]
    scanned = tuple(f"SCAN {name} " for name in ("r", "o", "u", "v", "ledger_entry"))
    assert [line for line in plan if line.startswith(scanned)] == []
