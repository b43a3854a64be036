"""A pack that is hostile in every hook approves nothing and weakens nothing."""

from pathlib import Path
from typing import Any, Final

from plugins.memory.proof.hostile import (
    ATTACKS,
    Hostile,
    approve_by_sql,
    without_alarms,
)
from plugins.memory.proof.house import KNOWN, Enforced, enforced, furnished, mighty

from abilities_host import Site, hookimpl
from abilities_host.hooks import specs
from abilities_host.ledger import Ledger

SAID: Final = {"type": "fact", "text": "New.", "rationale": "Because."}
STOPPED: Final = {
    "approve": "not_trusted",
    "approve_as_nobody": "not_trusted",
    "approve_through_memory": "not_trusted",
    "withdraw": "not_trusted",
    "withdraw_through_memory": "not_trusted",
    "acknowledge": "not_trusted",
    "forget": "not_trusted",
    "forget_what_is_set_aside": "not_trusted",
    "change_a_topic": "not_trusted",
    "archive": "invalid_transition",
    "reject": "invalid_transition",
    "reject_through_the_gate": "invalid_transition",
    "bring_in_approved": "not_trusted",
    "bring_in_a_topic": "not_trusted",
    "find_accounts": "LookupError",
    "register_a_kind": "ValueError",
}


def hooks() -> set[str]:
    """Give the name of every hook that there is."""
    return {
        name
        for name, each in vars(specs).items()
        if callable(each) and each.__module__ == specs.__name__
    }


async def test_every_hook_of_a_hostile_pack_is_stopped_at_every_attack(
    tmp_path: Path,
) -> None:
    async with furnished(tmp_path) as world:
        before = await enforced(world, KNOWN)
    hostile = Hostile()
    async with furnished(tmp_path, more=[("hostile", hostile)]) as world:
        boss = mighty("boss")
        await world.told("hostile/act", {}, actor=boss)
        await world.told("memory/remember", SAID, actor=boss)
        await world.told("memory/recall", actor=boss)
        await world.host.services.find(Ledger).evaluate()
        after = await enforced(world, KNOWN)
        stopped = await world.call("notes/put", {"id": "nine", "text": "mine"})
        pages = world.host.admin_pages

    assert after == before
    assert stopped.code == "write_vetoed"
    assert not any(pages.values())
    asked = {each.partition(" ")[0] for each in hostile.asked}
    assert asked | hostile.ends.keys() == hooks() | {"ability"}
    for hook, ends in hostile.ends.items():
        assert {name: ends[name] for name in ATTACKS} == STOPPED, hook
    assert {
        name: end
        for name, end in hostile.ends["open_pack"].items()
        if name not in ATTACKS
    } == {
        "offer_memory": "ServiceTaken",
        "offer_rules": "ServiceTaken",
        "offer_gate": "ServiceTaken",
        "take_a_job": "ValueError",
        "get_a_domain": "LookupError",
    }


async def test_a_hostile_pack_changes_no_ability_but_its_own(tmp_path: Path) -> None:
    hostile = Hostile()
    async with furnished(tmp_path):
        pass
    async with furnished(tmp_path, more=[("hostile", hostile)]) as world:
        names = {each.name for each in world.host.registry.list_abilities()}
        recall = world.host.registry.get_ability("memory/recall")
        active = {each.name for each in await world.host.list_abilities(mighty("x"))}

    assert {name for name in names if name.startswith(("memory/", "hostile/"))} == {
        "hostile/act",
        "memory/recall",
        "memory/remember",
        "memory/save-session-summary",
    }
    assert "Approves everything." not in recall.description
    assert active == names
    filtered = [each for each in hostile.asked if each.startswith("filter")]
    assert filtered == ["filter_ability_args hostile/act"]


class Ranked:
    """A pack whose `rerank` names what was not found, and drops one."""

    @hookimpl
    def rerank(self, query: str, names: tuple[str, ...]) -> Any:
        return ["gm-003", "gm-007", *reversed(names), "gm-006", None, 7]


async def test_rerank_brings_nothing_in_that_was_not_found(tmp_path: Path) -> None:
    async with furnished(tmp_path, more=[("ranked", Ranked())]) as world:
        recalled = await world.told("memory/recall")
    async with furnished(tmp_path) as world:
        plain = await world.told("memory/recall")

    ids = [each["id"] for each in plain["guidance"]]
    assert [each["id"] for each in recalled["guidance"]] == ids[::-1]
    assert sorted(ids) == ["gm-001", "gm-002"]


class Writer:
    """A pack that keeps what `open_pack` gives, to write to the tables with it."""

    def __init__(self) -> None:
        self.sites: list[Site] = []

    @hookimpl
    def open_pack(self, site: Site) -> None:
        self.sites.append(site)


async def test_sql_of_a_pack_approves_nothing_and_raises_alarms(
    tmp_path: Path,
) -> None:
    writer = Writer()
    async with furnished(tmp_path, more=[("writer", writer)]) as world:
        before = await enforced(world, KNOWN)
        await approve_by_sql(writer.sites[0].store)
        at_once = await enforced(world, KNOWN)
        for job in world.host.jobs.all:
            if job.name == "memory-alarms":
                await job.work()
        later = await enforced(world, KNOWN)
        stopped = await world.call("notes/put", {"id": "nine", "text": "mine"})
    async with furnished(tmp_path) as world:
        restarted = await enforced(world, KNOWN)

    for state in (at_once, later, restarted):
        assert without_alarms(state) == without_alarms(before)
        assert _problems(state) == {
            "gm-003": "changed",
            "gm-004": "unsealed",
            "gm-005": "unsealed",
            "gm-006": "changed",
        }
    assert stopped.code == "write_vetoed"


def _problems(state: Enforced) -> dict[str, str]:
    return {alarm.id: alarm.problem for alarm in state.alarms}
