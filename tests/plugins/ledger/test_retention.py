"""What the record lets go, and what it keeps whatever the limits say."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from plugins.ledger.desk import ANN, BOB, open_book, open_room

from abilities_host.ledger import Entry, Pruned
from abilities_host.storage import Statement
from abilities_ledger.anchor import Anchor
from abilities_ledger.book import Book
from abilities_ledger.content import keep
from abilities_ledger.continuity import Continuity
from abilities_ledger.draft import Draft, Whose
from abilities_ledger.retention import BATCH, RecordFull, Retention
from abilities_ledger.verify import verify

DAY = 86_400_000_000
NOTHING = Pruned(entries=0, through=None, bytes=0)


class World:
    """A record, and a clock that goes where a test wants it."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.now = 0

    async def start(self) -> None:
        [(now,)] = await self.book.store.read("SELECT strftime('%s', 'now') * 1000000")
        self.now = now

    def retention(
        self, *, days: int = 36_500, entries: int = 10**9, size: int = 1 << 40
    ) -> Retention:
        return Retention(
            self.book,
            days=days,
            entries=entries,
            contents_bytes=size,
            clock=lambda: self.now,
        )

    async def run(
        self, call: str, actor: str = "ann", state: str = "", changes: int = 1
    ) -> None:
        """Record a whole run; each has an intent, changes and an outcome."""
        kept = keep(state, limit=1 << 20) if state else None
        whose = Whose(call=call, actor=actor)
        digest = kept.digest if kept else None
        change = Draft(kind="change", whose=whose, is_listed=True, after=digest)
        drafts = [Draft(kind="intent", whose=whose), *[change] * changes]
        await self.book.append(
            [*drafts, Draft(kind="outcome", whose=whose)], [kept] if kept else []
        )

    async def open_run(self, call: str) -> None:
        await self.book.append([Draft(kind="intent", whose=Whose(call=call))])
        head = await self.book.head()
        values = {"call": call, "seq": head.seq}
        sql = (
            "INSERT INTO ledger_open (call, seq, lease, phase) "
            "VALUES (:call, :seq, 'x', 'running')"
        )
        await self.book.store.write([Statement(sql, values)])

    async def entries(self) -> list[Entry]:
        return await self.book.select("ORDER BY seq LIMIT 50000", {})

    async def kinds(self) -> list[str]:
        return [f"{each.seq} {each.kind}" for each in await self.entries()]

    async def totals(self) -> tuple[int, int, int, int]:
        """Give what is counted, and what is there."""
        [(contents, size)] = await self.book.store.read(
            "SELECT contents, bytes FROM ledger_total"
        )
        [there] = await self.book.store.read(
            "SELECT count(*), coalesce(sum(length(data)), 0) FROM ledger_content"
        )
        return (contents, size, *there)

    async def verdict(self) -> str:
        [(record,)] = await self.book.store.read("SELECT id FROM ledger_total")
        anchor = Anchor(None, record, Continuity(self.book, record).course)
        return (await verify(self.book, anchor)).verdict


@asynccontextmanager
async def open_world(folder: Path) -> AsyncIterator[World]:
    async with open_book(folder) as book:
        world = World(book)
        await world.start()
        yield world


async def test_what_is_older_than_the_days_goes(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.run("c1", state="one")
        await world.run("c2", state="two")
        world.now += 31 * DAY

        pruned = await world.retention(days=30).prune(by="ann")

        # The newest entry stays, and with it what was stored beside it.
        assert pruned == Pruned(entries=5, through=5, bytes=len('j"one"'))
        assert await world.kinds() == ["6 outcome", "7 prune"]
        mark = (await world.entries())[-1]
        assert (mark.actor, mark.action) == ("ann", "pruned")
        assert (mark.details["from"], mark.details["through"]) == (1, 5)
        assert await world.totals() == (1, 6, 1, 6)
        assert await world.verdict() == "unanchored"


async def test_what_is_not_older_stays(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.run("c1")
        world.now += 29 * DAY

        assert await world.retention(days=30).prune(by="host") == NOTHING
        assert len(await world.entries()) == 3


async def test_of_too_many_entries_the_oldest_go(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        for n in range(10):
            await world.run(f"c{n}")
        world.now += 8 * DAY

        pruned = await world.retention(entries=12).prune(by="host")

        assert (pruned.entries, pruned.through) == (18, 18)
        assert [entry.seq for entry in await world.entries()] == [*range(19, 31), 31]


async def test_of_too_many_bytes_the_oldest_go(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        for n in range(10):
            await world.run(f"c{n}", state=f"{n}" + "x" * 100)
        world.now += 8 * DAY

        pruned = await world.retention(size=520).prune(by="host")

        assert (pruned.through, pruned.bytes) == (15, 5 * 104)
        assert await world.totals() == (5, 520, 5, 520)
        assert await world.verdict() == "unanchored"


async def test_a_state_that_a_kept_entry_names_stays(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.run("c1", state="the same")
        await world.run("c2", state="the same")
        world.now += 8 * DAY

        pruned = await world.retention(entries=3).prune(by="host")

        assert (pruned.through, pruned.bytes) == (3, 0)
        assert await world.totals() == (1, 11, 1, 11)
        assert await world.verdict() == "unanchored"


async def test_a_change_younger_than_seven_days_never_goes(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        for n in range(10):
            await world.run(f"c{n}", state=f"{n}")
        world.now += 7 * DAY - 60_000_000

        retention = world.retention(days=7, entries=1, size=1)

        assert await retention.prune(by="ann") == NOTHING
        world.now += 120_000_000
        assert (await retention.prune(by="ann")).entries == 29


async def test_the_intent_of_a_young_change_stays(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.run("old")
        whose = Whose(call="long")
        await world.book.append([Draft(kind="intent", whose=whose)])
        await world.run("other")
        change = Draft(kind="change", whose=whose, is_listed=True)
        # The clock stands still for what went before, and goes on for this one.
        await world.book.append([change])
        sql = "UPDATE ledger_entry SET at = at - :by WHERE seq < 8"
        await world.book.store.write([Statement(sql, {"by": 30 * DAY})])

        pruned = await world.retention(days=7, entries=1).prune(by="host")

        assert pruned.through == 3
        assert (await world.kinds())[0] == "4 intent"


async def test_a_run_that_has_not_ended_stays(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.run("old")
        await world.open_run("open")
        await world.run("newer")
        world.now += 400 * DAY

        pruned = await world.retention(days=7, entries=1).prune(by="host")

        assert pruned.through == 3
        assert (await world.kinds())[0] == "4 intent"


async def test_a_clock_that_was_set_back_makes_nothing_older(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        for n in range(4):
            await world.run(f"c{n}")
        back = "UPDATE ledger_entry SET at = 0 WHERE seq IN (9, 12)"
        await world.book.store.write([Statement(back)])

        assert await world.retention(days=30).prune(by="host") == NOTHING
        assert len(await world.entries()) == 12


async def test_more_than_one_batch_leaves_a_mark_for_each(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        count = BATCH + 100
        await world.run("c1", changes=count)
        world.now += 400 * DAY

        first = await world.retention(days=7).prune(by="host", batches=1)
        rest = await world.retention(days=7).prune(by="host")

        assert (first.through, rest.through) == (BATCH, count + 2)
        assert await world.kinds() == [f"{count + 3} prune", f"{count + 4} prune"]
        assert await world.verdict() == "unanchored"


async def test_a_rehearsal_says_what_would_go_and_changes_nothing(
    tmp_path: Path,
) -> None:
    async with open_world(tmp_path) as world:
        await world.run("c1", state="one", changes=BATCH)
        world.now += 400 * DAY
        retention = world.retention(days=7)

        said = await retention.prune(by="ann", is_dry_run=True)

        assert len(await world.entries()) == BATCH + 2
        assert said == await retention.prune(by="ann")


async def test_two_hosts_prune_once(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world, open_book(tmp_path) as other:
        await world.run("c1", state="one", changes=3 * BATCH)
        world.now += 400 * DAY
        second = World(other)
        second.now = world.now

        both = await asyncio.gather(
            world.retention(days=7).prune(by="host"),
            second.retention(days=7).prune(by="host"),
        )

        marks = [entry for entry in await world.entries() if entry.kind == "prune"]
        ranges = [(each.details["from"], each.details["through"]) for each in marks]
        ends = [*range(BATCH, 3 * BATCH + 1, BATCH), 3 * BATCH + 1]
        assert ranges == list(zip([1, *(e + 1 for e in ends)], ends, strict=False))
        assert sum(each.entries for each in both) == 3 * BATCH + 1
        assert await world.totals() == (1, 6, 1, 6)
        assert await world.verdict() == "unanchored"


async def test_pruning_goes_on_where_it_ended(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        for n in range(6):
            await world.run(f"c{n}", state=f"{n}")
            world.now += 10 * DAY
            await world.retention(entries=4).prune(by="host")
            assert await world.verdict() == "unanchored"


async def test_nothing_is_pruned_of_an_empty_record(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        assert await world.retention(entries=1).prune(by="ann") == NOTHING


# --- room -----------------------------------------------------------------------


async def refused(retention: Retention, actors: Sequence[str]) -> list[str]:
    found = []
    for actor in actors:
        try:
            await retention.check_room(actor)
        except RecordFull:
            found.append(actor)
    return found


async def test_only_who_has_its_share_is_refused_when_the_record_is_full(
    tmp_path: Path,
) -> None:
    async with open_world(tmp_path) as world:
        for n in range(8):
            await world.run(f"a{n}", "greedy")
        await world.run("b1", "modest")
        everybody = ["greedy", "modest", "new"]

        assert await refused(world.retention(entries=27), everybody) == []
        assert await refused(world.retention(entries=24), everybody) == ["greedy"]
        assert await refused(world.retention(size=1 << 40), everybody) == []


async def test_bytes_fill_the_record_too(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.run("a1", "greedy", state="x" * 400)
        noise = "".join(chr(33 + n * 7 % 90) for n in range(400))
        await world.run("a2", "greedy", state=noise)

        assert await refused(world.retention(size=100), ["greedy"]) == ["greedy"]


async def test_what_is_old_makes_room_and_nobody_is_refused(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        for n in range(8):
            await world.run(f"a{n}", "greedy")
        world.now += 8 * DAY

        assert await refused(world.retention(entries=5), ["greedy"]) == []
        assert len(await world.entries()) == 6


async def test_a_run_that_never_ended_makes_nobody_guilty(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.open_run("open")
        for n in range(8):
            await world.run(f"a{n}", "greedy")
        world.now += 8 * DAY

        assert await refused(world.retention(entries=5), ["greedy"]) == []


async def test_how_full_it_is_is_looked_at_every_ten_seconds(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        retention = world.retention(entries=3)
        assert await refused(retention, ["ann"]) == []
        for n in range(8):
            await world.run(f"a{n}", "ann")

        world.now += 9_000_000
        assert await refused(retention, ["ann"]) == []
        world.now += 2_000_000
        assert await refused(retention, ["ann"]) == ["ann"]
        # A clock that is set back must not keep it from looking.
        world.now -= 3600_000_000
        await world.book.store.write([Statement("DELETE FROM ledger_entry")])
        assert await refused(retention, ["ann"]) == []


async def test_who_is_refused_reads_why_and_what_to_do(tmp_path: Path) -> None:
    config = "keep_entries = 500\n"
    async with open_room(tmp_path, config) as room:
        many = [Draft(kind="change", whose=Whose("c", "", "ann"), is_listed=True)]
        await room.book.append(many * 600)

        full = await room.run("put", actor=ANN)
        other = await room.run("put", actor=BOB)

        assert (full.status, full.code) == ("refused", "ledger_full")
        assert full.error is not None
        assert "keep_entries" in full.error.message
        assert other.is_ok
        assert [entry.actor for entry in await room.entries(600)] == ["bob"] * 3
