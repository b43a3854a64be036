"""Another process with a host on the same store, which remembers, approves and tells.

It says what it did once it is acknowledged, a line each, until it is killed.
"""

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from plugins.memory.memory_world import MemoryWorld, remembering
from plugins.memory.portability.homes import document, entry

from abilities_host.accounts import Unlocked

TESTS: Final = Path(__file__).parents[3]
SECONDS: Final = 30.0
SIZE: Final = 7
"""Guidance in each document that is imported."""


class Other:
    """The other process, as a test talks to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process: Final = process
        self.said: Final[list[Any]] = []

    async def hear(self) -> Any:
        """Wait for its next line; None when it has ended."""
        assert self._process.stdout
        line = await asyncio.wait_for(self._process.stdout.readline(), SECONDS)
        if not line.endswith(b"\n"):
            return None
        self.said.append(json.loads(line))
        return self.said[-1]

    async def go(self) -> None:
        """Let it begin."""
        assert self._process.stdin
        self._process.stdin.write(b"go\n")
        await self._process.stdin.drain()

    async def kill(self) -> None:
        """Kill it in the middle of whatever it does, and hear what it still said."""
        self._process.kill()
        while await self.hear() is not None:
            pass
        await self._process.wait()

    async def end(self) -> int:
        """Wait for its end; gives its exit code."""
        return await asyncio.wait_for(self._process.wait(), SECONDS)


@asynccontextmanager
async def other_host(folder: Path, job: str, *given: str) -> AsyncIterator[Other]:
    """Run another host until it is ready; `go` has it do its job."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "plugins.memory.proof.hosts", str(folder), job),
        *given,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=TESTS,
    )
    other = Other(process)
    try:
        assert await other.hear() == "ready"
        yield other
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def say(what: Any) -> None:
    """Tell the test, at once."""
    print(json.dumps(what), flush=True)  # noqa: T201 - what the test reads


async def remember(world: MemoryWorld, name: str, most: str) -> None:
    """Remember many things at the same time."""

    async def one(number: int) -> None:
        said = {"type": "fact", "rationale": "Seen.", "text": f"{name} {number} seen."}
        outcome = await world.call("memory/remember", said)
        say(outcome.result["id"] if outcome.is_ok else str(outcome.error))

    await asyncio.gather(*map(one, range(int(most))))


class Busy:
    """Does one thing after another, each of which may be the last.

    Args:
        world: its host.
        name: its own, so that two never say the same.
        human: of the person.
    """

    def __init__(self, world: MemoryWorld, name: str, human: Unlocked) -> None:
        self._world: Final = world
        self._name: Final = name
        self._human: Final = human
        self._chance: Final = random.Random(name)  # noqa: S311 - no secret
        self._turn = 0
        self._approved: list[str] = []

    async def go_on(self) -> None:
        """Do anything, until it is killed."""
        doing: tuple[Callable[[], Awaitable[object]], ...] = (
            self._remember,
            self._approve,
            self._replace,
            self._withdraw,
            self._sum_up,
            self._bring_in,
        )
        while True:
            self._turn += 1
            await self._chance.choice(doing)()

    async def _remember(self, **more: Any) -> str:
        said = {
            "type": "guardrail",
            "text": f"Number {self._turn} of {self._name}.",
            "rationale": "Because.",
            **more,
        }
        outcome = await self._world.call("memory/remember", said)
        if outcome.is_ok:  # else too many wait
            say(["pending", outcome.result["id"]])
            return str(outcome.result["id"])
        return ""

    async def _approve(self, **more: Any) -> None:
        id_ = await self._remember(**more)
        if id_:
            review = await self._world.memory.review(id_)
            say(["approving", id_])
            await self._world.memory.approve(id_, review.hash, self._human)
            say(["approved", id_])
            self._approved.append(id_)

    async def _replace(self) -> None:
        if self._approved:
            old = self._approved.pop()
            say(["ending", old])
            await self._approve(supersedes=old)

    async def _withdraw(self) -> None:
        if self._approved:
            old = self._approved.pop()
            review = await self._world.memory.review(old)
            say(["ending", old])
            await self._world.memory.withdraw(old, review.hash, self._human)
            say(["archived", old])

    async def _sum_up(self) -> None:
        await self._world.call("notes/put", {"id": self._name, "text": str(self._turn)})
        said = {"narrative": f"Turn {self._turn} of {self._name}."}
        outcome = await self._world.call("memory/save-session-summary", said)
        if outcome.is_ok:
            say(["summary", outcome.result["id"]])

    async def _bring_in(self) -> None:
        name = f"{self._name}-{self._turn}"
        brought = await self._world.memory.bring_in(documented(name), by=name)
        say(["imported", *brought.ids.values()])


def documented(name: str) -> dict[str, Any]:
    """Make a document of a few pieces of guidance."""
    numbers = range(1, SIZE + 1)
    return document(
        *(
            entry(f"gm-{number:03}", text=f"Fact {number} of {name}.", type="fact")
            for number in numbers
        )
    )


async def _serve(folder: Path, job: str, name: str, *given: str) -> None:
    async with remembering(folder) as world:
        busy = Busy(world, name, await world.ana()) if job == "busy" else None
        say("ready")
        await asyncio.to_thread(sys.stdin.readline)
        await (busy.go_on() if busy else remember(world, name, *given))


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), *sys.argv[2:]))
