"""Killed at any moment: what was acknowledged is there, nothing is there by half."""

import asyncio
import os
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from plugins.memory.memory_world import MemoryWorld, remembering
from plugins.memory.proof.hosts import SIZE, Other, other_host

from abilities_host.gate import Gate
from abilities_host.memory import Guidance
from abilities_memory.likeness import words_of
from abilities_memory.summaries import Summaries

ROUNDS: Final = int(os.environ.get("FAULT_ROUNDS", "3"))
_WORDS: Final = """
    SELECT id, words, (SELECT count(*) FROM memory_word w WHERE w.number = g.number)
    FROM memory_guidance g ORDER BY g.number
"""
_COUNTER: Final = "SELECT last FROM memory_counter WHERE name = 'guidance'"


@pytest.mark.timeout(60 + 15 * ROUNDS)
async def test_two_busy_hosts_that_are_killed_lose_nothing_they_acknowledged(
    tmp_path: Path,
) -> None:
    chance = random.Random(7)  # noqa: S311 - when to kill is no secret
    said: list[Sequence[Any]] = []
    async with remembering(tmp_path) as world:
        await world.ana()
    for turn in range(ROUNDS):
        said += await killed(tmp_path, f"{turn}", chance)
        async with remembering(tmp_path) as world:
            await check(world, said)

    kinds = {each[0] for each in said}
    assert kinds >= {"pending", "approved", "archived", "summary", "imported"}


async def killed(folder: Path, turn: str, chance: random.Random) -> list[Any]:
    """Run two hosts at once and kill both; give what they acknowledged."""
    async with (
        other_host(folder, "busy", f"{turn}a") as one,
        other_host(folder, "busy", f"{turn}b") as two,
    ):
        await asyncio.gather(
            *(kill_later(each, chance.randint(12, 40), chance) for each in (one, two))
        )
        return [*one.said[1:], *two.said[1:]]


async def kill_later(other: Other, lines: int, chance: random.Random) -> None:
    """Kill it some lines and some milliseconds after it began."""
    await other.go()
    for _ in range(lines):
        assert await other.hear() is not None
    await asyncio.sleep(chance.uniform(0, 0.02))
    await other.kill()


async def check(world: MemoryWorld, said: Sequence[Sequence[Any]]) -> None:
    """Compare everything that was acknowledged with everything that is there."""
    found = {each.id: each for each in await all_of(world)}
    check_acknowledged(found, said)
    check_imports(found.values())
    await check_rows(world, found)
    await check_summaries(world, said)
    survey = await world.host.services.find(Gate).survey("guidance")
    approved = {id_ for id_, each in found.items() if each.status == "approved"}
    assert survey.alarms == ()
    assert survey.sealed.keys() == approved
    assert (await world.rulebook.in_force()).lost == ()
    recalled = await world.told("memory/recall", {"limit": 200})
    assert recalled["count"] == len(approved)


async def all_of(world: MemoryWorld) -> list[Guidance]:
    every: list[Guidance] = []
    after: int | None = 0
    while after is not None:
        page = await world.memory.list(after=after, limit=500)
        every += page.entries
        after = page.next
    return every


def check_acknowledged(
    found: dict[str, Guidance], said: Sequence[Sequence[Any]]
) -> None:
    """What was only begun may have happened or not; what is acknowledged has."""
    status: dict[str, set[str]] = {}
    for kind, *ids in said:
        for id_ in ids:
            match kind:
                case "pending" | "imported":
                    status[id_] = {"pending"}
                case "approving":
                    status[id_].add("approved")
                case "approved":
                    status[id_] -= {"pending"}
                case "ending":
                    status[id_].add("archived")
                case "archived":
                    status[id_] -= {"approved"}
    wrong = {
        id_: (found[id_].status if id_ in found else "lost", may_be)
        for id_, may_be in status.items()
        if id_ not in found or found[id_].status not in may_be
    }
    assert wrong == {}


def check_imports(found: Any) -> None:
    """Each document came in whole or not at all."""
    imported = Counter(each.proposed_by for each in found if "-" in each.proposed_by)
    assert {name: count for name, count in imported.items() if count != SIZE} == {}


async def check_rows(world: MemoryWorld, found: dict[str, Guidance]) -> None:
    """A row, its words and its history come together, each number once."""
    store = world.host._store  # noqa: SLF001 - the test looks at the rows
    rows = await store.read(_WORDS)
    [(last,)] = await store.read(_COUNTER)
    assert sorted(found) == sorted(f"gm-{number + 1:03}" for number in range(last))
    for id_, words, count in rows:
        assert words == count == len(words_of(found[id_].text))
    for id_, each in found.items():
        actions = [one.action for one in await world.memory.history(id_)]
        assert actions in HISTORIES[each.status], (id_, each.status, actions)


HISTORIES: Final = {
    "pending": [["proposed"]],
    "approved": [["proposed", "approved"]],
    "archived": [
        ["proposed", "approved", "archived"],
        ["proposed", "approved", "superseded"],
    ],
}


async def check_summaries(world: MemoryWorld, said: Sequence[Sequence[Any]]) -> None:
    """Those that were acknowledged are there, with their digest and narrative."""
    store = world.host._store  # noqa: SLF001 - as the pack reads them
    kept = {each.id: each async for each in Summaries(store).every()}
    assert {id_ for kind, id_, *_ in said if kind == "summary"} <= kept.keys()
    assert list(kept) == [f"ss-{number + 1:04}" for number in range(len(kept))]
    assert all(each.narrative.startswith("Turn ") for each in kept.values())
    assert all("entries_count" in each.digest for each in kept.values())
