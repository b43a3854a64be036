"""What somebody changes in the store without deciding has no effect and is an alarm."""

from pathlib import Path
from typing import Any, Final

import pytest
from plugins.memory.memory_world import MemoryWorld, remembering
from plugins.memory.proof.hostile import without_alarms
from plugins.memory.proof.house import KNOWN, RULE, enforced, furnished
from plugins.memory.proof.test_poisoning import ids

from abilities_host import run_in_thread
from abilities_host.gate import StaleHash
from abilities_host.memory import Topic

NINE: Final = {"id": "nine", "text": "mine"}
FREE: Final = {"id": "free", "text": "mine"}
SWAPS: Final = {
    "text": "UPDATE memory_guidance SET text = 'Away.' WHERE id = 'gm-003'",
    "rule": "UPDATE memory_guidance SET rule = '{}' WHERE id = 'gm-003'",
    "type": "UPDATE memory_guidance SET type = 'fact' WHERE id = 'gm-003'",
    "topic": "UPDATE memory_guidance SET topic = 'old' WHERE id = 'gm-003'",
    "rationale": "UPDATE memory_guidance SET rationale = '' WHERE id = 'gm-003'",
    "recall": "UPDATE memory_guidance SET recall = '[\"a\"]' WHERE id = 'gm-003'",
    "site_wide": "UPDATE memory_guidance SET site_wide = 0 WHERE id = 'gm-003'",
    "post_id": "UPDATE memory_guidance SET post_id = 7 WHERE id = 'gm-003'",
    "target": "UPDATE memory_guidance SET target = 'a:b' WHERE id = 'gm-003'",
    "priority": "UPDATE memory_guidance SET priority = 9 WHERE id = 'gm-003'",
    "class": "UPDATE memory_guidance SET class = 'fact' WHERE id = 'gm-003'",
    "supersedes": "UPDATE memory_guidance SET supersedes = 'gm-001' "
    "WHERE id = 'gm-003'",
}


async def watch(world: MemoryWorld) -> None:
    """Do what the host does every minute, once."""
    [job] = [each for each in world.host.jobs.all if each.name == "memory-alarms"]
    await job.work()


def problems(alarms: Any) -> dict[str, str]:
    return {alarm.id: alarm.problem for alarm in alarms}


@pytest.mark.parametrize("part", SWAPS)
async def test_what_is_swapped_between_looking_and_approving_is_not_approved(
    tmp_path: Path, part: str
) -> None:
    async with furnished(tmp_path) as world:
        before = await enforced(world, KNOWN)
        seen = (await world.memory.review("gm-003")).hash
        await world.sql(SWAPS[part])
        with pytest.raises(StaleHash):
            await world.memory.approve("gm-003", seen, await world.ana())
        after = await enforced(world, KNOWN)

    assert after == before


async def test_an_approval_of_one_is_none_of_another(tmp_path: Path) -> None:
    async with furnished(tmp_path) as world:
        before = await enforced(world, KNOWN)
        seen = (await world.memory.review("gm-003")).hash
        for other in ("gm-006", "gm-004", "gm-001"):
            with pytest.raises(StaleHash):
                await world.memory.approve(other, seen, await world.ana())
        after = await enforced(world, KNOWN)

    assert after == before


async def test_approved_rows_that_are_swapped_count_for_nothing(tmp_path: Path) -> None:
    async with furnished(tmp_path) as world:
        for id_, new in (("gm-001", "x"), ("gm-006", "gm-001"), ("x", "gm-006")):
            sql = "UPDATE memory_guidance SET id = :new WHERE id = :id"
            await world.sql(sql, id=id_, new=new)
        await world.sql(
            "UPDATE memory_guidance SET status = 'approved', reviewed_by = 'ana' "
            "WHERE id = 'gm-001'"
        )
        await watch(world)
        recalled = await ids(world, "")
        rules = await world.rulebook.in_force()
        stopped = await world.call("notes/put", NINE)
        alarms = await world.memory.alarms()

    assert recalled == ["gm-002"]
    assert rules.rules == ()
    assert [(each.id, each.rule) for each in rules.lost] == [("gm-001", RULE)]
    assert stopped.code == "write_vetoed"
    assert problems(alarms) == {"gm-001": "changed", "gm-006": "unsealed"}


async def test_a_row_set_to_approved_by_sql_changes_nothing(tmp_path: Path) -> None:
    async with furnished(tmp_path) as world:
        before = await enforced(world, KNOWN)
        await world.sql("UPDATE memory_guidance SET status = 'approved'")
        await watch(world)
        after = await enforced(world, KNOWN)

    assert without_alarms(after) == without_alarms(before)
    assert problems(after.alarms) == dict.fromkeys(
        ("gm-003", "gm-004", "gm-005", "gm-006"), "unsealed"
    )


GONE: Final = {
    "set to rejected": ("UPDATE memory_guidance SET status = 'rejected'",),
    "row": ("DELETE FROM memory_guidance",),
    "row and seal": ("DELETE FROM memory_guidance", "DELETE FROM gate_seal"),
    "all but the journal": (
        "DELETE FROM memory_guidance",
        "DELETE FROM memory_history",
        "DELETE FROM gate_seal",
        "DELETE FROM ledger_entry",
    ),
    "seal": ("DELETE FROM gate_seal",),
    "said to be withdrawn": (
        "UPDATE memory_guidance SET status = 'archived'",
        "UPDATE gate_seal SET withdrawn_by = 'ana', withdrawn_at = at, withdrawal = ''",
    ),
    "weakened": ("UPDATE memory_guidance SET rule = NULL",),
}
SEALED: Final = {"set to rejected", "row", "said to be withdrawn", "weakened"}


@pytest.mark.parametrize("what", GONE)
async def test_a_rule_that_is_taken_away_while_the_host_runs_is_missed_in_one_watch(
    tmp_path: Path, what: str
) -> None:
    async with furnished(tmp_path) as one, furnished(tmp_path) as other:
        held = [(await each.rulebook.in_force()).rules for each in (one, other)]
        for sql in GONE[what]:
            await one.sql(sql)
        await watch(one)
        lost = [(await each.rulebook.in_force()) for each in (one, other)]
        codes = [(await each.call("notes/put", NINE)).code for each in (one, other)]
        recalled = await ids(one, "")
    async with furnished(tmp_path, "[limits]\nhook_seconds = 5\n") as again:
        restarted = await again.rulebook.in_force()
        code = (await again.call("notes/put", NINE)).code

    assert [[rule.id for rule in rules] for rules in held] == [["gm-001"]] * 2
    for rules in (*lost, restarted):
        assert rules.rules == ()
        expected = RULE if what in SEALED else None
        assert [(each.id, each.rule) for each in rules.lost] == [("gm-001", expected)]
    assert [*codes, code] == ["write_vetoed"] * 3
    assert "gm-001" not in recalled


async def test_a_lost_rule_stops_what_it_covered_and_nothing_else(
    tmp_path: Path,
) -> None:
    async with furnished(tmp_path) as world:
        await world.sql("DELETE FROM memory_guidance WHERE id = 'gm-001'")
        await watch(world)
        nine = await world.call("notes/put", NINE)
        free = await world.call("notes/put", FREE)
        await world.memory.acknowledge("gm-001", await world.ana())
        after = await world.call("notes/put", NINE)
        alarms = await world.memory.alarms()

    assert (nine.code, free.code, after.code) == ("write_vetoed", "", "")
    assert "gm-001" in str(nine.error)
    assert alarms == ()


async def test_a_store_that_is_put_back_from_before_an_approval_lacks_a_rule(
    tmp_path: Path,
) -> None:
    def keep(name: str) -> bytes:
        return (tmp_path / name).read_bytes()

    async with furnished(tmp_path) as world:
        store = world.host.loaded.store_path.relative_to(tmp_path)
    old = await run_in_thread(lambda: keep(str(store)))
    async with furnished(tmp_path) as world:
        rule = {**RULE, "targets": ["ten"]}
        await world.approved("Never touch note ten.", rule=rule)
    await run_in_thread(lambda: (tmp_path / store).write_bytes(old))
    async with furnished(tmp_path) as world:
        rules = await world.rulebook.in_force()

    assert [each.id for each in rules.rules] == ["gm-001"]
    assert [(each.id, each.rule) for each in rules.lost] == [("gm-008", None)]


@pytest.mark.parametrize(
    "config", ["", "[memory]\nenabled = false\ntokens = 0\n"], ids=["on", "off"]
)
async def test_a_hidden_topic_and_the_kill_switch_leave_every_rule_in_force(
    tmp_path: Path, config: str
) -> None:
    async with furnished(tmp_path, config) as world:
        human = await world.ana()
        for topic in await world.memory.topics():
            hidden = Topic(name=topic.name, state="inactive", exclude=("note",))
            await world.memory.put_topic(hidden, human)
        recalled = await ids(world, "")
        rules = await world.rulebook.in_force()
        stopped = await world.call("notes/put", NINE)

    assert recalled == []
    assert [each.id for each in rules.rules] == ["gm-001"]
    assert stopped.code == "write_vetoed"
    assert "gm-001" in str(stopped.error)


async def test_topics_that_are_turned_off_by_sql_leave_every_rule_in_force(
    tmp_path: Path,
) -> None:
    async with furnished(tmp_path) as world:
        await world.sql("UPDATE memory_topic SET state = 'inactive'")
        await world.approved("Look again.")
        rules = await world.rulebook.in_force()
        stopped = await world.call("notes/put", NINE)

    assert [each.id for each in rules.rules] == ["gm-001"]
    assert stopped.code == "write_vetoed"


async def test_a_topic_that_somebody_damaged_takes_no_rule_and_no_recall_with_it(
    tmp_path: Path,
) -> None:
    async with furnished(tmp_path) as world:
        await world.sql("UPDATE memory_topic SET recall = 'no words'")
        await world.approved("Look again.")
        recalled = await ids(world, "")
        free = await world.call("notes/put", FREE)
        stopped = await world.call("notes/put", NINE)

    assert {*recalled} >= {"gm-001", "gm-002", "gm-008"}
    assert (free.code, stopped.code) == ("", "write_vetoed")


TOPIC_ROW = "INSERT OR REPLACE INTO memory_topic VALUES (:name, :state, 0, '[]', :out)"


async def test_a_topic_that_nobody_sealed_hides_nothing_and_is_an_alarm(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as world:
        await world.approved("Ask first.", topic="shop")
        await world.memory.put_topic(
            Topic(name="links", recall=("url",)), await world.ana()
        )
        await world.sql(TOPIC_ROW, name="shop", state="inactive", out="[]")
        await world.sql(TOPIC_ROW, name="links", state="active", out='["shop"]')
        alarms = await world.memory.alarms()
        await world.approved("Something else.")
        recalled = await world.told("memory/recall", {"domain": "shop"})
        for topic in (Topic(name="shop"), Topic(name="links")):
            await world.memory.put_topic(topic, await world.ana())
        after = await world.memory.alarms()

    assert [(each.kind, each.id, each.problem) for each in alarms] == [
        ("topic", "links", "changed"),
        ("topic", "shop", "unsealed"),
    ]
    assert [each["id"] for each in recalled["guidance"]] == ["gm-001"]
    assert after == ()


async def test_a_topic_that_is_set_back_to_nothing_needs_no_seal(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as world:
        ana = await world.ana()
        for topic in (Topic(name="shop", state="inactive"), Topic(name="shop")):
            await world.memory.put_topic(topic, ana)
        alarms = await world.memory.alarms()
        history = await world.memory.history("topic:shop")

    assert alarms == ()
    assert [each.action for each in history] == ["topic", "topic"]
