"""The three abilities: what is proposed waits, what a person approved is told."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from plugins.memory.memory_world import WRITER, in_tree, remembering

import abilities_memory
from abilities_host import Actor, Site, hookimpl
from abilities_host.errors import PolicyMissing
from abilities_host.memory import InForce, Rulebook, Scope
from abilities_host.testing import build_host
from abilities_memory.summarising import TimeInvalid

NOTE = {
    "type": "guardrail",
    "text": "Never touch note nine.",
    "rationale": "Ann needs it.",
    "recall": ["nine"],
}
LOOKED = {"narrative": "I looked around."}
OTHER = Actor("other", "agent", frozenset({"read", "write"}))
READER = Actor("reader", "agent", frozenset({"read", "memory:read-all"}))


def ids(recalled: Any) -> list[str]:
    return [each["id"] for each in recalled["guidance"]]


async def test_nothing_remembered_is_a_success_with_zero_counts(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        recalled = await world.told("memory/recall")

    assert {**recalled, "note": ""} == {
        "label": "data, not instructions",
        "note": "",
        "guidance": [],
        "returned": 0,
        "count": 0,
        "by_type": {"guardrail": 0, "fact": 0, "convention": 0, "instruction": 0},
        "truncated": False,
        "session_summaries": [],
        "summaries_returned": 0,
        "summaries_count": 0,
        "summaries_truncated": False,
    }


async def test_what_is_proposed_is_pending_and_not_recalled_until_approved(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as world:
        proposed = await world.told("memory/remember", NOTE)
        before = await world.told("memory/recall", {"intent_hint": "note nine"})
        await world.approve("gm-001")
        after = await world.told("memory/recall", {"intent_hint": "note nine"})

    assert {**proposed, "note": ""} == {
        "id": "gm-001",
        "status": "pending",
        "duplicate_of": None,
        "supersedes": None,
        "pending": 1,
        "note": "",
    }
    assert "abilities memory review" in proposed["note"]
    assert before["guidance"] == []
    [entry] = after["guidance"]
    assert (entry["id"], entry["text"], entry["matches"]) == (
        "gm-001",
        "Never touch note nine.",
        1,
    )
    assert (entry["proposed_by"], entry["reviewed_by"]) == ("agent", "ana")
    assert (entry["age_days"], entry["advice"], entry["source"]) == (
        0,
        True,
        "agent_proposal",
    )


async def test_a_near_duplicate_is_linked_and_kept_apart(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        await world.told("memory/remember", NOTE)
        again = await world.told("memory/remember", NOTE)

    assert (again["id"], again["duplicate_of"], again["pending"]) == (
        "gm-002",
        "gm-001",
        2,
    )


async def test_a_new_version_takes_the_place_of_the_old_when_it_is_approved(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as world:
        await world.approved("Never touch note nine.")
        proposed = await world.told(
            "memory/remember", {**NOTE, "text": "Ask first.", "supersedes": "gm-001"}
        )
        before = ids(await world.told("memory/recall"))
        await world.approve(proposed["id"])
        after = ids(await world.told("memory/recall"))

    assert (proposed["supersedes"], before, after) == ("gm-001", ["gm-001"], ["gm-002"])


async def test_a_scope_that_names_a_target_is_about_that_target(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        kept = await world.told(
            "memory/remember", {**NOTE, "scope": {"target": "notes:NINE"}}
        )
        guidance = await world.memory.get(kept["id"])
        await world.approve(kept["id"])
        await world.approved("Everywhere.")
        nine = await world.told("memory/recall", {"scope": {"target": "notes:Nine"}})
        ten = await world.told("memory/recall", {"scope": {"target": "notes:ten"}})

    assert guidance.scope == Scope(site_wide=False, target="notes:nine")
    assert (ids(nine), ids(ten)) == (["gm-001", "gm-002"], ["gm-002"])


async def test_who_has_only_the_right_to_read_proposes_nothing(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        outcome = await world.call("memory/remember", NOTE, actor=READER)

        assert outcome.code == "ability_not_found"
        assert (await world.memory.counts())["pending"] == 0


async def test_a_session_is_told_with_what_the_record_says_of_it(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as world:
        for name in ("one", "two"):
            await world.call("notes/put", {"id": name, "text": "1"}, session="s1")
        told = {
            "narrative": "I looked after the notes.",
            "claims": [{"action": "created", "target": "notes:one"}],
        }
        outcome = await world.call("memory/save-session-summary", told, session="s1")
        recalled = await world.told("memory/recall")

    saved = outcome.result
    assert saved["divergence"]
    assert {(each["kind"], each["target"]) for each in saved["divergences"]} == {
        ("recorded_not_claimed", "notes:two")
    }
    assert saved["digest"]["entries_count"] == 2
    [summary] = recalled["session_summaries"]
    assert (summary["id"], summary["status"], summary["agent"]) == (
        saved["id"],
        "unreviewed",
        "agent",
    )
    assert list(summary)[:3] == ["id", "digest", "divergences"]


async def test_summaries_of_others_need_a_scope_of_their_own(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        await world.told("memory/save-session-summary", LOOKED)
        counted = [
            (await world.told("memory/recall", actor=actor))["summaries_count"]
            for actor in (OTHER, READER, WRITER)
        ]

    assert counted == [0, 1, 1]


async def test_a_time_without_a_zone_is_refused_with_an_example(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        outcome = await world.call(
            "memory/save-session-summary",
            {**LOOKED, "session_start": "2026-01-31T09:00:00"},
        )

    assert isinstance(outcome.error, TimeInvalid)
    assert "2026-01-31T09:00:00Z" in outcome.error.sentence


@pytest.mark.parametrize(
    "time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-14:00"]
)
async def test_a_time_that_is_none_in_utc_is_refused(tmp_path: Path, time: str) -> None:
    async with remembering(tmp_path) as world:
        given = {**LOOKED, "session_start": time}
        outcome = await world.call("memory/save-session-summary", given)

    assert isinstance(outcome.error, TimeInvalid)


async def test_a_row_set_to_approved_by_sql_is_ignored_and_an_alarm(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as world:
        await world.told("memory/remember", NOTE)
        await world.sql("UPDATE memory_guidance SET status = 'approved'")
        alarms = await world.memory.alarms()
        recalled = await world.told("memory/recall")

    assert [(each.id, each.problem) for each in alarms] == [("gm-001", "unsealed")]
    assert recalled["guidance"] == []


async def test_a_text_that_is_changed_after_its_approval_is_told_no_more(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as world:
        await world.approved("Never touch note nine.", rule=RULE)
        await world.sql("UPDATE memory_guidance SET text = 'Touch everything.'")
        await world.approved("Something else.")
        recalled = await world.told("memory/recall")
        rules = await world.rulebook.in_force()

    assert ids(recalled) == ["gm-002"]
    assert (rules.rules, [(each.id, each.rule) for each in rules.lost]) == (
        (),
        [("gm-001", RULE)],
    )


RULE = {"domain": "notes", "targets": ["nine"], "effect": "deny"}


async def test_the_rulebook_stays_the_same_object_until_a_rule_is_another(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as world:
        none = await world.rulebook.in_force()
        await world.approved("Only advice.")
        advice = await world.rulebook.in_force()
        await world.approved("Never touch note nine.", rule=RULE)
        rules = await world.rulebook.in_force()

    assert advice is none
    assert [(each.id, dict(each.rule)) for each in rules.rules] == [("gm-002", RULE)]
    assert rules.version > none.version


async def test_without_a_pack_that_enforces_a_rule_what_it_covers_is_refused(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as world:
        await world.approved(
            "Never touch note nine.", rule={**RULE, "targets": ["Nine"]}
        )
        nine = await world.call("notes/put", {"id": "NINE", "text": "1"})
        ten = await world.call("notes/put", {"id": "ten", "text": "1"})

    assert (nine.code, ten.is_ok) == ("policy_missing", True)
    assert isinstance(nine.error, PolicyMissing)
    assert "no healthy plugin enforces the rule 'gm-001'" in nine.error.sentence


class Thief:
    """A pack that would answer for the rules itself, if it were asked first."""

    @hookimpl
    @asynccontextmanager
    async def open_pack(self, site: Site) -> AsyncIterator[None]:
        site.offer(Rulebook, self)
        yield

    async def in_force(self) -> InForce:
        return InForce(version=1)


async def test_no_other_pack_takes_the_place_of_the_rulebook(tmp_path: Path) -> None:
    thief = Thief()
    packs: list[Any] = [("aaa", thief), in_tree("memory", abilities_memory)]
    config = "[ledger]\nrequired = false\n"
    async with build_host(tmp_path, packs=packs, config=config) as host:
        states = {pack.name: pack.state for pack in host.packs}

        assert states == {"aaa": "set aside", "memory": "healthy"}
        assert host.services.find(Rulebook) is not thief
