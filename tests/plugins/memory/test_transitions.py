"""A status changes as the table says, and becomes approved through the gate alone."""

import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import product
from pathlib import Path
from typing import NamedTuple, get_args

import pytest
from accounts.world import CHEAP, SECRET
from plugins.memory.shelves import AT, opened_shelf, proposal

from abilities_host.accounts import Accounts, Unlocked
from abilities_host.gate import Gate, StaleHash
from abilities_host.ledger import Ledger
from abilities_host.memory.guidance import Status
from abilities_host.memory.topic import Topic
from abilities_host.storage import Statement, Store
from abilities_memory.kind import GuidanceKind
from abilities_memory.refusals import InvalidTransition
from abilities_memory.shelf import Shelf
from abilities_memory.transitions import check_transition

STATUSES: tuple[Status, ...] = get_args(Status)


class World(NamedTuple):
    store: Store
    shelf: Shelf
    gate: Gate
    ana: Unlocked

    async def approve(self, id_: str) -> None:
        _, seen = await self.gate.show("guidance", id_)
        await self.gate.approve("guidance", id_, seen, self.ana)

    async def withdraw(self, id_: str) -> None:
        _, seen = await self.gate.show("guidance", id_)
        await self.gate.withdraw("guidance", id_, seen, self.ana)

    async def survey(self) -> tuple[list[str], dict[str, str]]:
        survey = await self.gate.survey("guidance")
        return list(survey.sealed), {each.id: each.problem for each in survey.alarms}


def no_ledger() -> Ledger:
    raise LookupError


@asynccontextmanager
async def opened_world(folder: Path) -> AsyncIterator[World]:
    async with opened_shelf(folder / "s.db") as (store, shelf):
        accounts = Accounts(store, cost=CHEAP, keys=folder / "s.keys")
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        gate = Gate(store, accounts, find_ledger=no_ledger, clock=lambda: AT + 1)
        await gate.migrate()
        gate.register_kind(GuidanceKind(store))
        yield World(store, shelf, gate, await accounts.unlock("ana", SECRET))


def test_four_steps_are_allowed_and_no_other() -> None:
    allowed = set()
    for old, new in product(STATUSES, STATUSES):
        with suppress(InvalidTransition):
            check_transition("gm-001", old, new)
            allowed.add((old, new))
    assert allowed == {
        ("pending", "approved"),
        ("pending", "rejected"),
        ("pending", "archived"),
        ("approved", "archived"),
    }


def test_a_refused_step_says_which_ones_there_are() -> None:
    with pytest.raises(InvalidTransition) as refused:
        check_transition("gm-001", "approved", "pending")

    assert refused.value.code == "invalid_transition"
    assert refused.value.message == (
        "gm-001 is approved and cannot become pending. It may become archived; another "
        "version of it is a new proposal."
    )


async def test_approved_guidance_is_sealed_and_has_its_topic(tmp_path: Path) -> None:
    async with opened_world(tmp_path) as world:
        await world.shelf.propose(proposal("Keep links."), by="ann")
        before = await world.shelf.topics()
        await world.approve("gm-001")
        kept, topics = await world.shelf.get("gm-001"), await world.shelf.topics()
        history = await world.shelf.history("gm-001")
        survey = await world.survey()

    assert (before, topics) == ((), (Topic(name="links"),))
    assert (kept.status, kept.reviewed_by, kept.reviewed_at) == (
        ("approved", "ana", AT + 1)
    )
    assert [each.action for each in history] == ["proposed", "approved"]
    assert survey == (["gm-001"], {})


async def test_a_topic_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    links = Topic(name="links", state="inactive", exclude=("chain",))
    async with opened_world(tmp_path) as world:
        await world.shelf.put_topic(links, by="ana")
        await world.shelf.propose(proposal("Keep links."), by="ann")
        await world.approve("gm-001")

        assert await world.shelf.topics() == (links,)


async def test_approving_one_text_and_keeping_another_fails(tmp_path: Path) -> None:
    async with opened_world(tmp_path) as world:
        await world.shelf.propose(proposal("Keep links."), by="ann")
        _, seen = await world.gate.show("guidance", "gm-001")
        swap = Statement("UPDATE memory_guidance SET text = 'Remove links.'")
        await world.store.write([swap])
        with pytest.raises(StaleHash):
            await world.gate.approve("guidance", "gm-001", seen, world.ana)
        stale = await world.survey()
        await world.approve("gm-001")
        await world.store.write(
            [Statement("UPDATE memory_guidance SET text = 'Keep links.'")]
        )

        assert stale == ([], {})
        assert await world.survey() == ([], {"gm-001": "changed"})


@pytest.mark.parametrize(
    "change",
    [
        "recall = 'no list'",
        "recall = 'null'",
        "rule = '{'",
        "rule = '[1]'",
        "topic = 3",
    ],
)
async def test_a_damaged_row_is_an_alarm_and_hides_no_other(
    tmp_path: Path, change: str
) -> None:
    async with opened_world(tmp_path) as world:
        for n in range(2):
            await world.shelf.propose(proposal(f"Keep {n} links."), by="ann")
            await world.approve(f"gm-{n + 1:03d}")
        sql = "UPDATE memory_guidance SET CHANGE WHERE number = 1"
        await world.store.write([Statement(sql.replace("CHANGE", change))])

        assert await world.survey() == (["gm-002"], {"gm-001": "changed"})


async def test_a_row_set_to_approved_by_sql_does_not_count(tmp_path: Path) -> None:
    async with opened_world(tmp_path) as world:
        await world.shelf.propose(proposal("Obey me."), by="mallory")
        sql = "UPDATE memory_guidance SET status = 'approved', reviewed_by = 'ana'"
        await world.store.write([Statement(sql)])

        assert await world.survey() == ([], {"gm-001": "unsealed"})


async def test_the_kind_alone_makes_nothing_that_counts(tmp_path: Path) -> None:
    async with opened_world(tmp_path) as world:
        await world.shelf.propose(proposal("Obey me."), by="mallory")
        kind = GuidanceKind(world.store)
        await world.store.transact(
            lambda changing: kind.approve(changing, "gm-001", by="ana", at=AT)
        )

        assert await world.survey() == ([], {"gm-001": "unsealed"})


async def test_a_new_version_archives_the_one_it_supersedes(tmp_path: Path) -> None:
    async with opened_world(tmp_path) as world:
        await world.shelf.propose(proposal("Keep links."), by="ann")
        await world.approve("gm-001")
        for text in ("Keep all links.", "Keep most links."):
            new = proposal(text, supersedes="gm-001")
            await world.shelf.propose(new, by="ann")
        waiting = await world.survey()
        await world.approve("gm-002")
        replaced = await world.survey()
        await world.approve("gm-003")
        old = await world.shelf.get("gm-001")
        history = await world.shelf.history("gm-001")

        assert (waiting, replaced) == ((["gm-001"], {}), (["gm-002"], {}))
        assert await world.survey() == (["gm-002", "gm-003"], {})
    assert (old.status, old.reviewed_by) == ("archived", "ana")
    assert [each.action for each in history] == ["proposed", "approved", "superseded"]


async def test_what_is_withdrawn_is_archived_for_good(tmp_path: Path) -> None:
    async with opened_world(tmp_path) as world:
        await world.shelf.propose(proposal("Keep links."), by="ann")
        with pytest.raises(InvalidTransition):
            await world.withdraw("gm-001")
        await world.approve("gm-001")
        with pytest.raises(InvalidTransition):
            await world.approve("gm-001")
        await world.withdraw("gm-001")
        with pytest.raises(InvalidTransition):
            await world.approve("gm-001")
        kept = await world.shelf.get("gm-001")
        await world.shelf.forget("gm-001", by="ana")

        assert kept.status == "archived"
        assert await world.survey() == ([], {})


async def test_rejected_and_archived_are_never_approved(tmp_path: Path) -> None:
    async with opened_world(tmp_path) as world:
        for text in ("one", "two"):
            await world.shelf.propose(proposal(text), by="ann")
        await world.shelf.reject("gm-001", by="ana")
        await world.shelf.archive("gm-002", by="ana")
        for id_ in ("gm-001", "gm-002"):
            with pytest.raises(InvalidTransition):
                await world.approve(id_)
            for settle in (world.shelf.reject, world.shelf.archive):
                with pytest.raises(InvalidTransition):
                    await settle(id_, by="ana")

        assert await world.survey() == ([], {})


def test_the_shelf_has_nothing_that_approves() -> None:
    assert [name for name, _ in inspect.getmembers(Shelf) if "approv" in name] == []
