"""What a child may do; each is a whole process."""

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from faults.standing import Stand, StandingStore, Told
from faults.world import open_world
from faults.writers import write_on

from abilities_ledger.book import Book
from abilities_ledger.retention import Retention


def put(folder: str, told: str, step: str, pair: str = "ab") -> None:
    """Put two slips, and stop at a step."""
    asyncio.run(_put(Path(folder), Told(Path(told)), step, pair))


async def _put(folder: Path, told: Told, step: str, pair: str) -> None:
    async with open_world(folder, Stand(step, told, folder / "go-on")) as world:
        outcome = await world.run("drawer/put", id=pair[0], also=pair[1], slip="new")
        told.say(f"{outcome.status} {outcome.code}")
        told.say("acknowledged")
        await asyncio.Event().wait()


def sweep(folder: str, told: str, step: str) -> None:
    """Open a host, which settles what a dead one left, and stop at a step."""
    asyncio.run(_sweep(Path(folder), Told(Path(told)), step))


async def _sweep(folder: Path, told: Told, step: str) -> None:
    stand = Stand(step, told, folder / "go-on")
    async with open_world(folder, stand, names=("take", "settle")):
        told.say("swept")
        await asyncio.Event().wait()


def undo(folder: str, told: str, step: str) -> None:
    """Undo the newest change, and stop at a step."""
    asyncio.run(_undo(Path(folder), Told(Path(told)), step))


async def _undo(folder: Path, told: Told, step: str) -> None:
    stand = Stand(step, told, folder / "go-on")
    async with open_world(folder, stand, names=("intent", "outcome")) as world:
        changes = [each for each in await world.entries() if each.kind == "change"]
        outcome = await world.undo(changes[-1].seq)
        told.say(f"{outcome.status} {outcome.code}")
        told.say("acknowledged")
        await asyncio.Event().wait()


def prune(folder: str, told: str, step: str) -> None:
    """Prune all that thirty days later no limit keeps, and stop at a step."""
    asyncio.run(_prune(Path(folder), Told(Path(told)), step))


async def _prune(folder: Path, told: Told, step: str) -> None:
    async with open_world(folder) as world:
        stand = Stand(step, told, folder / "go-on")
        book = Book(StandingStore(world.store, stand, ("prune",)))
        retention = Retention(
            book, days=1, entries=1000, contents_bytes=1000, clock=_in_thirty_days
        )
        pruned = await retention.prune(by="ann")
        told.say(f"{pruned.entries}")
        told.say("pruned")
        await asyncio.Event().wait()


def _in_thirty_days() -> int:
    return time.time_ns() // 1000 + 30 * 86_400_000_000


JOBS: Final[Mapping[str, Callable[..., None]]] = {
    "put": put,
    "sweep": sweep,
    "undo": undo,
    "prune": prune,
    "write_on": write_on,
}
