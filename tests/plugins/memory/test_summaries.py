"""A summary is of one actor's session and window, with facts nobody else can write."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest
from plugins.ledger.shelf import change
from plugins.memory.sessions import (
    MINUTE,
    NOON,
    Crowded,
    differ,
    minutes,
    open_study,
)

from abilities_host.ledger import Digest, Ledger
from abilities_host.memory import Summary
from abilities_host.storage import Statement
from abilities_memory.answer import answer
from abilities_memory.digesting import DIVERGENCES, ENTRIES, BackwardSpan, Told
from abilities_memory.moments import DAY, EPOCH, micros_of, moment_of
from abilities_memory.recall import recall
from abilities_memory.refusals import UnsuitableWording
from abilities_memory.summaries import (
    PER_ACTOR,
    RECENT,
    Summaries,
    SummariesBusy,
    TooManySummaries,
)

WRITER = """
import asyncio, sys
from pathlib import Path
from plugins.memory.sessions import Record, differ
from plugins.ledger.shelf import change, open_shelf
from abilities_memory.digesting import Told
from abilities_memory.summaries import Summaries

async def main(folder, name):
    async with open_shelf(Path(folder)) as shelf:
        summaries = Summaries(shelf.store, compare=differ)
        await summaries.migrate()
        sys.stdout.write("ready\\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)
        for n in range(5):
            drafts = [change(f"{name}{n}{i}", target=f"{name}{n}{i}") for i in range(4)]
            told = Told(narrative=f"{name}{n}", actor="ann", session="s1")
            await asyncio.gather(
                *(shelf.book.append([draft]) for draft in drafts),
                summaries.save(told, Record(shelf.book)),
                summaries.save(told, Record(shelf.book)),
            )

asyncio.run(main(*sys.argv[1:]))
"""


async def test_a_summary_holds_the_digest_of_its_actor_and_session(
    tmp_path: Path,
) -> None:
    async with open_study(tmp_path) as study:
        await study.change(1, "a", action="created")
        await study.change(2, "b", actor="bob")
        await study.change(3, "c", session="s2")
        await study.change(4, "d", domain="files")
        saved = await study.save(5, " Wrote a and d.\n")
        read = await study.summaries.get("ss-0001")

    assert read == saved
    assert saved == Summary(
        id="ss-0001",
        saved_at=NOON + 5 * MINUTE,
        start=NOON + MINUTE,
        end=NOON + 5 * MINUTE,
        narrative="Wrote a and d.",
        digest=Digest(
            source="change_ledger",
            entries_count=2,
            by_domain={"notes": 1, "files": 1},
            by_action={"notes.created": 1, "files.updated": 1},
            targets=["files:d", "notes:a"],
            targets_count=2,
            divergence=False,
            divergences=0,
            rolled_back=0,
            unknown=0,
            first=1,
            last=4,
            actors=["ann"],
            sessions=["s1"],
        ),
        divergences=[],
        is_partial=False,
        agent="ann",
        session="s1",
    )


async def test_what_was_told_and_is_not_recorded_is_a_divergence(
    tmp_path: Path,
) -> None:
    async with open_study(tmp_path) as study:
        await study.change(1, "a")
        claims = [{"action": "updated", "target": name} for name in ("a", "x")]
        saved = await study.save(2, claims=claims)

    assert saved.divergences == [{"kind": "not_recorded", "target": "x"}]
    assert (saved.digest["divergence"], saved.digest["divergences"]) == (True, 0)


async def test_what_was_verified_otherwise_is_a_divergence(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        await study.change(1, "a", real="failed")
        saved = await study.save(2)

    assert (saved.digest["divergence"], saved.digest["divergences"]) == (True, 1)
    assert saved.divergences == []


async def test_windows_follow_each_other_and_tell_everything_once(
    tmp_path: Path,
) -> None:
    async with open_study(tmp_path) as study:
        await study.change(1, "a")
        await study.change(5, "b")
        first = await study.save(5)
        await study.change(6, "c")
        second = await study.save(9)
        third = await study.save(9)

    spans = [minutes(each) for each in (first, second, third)]
    targets = [each.digest["targets"] for each in (first, second, third)]
    assert spans == [(1, 5), (5, 9), (9, 9)]
    assert targets == [["notes:a"], ["notes:b", "notes:c"], []]


async def test_a_session_without_entries_has_an_empty_window(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        saved = await study.save(3)

    assert minutes(saved) == (3, 3)
    assert (saved.digest["entries_count"], saved.digest["first"]) == (0, None)


async def test_a_later_session_starts_where_the_actors_last_summary_ended(
    tmp_path: Path,
) -> None:
    async with open_study(tmp_path) as study:
        await study.change(1, "a")
        await study.save(5)
        await study.change(7, "b", session="s2")
        saved = await study.save(9, session="s2")
        of_bob = await study.save(10, actor="bob")

    assert (minutes(saved), saved.digest["targets"]) == ((5, 9), ["notes:b"])
    assert minutes(of_bob) == (10, 10)


async def test_a_session_beside_another_loses_nothing(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        await study.change(1, "a", session="s2")
        await study.change(2, "b")
        await study.save(5)
        await study.change(6, "c", session="s2")
        saved = await study.save(9, session="s2")
        again = await study.save(10, session="s2")

    targets = ["notes:a", "notes:c"]
    assert (minutes(saved), saved.digest["targets"]) == ((1, 9), targets)
    assert (minutes(again), again.digest["targets"]) == ((9, 10), [])


async def test_a_clock_that_was_set_back_loses_nothing(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        await study.change(50, "a")
        await study.save(60)
        await study.change(10, "b")
        saved = await study.save(20)
        empty = await study.save(15)

    assert (minutes(saved), saved.digest["targets"]) == ((10, 20), ["notes:b"])
    assert (minutes(empty), empty.digest["targets"]) == ((15, 15), [])


@pytest.mark.parametrize(
    ("start", "end", "window"),
    [(2, 4, (2, 4)), (2, 99, (2, 9)), (None, 4, (1, 4)), (3, None, (3, 9))],
)
async def test_the_caller_may_choose_the_window_up_to_now(
    tmp_path: Path, start: int | None, end: int | None, window: tuple[int, int]
) -> None:
    async with open_study(tmp_path) as study:
        for minute in (1, 2, 3, 4):
            await study.change(minute, f"{minute}")
        saved = await study.save(
            9,
            start=None if start is None else NOON + start * MINUTE,
            end=None if end is None else NOON + end * MINUTE,
        )

    told = [f"notes:{n}" for n in (1, 2, 3, 4) if window[0] <= n < window[1]]
    assert (minutes(saved), saved.digest["targets"]) == (window, told)


@pytest.mark.parametrize(("start", "end"), [(4, 3), (10, None), (10, 99)])
async def test_a_window_that_ends_before_it_starts_is_refused(
    tmp_path: Path, start: int, end: int | None
) -> None:
    async with open_study(tmp_path) as study:
        with pytest.raises(BackwardSpan, match="Leave session_start"):
            await study.save(
                9,
                start=NOON + start * MINUTE,
                end=None if end is None else NOON + end * MINUTE,
            )
        assert await study.summaries.count(None) == 0


@pytest.mark.parametrize("narrative", ["", " \n", "x" * 4001, "half \ud800"])
async def test_a_narrative_that_cannot_be_kept_is_refused(
    tmp_path: Path, narrative: str
) -> None:
    async with open_study(tmp_path) as study:
        with pytest.raises(UnsuitableWording):
            await study.save(1, narrative)
        assert await study.summaries.count("ann") == 0


async def test_more_than_is_compared_is_counted_and_said(tmp_path: Path) -> None:
    names = [f"{n:05}" for n in range(ENTRIES + 1)]
    claims = [{"action": "updated", "target": f"x{n}"} for n in range(DIVERGENCES + 1)]
    async with open_study(tmp_path) as study:
        await study.shelf.book.append(
            [change(f"c{name}", target=name) for name in names]
        )
        start = NOON - 900 * DAY
        study.clock.now = NOON + 9000 * DAY
        saved = await study.save(9000 * 24 * 60, start=start, claims=claims[:1])
        many = await study.save(9001 * 24 * 60, claims=claims)

    assert (saved.digest["entries_count"], saved.is_partial) == (ENTRIES + 1, True)
    assert len(saved.divergences) == 1
    assert (many.digest["entries_count"], many.is_partial) == (0, True)
    assert len(many.divergences) == DIVERGENCES


async def test_the_summaries_that_ended_last_come_first(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        await study.save(5, "one")
        await study.save(5, "two", actor="bob")
        await study.save(5, "three")
        await study.save(9, "four", start=NOON, end=NOON + MINUTE)
        everybody = await study.summaries.recent(None, 3)
        of_ann = await study.summaries.recent("ann", 1000)
        none = await study.summaries.recent("ann", 0)
        counts = [await study.summaries.count(who) for who in (None, "ann", "eve")]
        exported = [summary.id async for summary in study.summaries.every()]

    assert [each.narrative for each in everybody] == ["three", "two", "one"]
    assert [each.narrative for each in of_ann] == ["three", "one", "four"]
    assert (none, counts) == ((), [4, 3, 0])
    assert exported == ["ss-0001", "ss-0002", "ss-0003", "ss-0004"]


async def test_no_more_than_a_hundred_are_given(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        for _ in range(RECENT + 1):
            await study.save(1)
        recent = await study.summaries.recent("ann", 1000)
        every = [summary.id async for summary in study.summaries.every()]

    assert (len(recent), len(every)) == (RECENT, RECENT + 1)


@pytest.mark.parametrize("id_", ["", "ss-1", "ss-0002", "gm-0001", "ss-00001", "ss-²"])
async def test_an_id_that_was_not_given_finds_nothing(tmp_path: Path, id_: str) -> None:
    async with open_study(tmp_path) as study:
        await study.save(1)
        assert await study.summaries.get(id_) is None


async def test_summaries_are_kept_for_a_year_and_ids_are_never_given_twice(
    tmp_path: Path,
) -> None:
    async with open_study(tmp_path) as study:
        await study.save(0)
        await study.save(2)
        study.clock.now = NOON + 365 * DAY
        kept = await study.summaries.prune()
        study.clock.now += MINUTE
        would = await study.summaries.prune(is_dry_run=True)
        went = await study.summaries.prune()
        study.clock.now += DAY
        rest = await study.summaries.prune()
        saved = await study.save(3)

    assert (kept, would, went, rest) == (0, 1, 1, 1)
    assert saved.id == "ss-0003"


async def test_an_actor_has_a_bounded_number_of_summaries(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        await study.save(1)
        copy = """
            INSERT INTO memory_summary SELECT :number, saved_at, session_start,
                session_end, actor, session, narrative, digest, divergences,
                is_partial, last_entry, is_divergent
            FROM memory_summary WHERE number = 1
        """
        more = [Statement(copy, {"number": n}) for n in range(10, PER_ACTOR + 9)]
        await study.shelf.store.write(more)
        with pytest.raises(TooManySummaries):
            await study.save(2)
        other = await study.save(2, actor="bob")

    assert other.id == "ss-0002"


async def test_an_answer_gives_the_digest_first_and_says_that_nobody_reviewed_it(
    tmp_path: Path,
) -> None:
    async with open_study(tmp_path) as study:
        await study.change(1, "a\u202e")
        claims = [{"action": "updated", "target": "\u202ex"}]
        saved = await study.save(5, "Wrote \u202ea.", claims=claims)
    recalled = recall([], {}, at=NOON + 2 * DAY)
    told = answer(recalled, [saved], summaries_count=3)

    assert json.loads(json.dumps(told)) == told
    assert (told["summaries_returned"], told["summaries_count"]) == (1, 3)
    assert told["summaries_truncated"] is True
    [entry] = told["session_summaries"]
    assert list(entry)[:2] == ["id", "digest"]
    assert entry.pop("digest")["targets"] == ["notes:a\\u202e"]
    assert entry == {
        "id": "ss-0001",
        "divergences": [{"kind": "not_recorded", "target": "\\u202ex"}],
        "partial": False,
        "status": "unreviewed",
        "agent": "ann",
        "session": "s1",
        "session_start": "2027-01-15T08:01:00Z",
        "session_end": "2027-01-15T08:05:00Z",
        "age_days": 1,
        "narrative": "Wrote \\u202ea.",
    }


async def test_a_window_starts_where_another_host_ended_meanwhile(
    tmp_path: Path,
) -> None:
    async with open_study(tmp_path) as study:
        await study.change(1, "a")
        study.clock.now = NOON + 5 * MINUTE
        other = Summaries(study.shelf.store, compare=differ, clock=study.clock)
        crowded = cast("Ledger", Crowded(study, other, times=3))
        told = Told(narrative="Mine.", actor="ann", session="s1")
        saved = await study.summaries.save(told, crowded)
        summaries = [summary async for summary in study.summaries.every()]

    assert summaries[-1] == saved
    assert _targets(summaries) == ["notes:a"]
    spans = [(each.start, each.end) for each in summaries]
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


async def test_who_is_overtaken_again_and_again_is_told_so(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        other = Summaries(study.shelf.store, compare=differ, clock=study.clock)
        crowded = cast("Ledger", Crowded(study, other, times=1000))
        told = Told(narrative="Mine.", actor="ann", session="s1")
        with pytest.raises(SummariesBusy, match="Nothing was stored"):
            await study.summaries.save(told, crowded)
        recent = await study.summaries.recent("ann", 100)

    assert {each.narrative for each in recent} == {"Meanwhile."}


async def test_two_processes_save_at_once_and_every_change_is_told_once(
    tmp_path: Path,
) -> None:
    async with open_study(tmp_path) as study:
        writers = [await _writer(tmp_path, name) for name in "pq"]
        for writer in writers:
            assert writer.stdout is not None
            assert await writer.stdout.readline() == b"ready\n"
        ends = await asyncio.gather(*(each.communicate(b"go\n") for each in writers))
        study.clock.now = time.time_ns() // 1000
        told = Told(narrative="The rest.", actor="ann", session="s1")
        last = await study.summaries.save(told, study.ledger)
        summaries = [summary async for summary in study.summaries.every()]

    assert [each.returncode for each in writers] == [0, 0], ends
    assert [each.id for each in summaries] == [f"ss-{n:04}" for n in range(1, 22)]
    assert summaries[-1] == last
    assert _targets(summaries) == sorted(
        f"notes:{name}{n}{i}" for name in "pq" for n in range(5) for i in range(4)
    )
    spans = [(each.start, each.end) for each in summaries]
    assert all(a[1] <= b[0] or a[0] == a[1] for a, b in pairwise(spans))


def _targets(summaries: Sequence[Summary]) -> list[str]:
    return sorted(name for each in summaries for name in each.digest["targets"])


async def _writer(folder: Path, name: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        WRITER,
        str(folder),
        name,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


@pytest.mark.parametrize("micros", [0, -1, NOON, NOON + 1, 253_402_300_799_999_999])
def test_a_moment_is_exact_to_the_microsecond(micros: int) -> None:
    assert micros_of(moment_of(micros)) == micros
    assert moment_of(0) == EPOCH
