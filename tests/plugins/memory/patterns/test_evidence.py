"""What the record shows of a run, wherever that began, and how much is kept of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
from plugins.ledger.shelf import Shelf, change, open_shelf, other, outcome
from plugins.memory.patterns.world import NOW

from abilities_host.ledger import Kind, Ledger
from abilities_ledger.draft import Draft, Whose
from abilities_ledger.export import export
from abilities_ledger.history import History
from abilities_memory import pattern_tables, tables
from abilities_memory.evidence import KINDS, LOOK_BACK, Evidence, Part
from abilities_memory.moments import DAY
from abilities_memory.patterns import Seen
from abilities_memory.sightings import KEEP_DAYS, PER_SESSION, Sightings

FAILED = {"result": "failed", "real": "failed"}


class Record:
    """As much of the record as is asked of it; its service needs a whole host."""

    def __init__(self, shelf: Shelf) -> None:
        history = History(shelf.book)
        self.export = partial(export, shelf.book)
        self.get_change = history.get_change
        self.get_entry = history.get_entry


class Study(NamedTuple):
    """A record whose entries a test writes, and what was seen in it."""

    shelf: Shelf
    sightings: Sightings

    def evidence(self, domain: str | None = "notes") -> Evidence:
        return Evidence(cast("Ledger", Record(self.shelf)), lambda _: domain)

    async def append(self, *drafts: Draft) -> int:
        """Append entries together; give the number of the last."""
        return (await self.shelf.book.append(drafts))[-1]

    async def entries_kept(self) -> list[tuple[int, str]]:
        sql = "SELECT entry, session FROM memory_pattern_seen ORDER BY entry"
        return [(entry, session) for entry, session in await self.shelf.store.read(sql)]


@asynccontextmanager
async def open_study(folder: Path, **limits: Any) -> AsyncIterator[Study]:
    async with open_shelf(folder) as shelf:
        await shelf.store.migrate(tables.OWNER, tables.MIGRATIONS)
        await shelf.store.migrate(pattern_tables.OWNER, pattern_tables.MIGRATIONS)
        yield Study(shelf, Sightings(shelf.store, **limits))


def intent(call: str, *names: str) -> Draft:
    targets = [["notes", name, None, ""] for name in names]
    return other("intent", call, details={"targets": targets})


def failed(call: str, **parts: Any) -> Draft:
    return outcome(call, is_listed=True, **{**FAILED, **parts})


def kinds(part: Part) -> list[str]:
    return sorted(each.kind for seen in part.found.values() for each in seen)


def seen(entry: int, session: str = "s1", **parts: Any) -> Seen:
    given: dict[str, Any] = {
        "at": NOW,
        "domain": "notes",
        "action": "updated",
        "kind": "*",
        "happened": "failed",
    }
    return Seen(entry=entry, session=session, **{**given, **parts})


def part(*many: Seen, last: int = 1) -> Part:
    found = {(each.entry, each.happened): (each,) for each in many}
    return Part(last, found, is_end=True)


async def test_a_run_that_fails_is_about_what_it_named_and_touched(
    tmp_path: Path,
) -> None:
    touch = other("touch", "c1", domain="notes", target="x/b.py")
    async with open_study(tmp_path) as study:
        last = await study.append(intent("c1", "a.md", "b.md"), touch, failed("c1"))
        read = await study.evidence().read(0, 500)

    at = next(iter(read.found.values()))[0].at
    names: dict[str, Any] = {"action": "notes/write", "at": at}
    assert read == Part(
        3,
        {
            (last, "failed"): (
                seen(last, kind="*.md", **names),
                seen(last, kind="x/*.py", **names),
            )
        },
        is_end=True,
    )


async def test_a_run_of_many_kinds_counts_for_some(tmp_path: Path) -> None:
    names = [f"f{n}x/a" for n in range(2 * KINDS)]
    async with open_study(tmp_path) as study:
        await study.append(intent("c1", *names), failed("c1"))
        read = await study.evidence().read(0, 500)

    assert len(kinds(read)) == KINDS


async def test_a_run_is_known_by_its_beginning_also_when_that_was_read_before(
    tmp_path: Path,
) -> None:
    async with open_study(tmp_path) as study:
        await study.append(intent("c1", "a.md"))
        gone = other("intent", "c2", details={"targets": [["notes", "b.py", None, ""]]})
        await study.append(gone, failed("c1"), failed("c3"), failed("c2"))
        same, new, bare = study.evidence(), study.evidence(), study.evidence(None)
        first = await same.read(0, 2)
        found = [kinds(await each.read(2, 500)) for each in (same, new, bare)]

    assert first == Part(2, {}, is_end=False)
    # Who has read on knows; who begins there looks back; an ability that is gone, or
    # changes nothing that the host reads, is not worth it.
    assert found == [["", "*.md", "*.py"], ["", "*.md", "*.py"], ["", "", ""]]


@pytest.mark.parametrize("kind", ["intent", "review"])
async def test_a_run_that_began_too_long_ago_is_of_the_domain_of_its_ability(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_study(tmp_path) as study:
        others = [other(kind, f"n{n}") for n in range(LOOK_BACK - 1)]
        await study.append(intent("c1", "a.py"), *others[:20], intent("c2", "b.md"))
        head = await study.append(*others)
        await study.append(failed("c2"), failed("c1"))
        whole = kinds(await study.evidence().read(0, 2 * LOOK_BACK))
        later = kinds(await study.evidence().read(head, LOOK_BACK))

    assert whole == later == ["", "*.md"]


async def test_what_nobody_of_the_run_did_is_no_evidence(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        await study.append(
            intent("c1", "a.md"),
            change("c1", partial="foreign", **FAILED),
            change("c1"),
            outcome("c1", **FAILED),
            outcome("c2", is_listed=True, result="unknown", real=""),
            other("denial", "c3"),
            other("rollback", "c4", about=999),
            other("rollback", "c5", about=3, action="undone"),
            other("rollback", "c6"),
            other("evaluation", "c7", about=999),
            other("review", ""),
        )
        read = await study.evidence().read(0, 500)

    # A change that is not undone, as far as the record says now, takes that back.
    assert read == Part(11, {(3, "rolled back"): ()}, is_end=True)


async def test_an_undo_that_is_undone_is_nobodys_mistake(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        undo = change("c1", ability="ledger/rollback-change")
        await study.append(undo, other("rollback", "c2", about=1, action="undone"))
        await study.shelf.undone(1, 2)
        read = await study.evidence().read(0, 500)

    assert read.found == {}


async def test_a_run_vetoed_at_something_it_touches_was_vetoed(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        vetoed = failed("c1", details={"code": "write_vetoed"})
        await study.append(intent("c1", "a.md"), vetoed)
        read = await study.evidence().read(0, 500)

    assert [*read.found] == [(2, "vetoed")]
    assert kinds(read) == ["*.md"]


async def test_vetoes_that_were_counted_together_count_as_often(tmp_path: Path) -> None:
    whose = Whose("", "", "ann", "s1", "notes/write")
    async with open_study(tmp_path) as study:
        await study.append(Draft(kind="veto", whose=whose, details={"count": 7}))
        [(read,)] = (await study.evidence(None).read(0, 500)).found.values()

    assert (read.count, read.domain, read.action) == (7, "", "notes/write")


async def test_an_empty_part_shows_nothing(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        assert await study.evidence().read(0, 500) == Part(0, {}, is_end=True)


# --- what is kept -------------------------------------------------------------


async def test_a_part_that_another_process_has_read_is_not_kept(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        keep = study.sightings.keep
        first = await keep(0, part(seen(1), last=9), now=NOW)
        other_ = await keep(0, part(seen(2), last=9), now=NOW)
        last = await study.sightings.last()
        kept = await study.entries_kept()

    assert (first, other_, last, kept) == (True, False, 9, [(1, "s1")])


async def test_so_many_are_kept_of_one_session(tmp_path: Path) -> None:
    most = PER_SESSION + 5
    many = [seen(n) for n in range(1, most)] + [seen(most, "s2")]
    async with open_study(tmp_path) as study:
        await study.sightings.keep(0, part(*many), now=NOW)
        kept = await study.entries_kept()

    assert kept == [(n, "s1") for n in range(1, PER_SESSION + 1)] + [(most, "s2")]


async def test_what_is_old_goes_and_so_does_the_oldest_of_too_many(
    tmp_path: Path,
) -> None:
    old = seen(1, at=NOW - KEEP_DAYS * DAY - 1)
    async with open_study(tmp_path, most=2) as study:
        await study.sightings.keep(0, part(old, seen(2), seen(3)), now=NOW)
        first = await study.entries_kept()
        more = part(seen(4), seen(5, happened="divergent"), last=2)
        await study.sightings.keep(1, more, now=NOW)
        second = await study.entries_kept()

    assert (first, second) == ([(2, "s1"), (3, "s1")], [(4, "s1"), (5, "s1")])


async def test_what_is_taken_back_is_gone_and_the_rest_stays(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        both = part(seen(1), seen(1, happened="rolled back"), seen(2))
        await study.sightings.keep(0, both, now=NOW)
        back = Part(2, {(1, "failed"): (), (3, "failed"): ()}, is_end=True)
        await study.sightings.keep(1, back, now=NOW)
        often = await study.sightings.often(1)

    assert often == [seen(1, happened="rolled back"), seen(2)]
