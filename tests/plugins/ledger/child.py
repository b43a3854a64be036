"""A host in a process of its own, which a test stops at a known moment."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from plugins.ledger.desk import ANN, Desk, Room, open_room

TESTS = str(Path(__file__).parents[2])


class Child:
    """A running child.

    Attributes:
        process: what may be killed.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def line(self) -> str:
        assert self.process.stdout is not None
        return (await self.process.stdout.readline()).decode().strip()

    async def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"go\n")
        await self.process.stdin.drain()

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()


@asynccontextmanager
async def child(
    folder: Path, *calls: tuple[str, Any], at: str = "", waits: bool = False
) -> AsyncIterator[Child]:
    """Start a host in another process; when it says a line it is where it stops.

    Args:
        folder: the same as the test's own.
        calls: abilities with arguments, called at once; with none it writes on and on,
            and says each call that was acknowledged.
        at: where the domain stands still.
        waits: says ``ready`` first, and calls when it is told a line.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "plugins.ledger.child",
        json.dumps([str(folder), calls, at, waits]),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": TESTS},
    )
    try:
        yield Child(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def main(
    folder: str, calls: list[tuple[str, Any]], at: str, *, waits: bool
) -> None:
    desk = Desk(Path(folder) / "notes")
    desk.notes.stops_at = {at}
    saying = asyncio.create_task(say(desk, len(calls)))
    async with open_room(Path(folder), desk=desk) as room:
        if waits:
            tell("ready")
            await asyncio.to_thread(sys.stdin.readline)
        if not calls:
            await asyncio.gather(*(write(room, str(n)) for n in range(4)))
        async with asyncio.TaskGroup() as tasks:
            for name, arguments in calls:
                tasks.create_task(room.host.execute(name, arguments, actor=ANN))
    saying.cancel()


async def say(desk: Desk, count: int) -> None:
    if count:
        await desk.reached.wait()
        tell("stopped")
        await asyncio.to_thread(sys.stdin.readline)
        desk.go_on.set()


async def write(room: Room, note: str) -> None:
    for n in range(100_000):
        name = ("put", "touch", "remove", "outer")[n % 4]
        done = await room.run(name, note, str(n))
        tell(done.call)


def tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    *given, is_waiting = json.loads(sys.argv[1])
    asyncio.run(main(*given, waits=is_waiting))
