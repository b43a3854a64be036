"""Rounds of killing: the same store, two processes, eight writers, any moment."""

import asyncio
import json
import random
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from faults.children import Child, Nursery
from faults.truth import check_record, in_order
from faults.world import World, open_world, prepare
from faults.writers import CONFIG

from abilities_host import run_in_thread
from abilities_host.ledger import Entry
from abilities_ledger.content import digest_of


class Rounds:
    """Starts, kills and looks, again and again.

    Args:
        folder: of the one host, store and root.
        nursery: makes the children.
        seed: of when to kill.
    """

    def __init__(self, folder: Path, nursery: Nursery, seed: int) -> None:
        self.killed = 0
        self.told: Final[list[dict[str, Any]]] = []
        self._folder: Final = folder
        self._nursery: Final = nursery
        self._chance: Final = random.Random(seed)  # noqa: S311 - when to kill is no secret

    async def run(self, count: int) -> None:
        """Do so many rounds, each with a look at what is left."""
        await run_in_thread(lambda: prepare(self._folder, CONFIG))
        for number in range(count):
            await self._round(number)
            async with self.looking():
                pass

    @asynccontextmanager
    async def looking(self) -> AsyncIterator[World]:
        """Open a host where all others are dead, and check everything."""
        async with open_world(self._folder) as world:
            await check_record(world, {})
            _check_told(await world.entries(), self.told)
            yield world

    async def _round(self, number: int) -> None:
        children = [await self._start(f"{number}{name}") for name in "ab"]
        if self._chance.random() < 0.3:  # one of them goes on, and another comes
            await self._kill(children.pop(self._chance.randrange(2)))
            children.append(await self._start(f"{number}c"))
        for child in children:
            await self._kill(child)

    async def _start(self, name: str) -> Child:
        return await self._nursery.start(
            "write_on", folder=str(self._folder), name=name
        )

    async def _kill(self, child: Child) -> None:
        """While it opens and settles, or after some writes."""
        await child.until("starts")
        if self._chance.random() < 0.3:
            await asyncio.sleep(self._chance.uniform(0, 0.2))
        else:
            await child.until_lines(self._chance.randint(2, 30))
            await asyncio.sleep(self._chance.uniform(0, 0.02))
        await child.kill()
        self.killed += 1
        self.told.extend(json.loads(line) for line in child.lines()[1:])


def _check_told(entries: list[Entry], told: list[dict[str, Any]]) -> None:
    """Nothing that was acknowledged is missing, and it says what the call wrote."""
    ends = {e.call: e for e in entries if e.kind == "outcome"}
    changes: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.kind == "change":
            changes.setdefault(entry.call, []).append(entry)
    for each in told:
        assert each["status"] != "unknown", each
        if each["status"] == "refused":
            continue
        end, made = ends[each["call"]], changes.get(each["call"], [])
        assert end.details["status"] == each["status"]
        assert end.details["code"] == each["code"]
        assert [f"{e.domain}:{e.target}" for e in made] == each["targets"]
        if each["written"] and each["status"] == "ok":
            assert made
            assert {e.after for e in made} == {_wrote(made[0].domain, each["written"])}


def _wrote(domain: str, text: str) -> bytes | None:
    if domain == "drawer":
        return digest_of(text)
    data = b64encode(text.encode()).decode()
    return digest_of({"kind": "file", "mode": 0o644, "base64": data})


async def undo_all(world: World) -> list[tuple[int, str]]:
    """Undo what is in force, newest first.

    Args:
        world: where everybody else is dead.

    Returns:
        Number and code of each undo that was refused.
    """
    refused = []
    for change in reversed(in_order(await world.entries())):
        listed = await world.ledger.get_change(change.seq)
        assert listed
        is_undo = change.ability.startswith("ledger/")
        if not is_undo and not listed.is_rolled_back:
            outcome = await world.undo(change.seq)
            if not outcome.is_ok:
                refused.append((change.seq, outcome.code))
    return refused
