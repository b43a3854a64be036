"""What an agent tells is held against what the record has."""

from dataclasses import replace
from pathlib import Path

import pytest
from plugins.ledger.desk import open_room
from plugins.memory.sessions import MINUTE, NOON, open_study

from abilities_host import Target
from abilities_memory.comparing import UnknownClaim, differences
from abilities_memory.digesting import Recorded, Told
from abilities_memory.summaries import Summaries


async def test_prose_and_claims_are_compared_with_the_record(tmp_path: Path) -> None:
    async with open_study(tmp_path, differences) as study:
        await study.change(1, "old.md", actor="bob")
        await study.change(2, "shop.md")
        await study.change(3, "blog.md", real="failed")
        await study.change(4, "home.md", action="created")
        saved = await study.save(
            5,
            "I updated shop.md. I deleted old.md. Everything went well.",
            claims=[{"action": "updated", "target": "notes:blog.md"}],
        )

    assert saved.digest["divergence"] is True
    assert saved.divergences == [
        {
            "kind": "claimed_not_recorded",
            "sentence": "I deleted old.md.",
            "action": "deleted",
            "target": "notes:old.md",
        },
        {
            "kind": "claimed_success_verified_failure",
            "action": "updated",
            "target": "notes:blog.md",
            "entry": 3,
        },
        {
            "kind": "recorded_not_claimed",
            "action": "created",
            "target": "notes:home.md",
            "entry": 4,
        },
    ]


async def test_a_session_told_as_it_was_has_no_divergence(tmp_path: Path) -> None:
    async with open_study(tmp_path, differences) as study:
        await study.change(1, "shop.md")
        saved = await study.save(2, "Actualizei shop.md.", start=NOON)

    assert (saved.divergences, saved.digest["divergence"]) == ([], False)
    assert saved.end == NOON + 2 * MINUTE


def test_nothing_is_missing_where_not_all_is_known() -> None:
    told = Told(narrative="I deleted a.md.", actor="ann", session="s1")
    known = [Target("notes", "a.md")]

    whole = differences(told, Recorded([], known, is_cut=False))
    cut = differences(told, Recorded([], known, is_cut=True))

    assert [each["kind"] for each in whole] == ["claimed_not_recorded"]
    assert cut == []


@pytest.mark.parametrize(
    ("action", "target"),
    [("blessed", "notes:a"), ("updated", "a"), ("updated", ":a"), ("updated", "a:")],
)
async def test_a_claim_that_cannot_be_compared_is_refused(
    tmp_path: Path, action: str, target: str
) -> None:
    async with open_study(tmp_path, differences) as study:
        with pytest.raises(UnknownClaim, match="domain:name"):
            await study.save(1, claims=[{"action": action, "target": target}])
        assert await study.summaries.count(None) == 0


async def test_a_summary_of_a_host_counts_what_its_abilities_changed(
    tmp_path: Path,
) -> None:
    async with open_room(tmp_path) as room:
        summaries = Summaries(room.book.store)
        await summaries.migrate()
        for note in ("a.md", "b.md"):
            await room.run("put", note, "new")
        await room.run("nothing", "a.md")
        told = Told(
            narrative="I created a.md and b.md, and deleted c.md.",
            claims=[{"action": "deleted", "target": "notes:c.md"}],
            actor="ann",
            session="s1",
        )
        saved = await summaries.save(told, room.ledger)
        again = await summaries.save(replace(told, claims=()), room.ledger)

    assert saved.digest["by_action"] == {"notes.created": 2}
    assert saved.digest["targets"] == ["notes:a.md", "notes:b.md"]
    assert [each["target"] for each in saved.divergences] == ["notes:c.md"]
    assert (again.start, again.digest["entries_count"]) == (saved.end, 0)
