"""Four writers of one process: files that overlap with those of every other."""

import asyncio
import json
import random
from pathlib import Path
from typing import Any, Final

from faults.standing import Told
from faults.world import World, open_world

from abilities_host import Outcome

NAMES: Final = ("one", "two", "three", "four", "five")
SLIPS: Final = ("a", "b", "c")
CONFIG: Final = "[limits]\nlock_seconds = 0.5\n"


class Writer:
    """One of them; each thing it writes is written by nobody else.

    Args:
        world: where it writes.
        name: its own.
        told: hears of each outcome once it is there.
    """

    def __init__(self, world: World, name: str, told: Told) -> None:
        self._world: Final = world
        self._name: Final = name
        self._told: Final = told
        self._chance: Final = random.Random(name)  # noqa: S311 - no secret
        self._own: Final[list[int]] = []
        self._turn = 0

    async def write(self) -> None:
        """Write, move, delete and undo until it is killed."""
        doing = (self._write, self._write, self._put, self._move, self._delete)
        while True:
            self._turn += 1
            await self._chance.choice((*doing, self._undo))()

    async def _write(self) -> None:
        text = f"{self._name} {self._turn}\n" * self._chance.choice((1, 1, 300))
        await self._run("files/write", {"path": self._path(), "text": text}, text)

    async def _put(self) -> None:
        one, also = self._chance.sample(SLIPS, 2)
        slip = f"{self._name} {self._turn}"
        await self._run("drawer/put", {"id": one, "also": also, "slip": slip}, slip)

    async def _move(self) -> None:
        one, other = self._chance.sample(NAMES, 2)
        arguments = {"source": one, "destination": other, "overwrite": True}
        await self._run("files/move", arguments)

    async def _delete(self) -> None:
        await self._run("files/delete", {"path": self._path()})

    async def _undo(self) -> None:
        if self._own:
            seq = self._own.pop()
            await self._run("ledger/rollback-change", {"id": seq})

    async def _run(self, ability: str, arguments: Any, written: str = "") -> None:
        outcome = await self._world.run(ability, **arguments)
        self._told.say(json.dumps(_acknowledge(outcome, written)))
        if outcome.is_ok and self._chance.random() < 0.3:
            for entry in await self._world.book.of_call(outcome.call):
                if entry.kind == "change":
                    self._own.append(entry.seq)

    def _path(self) -> str:
        return self._chance.choice(NAMES)


def _acknowledge(outcome: Outcome, written: str) -> dict[str, Any]:
    return {
        "call": outcome.call,
        "status": outcome.status,
        "code": outcome.code,
        "targets": [str(change.target) for change in outcome.changes],
        "written": written,
    }


def write_on(folder: str, told: str, name: str) -> None:
    """Open a host and write with four writers until it is killed."""
    asyncio.run(_write_on(Path(folder), Told(Path(told)), name))


async def _write_on(folder: Path, told: Told, name: str) -> None:
    told.say("starts")
    async with open_world(folder) as world:
        writers = [Writer(world, f"{name}.{number}", told) for number in range(4)]
        await asyncio.gather(*(writer.write() for writer in writers))
