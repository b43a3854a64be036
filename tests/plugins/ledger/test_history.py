import itertools
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from plugins.ledger.shelf import (
    Shelf,
    change,
    content_of,
    numbers,
    open_shelf,
    other,
    outcome,
)

from abilities_host.ledger import Entry, Listed, Query
from abilities_ledger.book import Book
from abilities_ledger.filters import Filters
from abilities_ledger.history import LISTED, History

FAR = 1 << 60


def listed(
    entry: Entry, real: str, *, rolled_back: bool = False, reversible: bool = False
) -> Listed:
    return Listed(entry, real, rolled_back, reversible)


async def every_page(history: History, query: Query) -> list[list[int]]:
    pages = []
    while True:
        page = await history.list_changes(query)
        pages.append(numbers(page.entries))
        if page.next is None:
            return pages
        query = replace(query, before=page.next)


async def test_what_was_done_comes_newest_first_and_nothing_else(
    tmp_path: Path,
) -> None:
    async with open_shelf(tmp_path) as (_, book):
        drafts = [
            other("intent", "c1"),
            change("c1"),
            outcome("c1"),
            other("denial", "c2"),
            outcome("c3", is_listed=True),
        ]
        await book.append(drafts)
        page = await History(book).list_changes(Query())
        whole = await book.select("ORDER BY seq", {})

    run, done = whole[4], whole[1]
    assert page.entries == (listed(run, run.real), listed(done, "ok", reversible=True))
    assert page.next is None


CASES: dict[str, tuple[dict[str, Any], list[int]]] = {
    "domain": ({"domain": "files"}, [2]),
    "target": ({"domain": "notes", "target": "b"}, [3]),
    "action": ({"action": "deleted"}, [4]),
    "actor": ({"actor": "bob"}, [5]),
    "session": ({"session": "s2"}, [6]),
    "ability": ({"ability": "notes/edit"}, [7]),
    "nominal result": ({"result": "failed"}, [8]),
    "verified result": ({"result": "unchanged"}, [9]),
    "later verdict": ({"result": "changed"}, [10]),
    "verdict of an earlier end": ({"result": "unknown"}, [11]),
    "not reversible": ({"is_reversible": False}, [12]),
    "rolled back": ({"is_rolled_back": True}, [1]),
    "rolled back, of others": ({"is_rolled_back": True, "actor": "bob"}, []),
    "not rolled back": ({"is_rolled_back": False, "limit": 3}, [12, 11, 10]),
    "from": ({"start": 10_012}, [12]),
    "up to": ({"end": 10_002}, [1]),
    "from, up to": ({"start": 10_003, "end": 10_005}, [4, 3]),
    "from, up to, before": ({"start": 10_003, "end": 10_005, "before": 4}, [3]),
    "no such time": ({"start": 5, "end": 6}, []),
    "two at once": ({"actor": "ann", "session": "s2"}, [6]),
    "two that exclude each other": ({"actor": "bob", "session": "s2"}, []),
    "nobody": ({"actor": "zoe"}, []),
    "a value like SQL": ({"actor": "' OR 1=1 --"}, []),
}


@pytest.mark.parametrize("case", CASES)
async def test_a_filter_leaves_what_fits_it(tmp_path: Path, case: str) -> None:
    asked, expected = CASES[case]
    async with open_shelf(tmp_path) as shelf:
        drafts = [
            change("c1"),
            change("c2", domain="files"),
            change("c3", target="b"),
            change("c4", action="deleted"),
            change("c5", actor="bob"),
            change("c6", session="s2"),
            change("c7", ability="notes/edit"),
            change("c8", result="failed", real=""),
            change("c9", real="unchanged"),
            change("c10", real=""),
            change("c11", result="unknown", real=""),
            change("c12", partial="size"),
        ]
        await shelf.book.append(drafts)
        await shelf.undone(1, by=12)
        await shelf.verdict("c10", "changed", seq=13)
        await shelf.verdict("c11", "ok", seq=3)
        for seq in range(1, 13):
            await shelf.set_time(seq, 10_000 + seq)
        page = await History(shelf.book).list_changes(Query(**asked))

    assert numbers(page.entries) == expected


async def test_pages_follow_each_other_without_gap_or_repetition(
    tmp_path: Path,
) -> None:
    async with open_shelf(tmp_path) as (_, book):
        await book.append([change(f"c{n}") for n in range(5)])
        history = History(book)
        pages = await every_page(history, Query(limit=2))
        even = await every_page(history, Query(actor="ann", limit=5))
        timed = await every_page(history, Query(start=1, end=FAR, limit=2))
    assert pages == [[5, 4], [3, 2], [1]]
    assert even == [[5, 4, 3, 2, 1]]
    assert timed == pages


async def test_a_page_looks_through_a_bounded_part_and_says_where_to_go_on(
    tmp_path: Path,
) -> None:
    async with open_shelf(tmp_path) as (_, book):
        actions = ["deleted", "updated", "updated", "updated", "deleted", "updated"]
        await book.append([change(action=action) for action in actions])
        pages = await every_page(History(book, look=2), Query(action="deleted"))
    assert pages == [[5], [], [1], []]


async def test_what_was_undone_is_paged_too(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append([change() for _ in range(6)])
        for seq in (1, 3, 4, 6):
            await shelf.undone(seq, by=6)
        history = History(shelf.book, look=3)
        plain = await every_page(history, Query(is_rolled_back=True, limit=3))
        searching = await every_page(
            history, Query(is_rolled_back=True, action="updated", limit=2)
        )
    assert plain == [[6, 4, 3], [1]]
    assert searching == [[6, 4], [3, 1]]


async def test_the_order_is_that_of_numbers_when_the_clock_was_set_back(
    tmp_path: Path,
) -> None:
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append([change() for _ in range(6)])
        for seq, at in enumerate((50, 60, 70, 40, 55, 65), 1):
            await shelf.set_time(seq, at)
        history = History(shelf.book)
        page = await history.list_changes(Query(start=55, end=70))
        pages = await every_page(history, Query(start=55, end=70, limit=1))
    assert numbers(page.entries) == [6, 5, 2]
    assert pages == [[6], [5], [2]]


async def test_a_change_is_reversible_while_both_contents_are_kept(
    tmp_path: Path,
) -> None:
    old, new, gone = (content_of(text) for text in ("old", "new", "gone"))
    large = content_of("x" * 100, limit=10)
    async with open_shelf(tmp_path) as shelf:
        drafts = [
            change(before=old.digest, after=new.digest),
            change(before=None, after=new.digest),
            change(before=old.digest, after=gone.digest),
            change(before=large.digest, after=new.digest),
            change(before=old.digest, partial="foreign"),
            outcome(is_listed=True),
        ]
        await shelf.book.append(drafts, [old, new, gone, large])
        await shelf.remove_content(gone)
        page = await History(shelf.book).list_changes(Query())
        only = await History(shelf.book).list_changes(Query(is_reversible=True))
    found = {each.entry.seq: each.is_reversible for each in page.entries}
    assert found == {1: True, 2: True, 3: False, 4: False, 5: False, 6: False}
    assert numbers(only.entries) == [2, 1]


async def test_one_change_is_found_by_its_number(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append([change(), other("intent")])
        await shelf.undone(1, by=9)
        await shelf.verdict("c1", "failed", seq=7)
        history = History(shelf.book)
        found = await history.get_change(1)
        unlisted = await history.get_change(2), await history.get_change(3)
        entries = [await history.get_entry(seq) for seq in (1, 2, 3)]
    assert found is not None
    assert found == listed(found.entry, "failed", rolled_back=True, reversible=True)
    assert (found.effective, found.is_divergent) == ("failed", True)
    assert unlisted == (None, None)
    kinds = [entry.kind if entry else None for entry in entries]
    assert kinds == ["change", "intent", None]


@pytest.mark.parametrize(("asked", "given"), [(0, 1), (-5, 1), (501, 500), (7, 7)])
async def test_the_number_of_entries_on_a_page_has_limits(
    tmp_path: Path, asked: int, given: int
) -> None:
    async with open_shelf(tmp_path) as (_, book):
        await book.append([change() for _ in range(502)])
        page = await History(book).list_changes(Query(limit=asked))
    assert len(page.entries) == given


FITS: dict[str, Callable[[Listed, Any], bool]] = {
    "domain": lambda each, value: each.entry.domain == value,
    "target": lambda each, value: each.entry.target == value,
    "actor": lambda each, value: each.entry.actor == value,
    "session": lambda each, value: each.entry.session == value,
    "ability": lambda each, value: each.entry.ability == value,
    "action": lambda each, value: each.entry.action == value,
    "result": lambda each, value: each.effective == value,
    "is_reversible": lambda each, value: each.is_reversible is value,
    "is_rolled_back": lambda each, value: each.is_rolled_back is value,
    "start": lambda each, value: each.entry.at >= value,
    "end": lambda each, value: each.entry.at < value,
}
ASKED: dict[str, tuple[Any, ...]] = {
    "domain": ("notes",),
    "target": ("a",),
    "actor": ("ann",),
    "session": ("s1",),
    "ability": ("notes/write",),
    "action": ("updated",),
    "result": ("failed",),
    "is_reversible": (True, False),
    "is_rolled_back": (True, False),
    "start": (1_010,),
    "end": (1_050,),
}


async def fill(shelf: Shelf) -> None:
    """Record 60 changes that differ in everything, their times out of order."""
    chance = random.Random(1)  # noqa: S311 - the same every time
    drafts = [
        change(
            f"c{place}",
            actor=chance.choice(["ann", "bob"]),
            session=chance.choice(["s1", "s2"]),
            ability=chance.choice(["notes/write", "notes/edit"]),
            target=chance.choice(["a", "b"]),
            domain=chance.choice(["notes", "files"]),
            action=chance.choice(["updated", "created"]),
            real=chance.choice(["ok", "failed", ""]),
            partial=chance.choice(["", "size"]),
            is_listed=chance.random() < 0.9,
        )
        for place in range(60)
    ]
    await shelf.book.append(drafts)
    for seq in range(1, 61):
        await shelf.set_time(seq, 1_000 + chance.randrange(60))
        if chance.random() < 0.3:
            await shelf.undone(seq, by=61)
        if chance.random() < 0.3:
            await shelf.verdict(f"c{seq - 1}", "failed", seq=61)


async def test_filters_together_leave_what_fits_all_of_them(tmp_path: Path) -> None:
    queries = [
        dict(zip(names, values, strict=True))
        for size in (1, 2, 3)
        for names in itertools.combinations(ASKED, size)
        for values in itertools.product(*(ASKED[name] for name in names))
    ]
    async with open_shelf(tmp_path) as shelf:
        await fill(shelf)
        every = (await History(shelf.book).list_changes(Query(limit=500))).entries
        history = History(shelf.book, look=7)
        found = [await every_page(history, Query(**q, limit=5)) for q in queries]

    expected = [
        [
            each.entry.seq
            for each in every
            if all(FITS[name](each, value) for name, value in query.items())
        ]
        for query in queries
    ]
    assert len(every) > 50
    assert [[*itertools.chain.from_iterable(pages)] for pages in found] == expected


# --- the plans ----------------------------------------------------------------

VALUES: dict[str, Any] = {
    "domain": "notes",
    "target": "a",
    "actor": "ann",
    "session": "s1",
    "ability": "notes/write",
    "action": "updated",
    "result": "ok",
    "is_reversible": True,
    "is_rolled_back": False,
    "start": 1,
    "end": 2,
    "before": 9,
}
INDEXES = {
    (): "ledger_listed",
    ("action",): "ledger_listed",
    ("start",): "ledger_listed",
    ("ability",): "ledger_by_ability (ability=?",
    ("actor",): "ledger_by_actor (actor=?",
    ("session",): "ledger_by_session (session=?",
    ("domain",): "ledger_by_domain (domain=?",
    ("domain", "target"): "ledger_by_target (domain=? AND target=?",
    ("actor", "session"): "ledger_by_session (session=?",
    ("actor", "ability"): "ledger_by_actor (actor=?",
    ("actor", "start"): "ledger_by_actor (actor=?",
    ("ability", "domain", "target"): "ledger_by_target (domain=? AND target=?",
}


async def plan_of(book: Book, sql: str, values: dict[str, Any]) -> list[str]:
    rows = await book.store.read(f"EXPLAIN QUERY PLAN {sql}", values)
    return [row[3] for row in rows]


def statements_of(names: tuple[str, ...]) -> list[tuple[str, dict[str, Any]]]:
    """Give every statement that a query with these filters runs."""
    filters = Filters(Query(**{name: VALUES[name] for name in names}))
    bounds = {"floor": 1, "ceiling": 9, "look": 9, "limit": 9}
    page = f"{LISTED} {filters.page()}"
    statements = [page, filters.reach()] if filters.is_searching else [page]
    return [(sql, {**filters.values, **bounds}) for sql in statements]


@pytest.mark.parametrize("names", INDEXES, ids="-".join)
@pytest.mark.parametrize("before", [(), ("before",)], ids=["newest", "older"])
async def test_a_page_walks_along_the_index_that_has_the_answer(
    tmp_path: Path, names: tuple[str, ...], before: tuple[str, ...]
) -> None:
    async with open_shelf(tmp_path) as (_, book):
        plans = [await plan_of(book, *each) for each in statements_of(names + before)]
    walks = [
        line
        for plan in plans
        for line in plan
        if "ledger_by_time" not in line
        and (" e " in f"{line} " or "ledger_entry" in line)
    ]
    assert len(walks) == len(plans)
    assert [walk for walk in walks if f"INDEX {INDEXES[names]}" not in walk] == []


async def test_no_combination_of_filters_scans_the_record_or_sorts_it(
    tmp_path: Path,
) -> None:
    combinations = [
        asked for size in range(4) for asked in itertools.combinations(VALUES, size)
    ]
    allowed = ("INDEX ledger_listed", "SCAN (subquery", "SCAN u")
    async with open_shelf(tmp_path) as (_, book):
        wrong = [
            (asked, line)
            for asked in combinations
            for sql, values in statements_of(asked)
            for line in await plan_of(book, sql, values)
            if ("SCAN" in line and not any(each in line for each in allowed))
            or "TEMP B-TREE" in line
        ]
        texts = {sql for asked in combinations for sql, _ in statements_of(asked)}
    assert wrong == []
    assert not any("OFFSET" in sql or "'ann'" in sql for sql in texts)


async def test_what_was_undone_is_read_along_its_own_table(tmp_path: Path) -> None:
    query = Query(is_rolled_back=True, actor="ann", before=9)
    filters = Filters(query)
    values = {**filters.values, "floor": 1, "ceiling": 9, "look": 9, "limit": 9}
    async with open_shelf(tmp_path) as (_, book):
        page = await plan_of(book, f"{LISTED} {filters.page()}", values)
        reach = await plan_of(book, filters.reach(), values)
    by_number = "USING INTEGER PRIMARY KEY (rowid"
    assert page[:2] == [
        f"SEARCH u {by_number}>? AND rowid<?)",
        f"SEARCH e {by_number}=?)",
    ]
    assert f"SEARCH ledger_undone {by_number}<?)" in reach
