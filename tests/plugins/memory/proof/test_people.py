"""What a person may do takes the secret of a person who still has an account."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from accounts.world import CHEAP, OTHER
from plugins.memory.memory_world import WRITER, MemoryWorld, in_tree, remembering
from plugins.memory.portability.homes import document, entry
from plugins.memory.proof.house import KNOWN, enforced, furnished

import abilities_memory
from abilities_host.accounts import Accounts, NeedsRole, Role, Unlocked, keys_beside
from abilities_host.gate import Gate, NotTrusted
from abilities_host.memory import ProjectMemory, Topic
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.testing import build_host
from abilities_memory.refusals import InvalidTransition, UnknownGuidance

Decision = Callable[[ProjectMemory, Unlocked], Awaitable[Any]]


class People(NamedTuple):
    """Ana is an operator, and ben a reviewer."""

    accounts: Accounts
    ana: Unlocked
    ben: Unlocked


@asynccontextmanager
async def people_of(world: MemoryWorld) -> AsyncIterator[People]:
    anchor = world.host.loaded.anchor_path
    keys = keys_beside(anchor) if anchor else None
    ana = await world.ana()
    async with open_sqlite(world.host.loaded.store_path) as store:
        accounts = Accounts(store, cost=CHEAP, keys=keys)
        await accounts.add("ben", OTHER, by=ana, role=Role.REVIEWER)
        yield People(accounts, ana, await accounts.unlock("ben", OTHER))


async def approve(memory: ProjectMemory, human: Unlocked) -> None:
    await memory.approve("gm-003", (await memory.review("gm-003")).hash, human)


async def withdraw(memory: ProjectMemory, human: Unlocked) -> None:
    await memory.withdraw("gm-001", (await memory.review("gm-001")).hash, human)


async def put_topic(memory: ProjectMemory, human: Unlocked) -> None:
    await memory.put_topic(Topic(name="old", always_on=True), human)


async def acknowledge(memory: ProjectMemory, human: Unlocked) -> None:
    await memory.acknowledge("gm-001", human)


async def forget(memory: ProjectMemory, human: Unlocked) -> None:
    await memory.forget("gm-004", human)


async def bring_in(memory: ProjectMemory, human: Unlocked) -> None:
    domains = {"old": {"state": "active"}}
    await memory.bring_in(document(domains=domains), by="ben", human=human)


DECISIONS: Final[dict[str, Decision]] = {
    each.__name__: each
    for each in (approve, withdraw, put_topic, acknowledge, forget, bring_in)
}


@pytest.mark.parametrize("decision", DECISIONS)
async def test_whose_account_is_off_decides_nothing_any_more(
    tmp_path: Path, decision: str
) -> None:
    async with furnished(tmp_path) as world, people_of(world) as people:
        before = await enforced(world, KNOWN)
        await people.accounts.disable("ben", by=people.ana)
        with pytest.raises(NotTrusted):
            await DECISIONS[decision](world.memory, people.ben)
        after = await enforced(world, KNOWN)

    assert after == before


@pytest.mark.parametrize("decision", ["forget", "bring_in"])
async def test_what_an_operator_decides_no_reviewer_does(
    tmp_path: Path, decision: str
) -> None:
    async with furnished(tmp_path) as world, people_of(world) as people:
        before = await enforced(world, KNOWN)
        with pytest.raises(NeedsRole):
            await DECISIONS[decision](world.memory, people.ben)
        after = await enforced(world, KNOWN)

    assert after == before


async def test_an_operator_forgets_what_is_not_approved(tmp_path: Path) -> None:
    async with furnished(tmp_path) as world:
        human = await world.ana()
        left = await world.memory.forget("gm-004", human)
        with pytest.raises(InvalidTransition):
            await world.memory.forget("gm-001", human)
        with pytest.raises(UnknownGuidance):
            await world.memory.forget("gm-999", human)
        history = await world.memory.history("gm-004")

    assert (left.text, left.status) == ("", "rejected")
    assert [each.action for each in history] == ["proposed", "rejected", "forgotten"]


async def test_what_comes_in_waits_and_is_told_of(tmp_path: Path) -> None:
    async with furnished(tmp_path) as world:
        before = await enforced(world, KNOWN)
        whole = await world.memory.export()
        came = await world.memory.bring_in(whole, by="ana")
        after = await enforced(world, KNOWN)
        statuses = {(await world.memory.get(id_)).status for id_ in came.ids.values()}

    assert after == before
    assert (statuses, came.approved, len(came.ids)) == ({"pending"}, (), 7)


async def test_a_person_keeps_approvals_only_where_the_seal_holds(
    tmp_path: Path,
) -> None:
    async with furnished(tmp_path) as world:
        whole = await world.memory.export()
        for each in whole["guidance"]:
            each["text"] += " And more." if each["id"] == "gm-002" else ""
            each["status"] = "approved"
        came = await world.memory.bring_in(whole, by="ana", human=await world.ana())
        alarms = await world.memory.alarms()

    kept = {old for old, new in came.ids.items() if new in came.approved}
    assert kept == {"gm-001", "gm-007"}
    assert alarms == ()


async def test_the_gate_shows_what_waits_and_rejects_it(tmp_path: Path) -> None:
    async with furnished(tmp_path) as world:
        gate = world.host.services.find(Gate)
        await gate.reject("guidance", "gm-003", by="ana")
        with pytest.raises(InvalidTransition):
            await gate.reject("guidance", "gm-003", by="ana")
        _, seen = await gate.show("guidance", "gm-006")
        with pytest.raises(InvalidTransition):
            await gate.withdraw("guidance", "gm-006", seen, await world.ana())
        waiting = (await gate.waiting())["guidance"]

    assert [(each.id, each.title, each.by) for each in waiting] == [
        ("gm-006", "guardrail: Note nine is free now.", "agent")
    ]


async def test_what_superseded_it_takes_its_place_and_another_of_it_nobodys(
    tmp_path: Path,
) -> None:
    async with furnished(tmp_path) as world:
        later = await world.propose("Or not.", supersedes="gm-001")
        await world.approve("gm-006")
        first = await enforced(world, ("gm-001", "gm-006", later.id))
        await world.approve(later.id)
        second = await enforced(world, ("gm-001", "gm-006", later.id))

    assert first.statuses == {
        "gm-001": "archived",
        "gm-006": "approved",
        later.id: "pending",
    }
    assert second.statuses == {**first.statuses, later.id: "approved"}
    assert (first.rules, first.lost, first.alarms, second.alarms) == ((), (), (), ())


async def test_a_host_without_a_record_keeps_guidance_and_no_summaries(
    tmp_path: Path,
) -> None:
    packs = [in_tree("memory", abilities_memory)]
    async with build_host(tmp_path, packs=packs) as host:
        said = {"type": "fact", "text": "Yes.", "rationale": "So."}
        kept = await host.execute("memory/remember", said, actor=WRITER)
        memory = host.services.find(ProjectMemory)
        await memory.reject("gm-001", by="ana")
        told = {"narrative": "I looked."}
        saved = await host.execute("memory/save-session-summary", told, actor=WRITER)

    assert kept.is_ok
    assert saved.code == "memory_record_missing"


async def test_a_rule_that_nobody_can_enforce_is_shown_with_what_is_wrong(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as world:
        broken = document(entry("a", rule={"domain": "notes", "targets": ["x"]}))
        came = await world.memory.bring_in(broken, by="ana")
        review = await world.memory.review(came.ids["a"])

    assert "effect" in review.problem
    assert (review.forbids, review.releases) == (None, None)
