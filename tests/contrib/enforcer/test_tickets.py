"""The queue itself, asked by many at once, and meddled with in between."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple, cast

from contrib.enforcer.guarded import Clock
from gate.world import World, opened_gate

from abilities_host.gate import Gate, Survey
from abilities_memory_enforcer import tables
from abilities_memory_enforcer.draft import Draft
from abilities_memory_enforcer.kind import WriteKind
from abilities_memory_enforcer.ticket import Ticket
from abilities_memory_enforcer.tickets import Tickets

DRAFT = Draft(
    binding="b",
    actor="agent",
    ability="files/write",
    arguments="{}",
    arguments_digest="d",
    targets=("files:a",),
    targets_count=1,
    states_digest="s",
    rules=("gm-001",),
)


class Queue(NamedTuple):
    world: World
    tickets: Tickets

    async def approved(self) -> Ticket:
        ticket, _ = await self.tickets.ask(DRAFT)
        assert ticket
        _, seen = await self.world.gate.show("write", ticket.id)
        ana = await self.world.ana()
        await self.world.gate.approve("write", ticket.id, seen, ana)
        return ticket


@asynccontextmanager
async def queue(folder: Path) -> AsyncIterator[Queue]:
    clock = Clock()
    async with opened_gate(folder) as world:
        await world.store.migrate(tables.OWNER, tables.MIGRATIONS)
        world.gate.register_kind(WriteKind(world.store, clock))
        yield Queue(world, Tickets(world.store, world.gate, hours=1, clock=clock))


async def test_many_that_ask_at_once_get_one_ticket(tmp_path: Path) -> None:
    async with queue(tmp_path) as waits:
        asked = await asyncio.gather(*(waits.tickets.ask(DRAFT) for _ in range(6)))

    assert {each.ticket.id for each in asked if each.ticket} == {"wr-001"}
    assert sorted(each.is_new for each in asked) == [False] * 5 + [True]


async def test_of_many_that_take_one_ticket_one_has_it(tmp_path: Path) -> None:
    async with queue(tmp_path) as waits:
        ticket = await waits.approved()

        taken = await asyncio.gather(
            *(waits.tickets.take(ticket, str(call)) for call in range(6))
        )

    assert sorted(taken) == [False] * 5 + [True]


async def test_only_the_call_that_took_a_ticket_gives_it_back(tmp_path: Path) -> None:
    async with queue(tmp_path) as waits:
        ticket = await waits.approved()
        taken = [await waits.tickets.take(ticket, "one")]
        await waits.tickets.give_back(ticket.id, "another")
        taken.append(await waits.tickets.take(ticket, "two"))
        await waits.tickets.give_back(ticket.id, "one")
        taken.append(await waits.tickets.take(ticket, "three"))

    assert taken == [True, False, True]


class Meddling:
    """A gate after whose survey somebody changes the ticket."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def survey(self, kind: str) -> Survey:
        survey = await self._world.gate.survey(kind)
        await self._world.sql("UPDATE enforcer_ticket SET binding = 'c'")
        return survey


async def test_a_ticket_that_is_changed_after_its_seal_was_seen_is_not_taken(
    tmp_path: Path,
) -> None:
    async with queue(tmp_path) as waits:
        ticket = await waits.approved()
        gate = cast("Gate", Meddling(waits.world))
        tickets = Tickets(waits.world.store, gate, hours=1, clock=Clock())

        assert not await tickets.take(ticket, "one")
