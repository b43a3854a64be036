"""Refusals are counted, so that repeating them fills nothing and loses nothing."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from plugins.ledger.desk import open_book, open_room

from abilities_host import Actor, Call, Outcome, Veto
from abilities_host.ledger import Entry
from abilities_host.storage import Statement
from abilities_ledger.book import Book
from abilities_ledger.refusals import ACTORS, BATCH, Refusals

FULL = (
    "CREATE TRIGGER full BEFORE INSERT ON ledger_entry "
    "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Ability:
    def __init__(self, name: str) -> None:
        self.name = name


class Refused(Exception):
    def __init__(self, message: str, **details: str) -> None:
        self.message = message
        self.details = details
        self.code = "write_vetoed"
        super().__init__(message)


async def refuse(
    refusals: Refusals,
    *,
    ability: str = "notes/put",
    actor: str = "bob",
    rule: str = "r1",
    reason: str = "no",
) -> None:
    """Note a refusal of which a test says only what it is about."""
    call: Any = object.__new__(Call)
    for name, value in (
        ("id", "c1"),
        ("ability", Ability(ability)),
        ("actor", Actor(actor, "agent", frozenset())),
        ("session", "s1"),
        ("server", None),
        ("client", "test"),
        ("via", ""),
        ("parent", None),
    ):
        setattr(call, name, value)
    error: Any = Refused(reason, plugin="guard", rule=rule)
    await refusals.note(call, Outcome("refused", ability, "c1", error=error))


async def entries(book: Book) -> list[Entry]:
    return await book.select("ORDER BY seq LIMIT 5000", {})


async def counts(book: Book) -> list[tuple[str, str, str, int]]:
    return [
        (e.actor, e.ability, e.details.get("rule", ""), e.details["count"])
        for e in await entries(book)
    ]


async def test_the_first_is_an_entry_and_the_others_are_counted(
    tmp_path: Path,
) -> None:
    async with open_book(tmp_path) as book:
        refusals = Refusals(book, per_minute=60)
        for _ in range(5):
            await refuse(refusals)
        assert await counts(book) == [("bob", "notes/put", "r1", 1)]

        await refusals.flush()

        first, others = await entries(book)
        assert (first.kind, first.call, first.session) == ("veto", "c1", "s1")
        assert (others.kind, others.call, others.session) == ("veto", "", "s1")
        assert {**others.details, "count": 1} == first.details
        assert others.details["count"] == 4


async def test_different_refusals_are_different_entries(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        refusals = Refusals(book, per_minute=60)
        for _ in range(2):
            await refuse(refusals)
            await refuse(refusals, actor="ann")
            await refuse(refusals, ability="notes/remove")
            await refuse(refusals, rule="r2")
            await refuse(refusals, reason="another")

        assert [count for *_, count in await counts(book)] == [1] * 5
        await refusals.flush()

        assert [count for *_, count in await counts(book)] == [1] * 10


async def test_a_minute_ends_after_sixty_seconds_and_not_before(
    tmp_path: Path,
) -> None:
    clock = Clock()
    async with open_book(tmp_path) as book:
        refusals = Refusals(book, per_minute=60, clock=clock)
        await refuse(refusals)
        await refuse(refusals)

        clock.now += 59.9
        await refusals.flush_if_due()
        assert [count for *_, count in await counts(book)] == [1]

        clock.now += 0.1
        await refusals.flush_if_due()
        await refuse(refusals)
        assert [count for *_, count in await counts(book)] == [1, 1, 1]

        clock.now += 60
        await refusals.flush_if_due()
        assert len(await counts(book)) == 3


async def test_what_an_actor_is_refused_beyond_its_budget_is_one_count(
    tmp_path: Path,
) -> None:
    async with open_book(tmp_path) as book:
        refusals = Refusals(book, per_minute=3)
        for n in range(10):
            await refuse(refusals, rule=f"r{n}")
        await refuse(refusals, actor="ann")

        # Three of their own, and the first of those that have none.
        assert len(await counts(book)) == 5
        await refusals.flush()

        assert (await counts(book))[5:] == [("bob", "", "", 6)]
        last = (await entries(book))[-1]
        assert (last.kind, last.action) == ("denial", "several")


async def test_actors_beyond_the_limit_share_one_budget(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        refusals = Refusals(book, per_minute=1)
        await asyncio.gather(
            *(refuse(refusals, actor=f"a{n}") for n in range(ACTORS + 10))
        )
        before = len(await counts(book))

        await refusals.flush()

        assert before == ACTORS + 1
        others = ("(others)", "notes/put", "r1", 9)
        assert (await counts(book))[before:] == [others]


async def test_more_counts_than_one_step_holds_are_all_stored(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        refusals = Refusals(book, per_minute=BATCH + 10)
        for _ in range(2):
            await asyncio.gather(
                *(refuse(refusals, rule=f"r{n}") for n in range(BATCH + 5))
            )

        await refusals.flush()

        assert len(await counts(book)) == 2 * (BATCH + 5)


async def test_what_cannot_be_stored_is_counted_and_stored_later(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    async with open_book(tmp_path) as book:
        refusals = Refusals(book, per_minute=60, clock=clock)
        await refuse(refusals, rule="early")
        await refuse(refusals, rule="early")
        await book.store.write([Statement(FULL)])
        with pytest.raises(Exception, match="disk full"):
            await refuse(refusals)
        await refuse(refusals)
        await refusals.flush()
        assert "counted refusals cannot be recorded now" in caplog.text
        await refuse(refusals)
        await book.store.write([Statement("DROP TRIGGER full")])

        await refusals.flush()

        assert (await counts(book))[1:] == [
            ("bob", "notes/put", "early", 1),
            ("bob", "notes/put", "r1", 3),
        ]


async def test_a_flush_that_is_cancelled_counts_nothing_twice(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        refusals = Refusals(book, per_minute=60)
        await refuse(refusals)
        await refuse(refusals)
        flushing = asyncio.create_task(refusals.flush())
        await asyncio.sleep(0)
        flushing.cancel()
        await asyncio.wait([flushing])
        await refusals.flush()

        assert [count for *_, count in await counts(book)] == [1, 1]


async def test_a_host_that_stops_records_what_it_counted(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        room.desk.answer = Veto("no", rule="r7")
        for _ in range(4):
            await room.run("put")
    async with open_book(tmp_path / "host", "abilities.db") as book:
        assert [e.details["count"] for e in await entries(book)] == [1, 3]


async def test_a_store_that_is_closed_does_not_stop_the_clockwork(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    async with open_book(tmp_path) as book:
        refusals = Refusals(book, per_minute=60, clock=clock)
        await refuse(refusals)
        await refuse(refusals)
    clock.now += 60

    await refusals.flush_if_due()

    assert "counted refusals cannot be recorded now" in caplog.text
