"""Every proposal is kept as a new one, whoever else proposes and whatever dies."""

import asyncio
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from plugins.memory.shelves import AT, opened_shelf, proposal, proposing

from abilities_host.memory.guidance import Guidance, Scope
from abilities_host.memory.happening import Happening
from abilities_host.memory.proposal import Proposal
from abilities_host.memory.topic import Topic
from abilities_host.storage import Statement
from abilities_memory.canonical import canonical_guidance, canonical_topic, hash_of
from abilities_memory.refusals import (
    InvalidTransition,
    TooManyPending,
    UnknownGuidance,
    UnsuitableWording,
)

FULL = Proposal(
    type="convention",
    topic=" Links ",
    text=" Keep old links. ",
    rationale="People saved them.",
    recall=("Link", "link", "URL"),
    scope=Scope(site_wide=False, post_id=7, target="file:redirects/*"),
    priority=3,
    class_="procedure",
    rule={"domain": "file", "arguments": {"é": [1, 2.5, None, True]}},
)


async def test_a_proposal_is_kept_whole_and_waits(tmp_path: Path) -> None:
    async with opened_shelf(tmp_path / "s.db") as (_, shelf):
        kept = await shelf.propose(FULL, by="ann", source="session_summary_derived")
        again = await shelf.get("gm-001")
        history = await shelf.history("gm-001")

    assert kept == again
    assert kept == Guidance(
        id="gm-001",
        type="convention",
        topic="links",
        text="Keep old links.",
        rationale="People saved them.",
        recall=("Link", "URL"),
        scope=FULL.scope,
        priority=3,
        class_="procedure",
        rule=FULL.rule,
        status="pending",
        source="session_summary_derived",
        proposed_by="ann",
        proposed_at=AT,
    )
    hash_ = hash_of(canonical_guidance(kept))
    assert history == (
        Happening(at=AT, by="ann", action="proposed", about="gm-001", hash=hash_),
    )


async def test_nothing_is_a_success_with_zero_counts(tmp_path: Path) -> None:
    async with opened_shelf(tmp_path / "s.db") as (_, shelf):
        page, counts = await shelf.list(), await shelf.counts()
        topics, history = await shelf.topics(), await shelf.history("gm-001")

    assert (page.entries, page.next, topics, history) == ((), None, (), ())
    assert counts == {"pending": 0, "approved": 0, "rejected": 0, "archived": 0}


async def test_nearly_the_same_text_is_linked_and_not_merged(tmp_path: Path) -> None:
    texts = [
        "Never remove a redirect without asking the editor first",
        "Ask before each deploy",
        "never REMOVE a rédirect without asking the editor first!",
        "Never remove a redirect without asking the editor",
        "Never remove a redirect",
    ]
    async with opened_shelf(tmp_path / "s.db") as (_, shelf):
        kept = [await shelf.propose(proposal(text), by="ann") for text in texts]

    assert [(each.id, each.duplicate_of) for each in kept] == [
        ("gm-001", ""),
        ("gm-002", ""),
        ("gm-003", "gm-001"),
        ("gm-004", "gm-001"),
        ("gm-005", ""),
    ]


async def test_long_words_that_only_one_of_two_has_do_not_hide_the_other(
    tmp_path: Path,
) -> None:
    short = "one two six ten red big old new"
    async with opened_shelf(tmp_path / "s.db") as (_, shelf):
        await shelf.propose(proposal(short), by="ann")
        long = proposal(f"{short} extraordinarily unquestionably")
        kept = await shelf.propose(long, by="ann")
        last = await shelf.propose(proposal(f"{short} and some more"), by="ann")

    assert (kept.duplicate_of, last.duplicate_of) == ("gm-001", "")


async def test_an_actor_has_at_most_200_that_wait(tmp_path: Path) -> None:
    async with opened_shelf(tmp_path / "s.db") as (_, shelf):
        for n in range(200):
            await shelf.propose(proposal(f"number {n}"), by="ann")
        with pytest.raises(TooManyPending, match="200 proposals of this actor wait"):
            await shelf.propose(proposal("one more"), by="ann")
        other = await shelf.propose(proposal("one more"), by="bob")
        await shelf.reject("gm-007", by="ana")
        last = await shelf.propose(proposal("one more"), by="ann")

    # Nothing was used up by the refusal.
    assert (other.id, last.id) == ("gm-201", "gm-202")


@pytest.mark.parametrize(
    "bad",
    [
        replace(FULL, text="x" * 601),
        replace(FULL, rationale=""),
        replace(FULL, topic="two\nlines"),
        replace(FULL, recall=tuple(str(n) for n in range(13))),
        replace(FULL, priority=1001),
        replace(FULL, scope=Scope(post_id=1 << 63)),
        replace(FULL, scope=Scope(target="file:" + "x" * 1000)),
        replace(FULL, scope=Scope(target="file:\u202e")),
        replace(FULL, rule={"a": float("nan")}),
        replace(FULL, rule={"a": object()}),
        replace(FULL, rule={"a": "x" * 16_000}),
    ],
)
async def test_what_cannot_be_taken_leaves_nothing(
    tmp_path: Path, bad: Proposal
) -> None:
    async with opened_shelf(tmp_path / "s.db") as (_, shelf):
        with pytest.raises(UnsuitableWording):
            await shelf.propose(bad, by="ann")
        kept = await shelf.propose(FULL, by="ann")

    assert kept.id == "gm-001"


async def test_only_what_there_is_can_be_superseded_or_found(tmp_path: Path) -> None:
    async with opened_shelf(tmp_path / "s.db") as (_, shelf):
        with pytest.raises(UnknownGuidance, match="has the supersedes"):
            await shelf.propose(proposal("new", supersedes="gm-001"), by="ann")
        for look in (
            shelf.get("gm-001"),
            shelf.reject("gm-001", by="ana"),
            shelf.archive("gm-001", by="ana"),
            shelf.forget("gm-001", by="ana"),
        ):
            with pytest.raises(UnknownGuidance):
                await look
        await shelf.propose(proposal("old"), by="ann")
        new = await shelf.propose(proposal("new", supersedes="gm-001"), by="ann")

    assert (new.id, new.supersedes) == ("gm-002", "gm-001")


async def test_pages_follow_each_other_without_gap_or_repetition(
    tmp_path: Path,
) -> None:
    async with opened_shelf(tmp_path / "s.db") as (_, shelf):
        for n in range(7):
            topic = "links" if n % 2 else "deploys"
            await shelf.propose(proposal(f"number {n}", topic=topic), by="ann")
        await shelf.reject("gm-003", by="ana")
        found, after = [], 0
        while True:
            page = await shelf.list("pending", after=after, limit=2)
            found.append([each.id for each in page.entries])
            if page.next is None:
                break
            after = page.next
        links = await shelf.list(topic="links")
        rejected = await shelf.list("rejected")
        counts = await shelf.counts()

    assert found == [["gm-001", "gm-002"], ["gm-004", "gm-005"], ["gm-006", "gm-007"]]
    assert [each.id for each in links.entries] == ["gm-002", "gm-004", "gm-006"]
    assert [each.reviewed_by for each in rejected.entries] == ["ana"]
    assert counts == {"pending": 6, "approved": 0, "rejected": 1, "archived": 0}


async def test_what_is_forgotten_leaves_its_id_and_who_did_what(tmp_path: Path) -> None:
    async with opened_shelf(tmp_path / "s.db") as (store, shelf):
        await shelf.propose(FULL, by="ann")
        left = await shelf.forget("gm-001", by="ana")
        page, counts = await shelf.list(), await shelf.counts()
        history = await shelf.history("gm-001")
        words = await store.read("SELECT word FROM memory_word")
        next_ = await shelf.propose(FULL, by="ann")

    assert (left.id, left.status, left.proposed_by) == ("gm-001", "archived", "ann")
    assert (left.topic, left.text, left.rationale, left.recall, left.rule) == (
        ("", "", "", (), None)
    )
    assert left.scope == Scope(site_wide=False)
    assert (page.entries, counts["archived"], words) == ((), 0, [])
    assert history == (
        Happening(at=AT, by="ann", action="proposed", about="gm-001"),
        Happening(at=AT, by="ana", action="forgotten", about="gm-001"),
    )
    assert (next_.id, next_.duplicate_of) == ("gm-002", "")


async def test_what_is_approved_is_forgotten_only_after_it_was_withdrawn(
    tmp_path: Path,
) -> None:
    async with opened_shelf(tmp_path / "s.db") as (store, shelf):
        kept = await shelf.propose(FULL, by="ann")
        sql = "UPDATE memory_guidance SET status = 'approved'"
        await store.write([Statement(sql)])
        for refuse in (shelf.forget, shelf.archive, shelf.reject):
            with pytest.raises(InvalidTransition):
                await refuse("gm-001", by="ana")
        after = await shelf.get("gm-001")

    assert after == replace(kept, status="approved")


async def test_topics_are_made_and_changed_and_every_process_looks_again(
    tmp_path: Path,
) -> None:
    async with opened_shelf(tmp_path / "s.db") as (store, shelf):
        before = store.generation()
        await shelf.put_topic(Topic(name="Links"), by="ana")
        links = Topic(
            name="LINKS",
            state="inactive",
            always_on=True,
            recall=("a", "A"),
            exclude=("b",),
        )
        kept = await shelf.put_topic(links, by="ana")
        await shelf.put_topic(Topic(name="deploys"), by="ana")
        topics, history = await shelf.topics(), await shelf.history("topic:links")
        after = store.generation()

    assert kept == replace(links, name="links", recall=("a",))
    assert topics == (Topic(name="deploys"), kept)
    assert [each.hash for each in history] == [
        hash_of(canonical_topic(each)) for each in (Topic(name="links"), kept)
    ]
    assert after > before


async def test_forty_at_once_from_two_processes_are_forty(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    async with opened_shelf(path) as (_, shelf):
        both = [await proposing(path, actor, 20) for actor in ("ann", "bob")]
        said = [(await each.communicate())[0].decode().split() for each in both]
        page = await shelf.list("pending", limit=500)

    ids = [f"gm-{n:03d}" for n in range(1, 41)]
    assert sorted(said[0] + said[1]) == ids == [each.id for each in page.entries]
    assert {each.text for each in page.entries} == {
        f"{actor} {n}" for actor, n in product(("ann", "bob"), range(20))
    }


@pytest.mark.parametrize("lines", [1, 3, 10])
async def test_a_process_that_is_killed_loses_nothing_it_said_and_leaves_no_half(
    tmp_path: Path, lines: int
) -> None:
    path = tmp_path / "s.db"
    async with opened_shelf(path) as (store, shelf):
        child = await proposing(path, "ann", 0)
        assert child.stdout is not None
        said = [(await child.stdout.readline()).decode().strip() for _ in range(lines)]
        child.kill()
        rest, _ = await child.communicate()
        said += [line.decode() for line in rest.splitlines(keepends=False) if line]
        parts: list[Any] = await store.read(
            """
            SELECT id, text, (SELECT count(*) FROM memory_history WHERE about = id),
                (SELECT count(*) FROM memory_word AS w WHERE w.number = g.number)
            FROM memory_guidance AS g ORDER BY number
            """
        )
        new = await shelf.propose(proposal("after all"), by="bob")

    ids = [part[0] for part in parts]
    assert said == ids[: len(said)]
    assert len(ids) <= len(said) + 1
    assert parts == [(f"gm-{n + 1:03d}", f"ann {n}", 1, 2) for n in range(len(ids))]
    assert new.id == f"gm-{len(ids) + 1:03d}"


async def test_a_proposal_that_is_cancelled_is_whole_or_not_there(
    tmp_path: Path,
) -> None:
    async with opened_shelf(tmp_path / "s.db") as (_, shelf):
        task = asyncio.create_task(shelf.propose(FULL, by="ann"))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        kept = await shelf.propose(FULL, by="ann")
        page = await shelf.list()

    assert [each.id for each in page.entries] in (["gm-001"], ["gm-001", "gm-002"])
    assert kept == page.entries[-1]
