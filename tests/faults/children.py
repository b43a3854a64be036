"""Children of a nursery: real processes that are started, heard of and killed."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

SECONDS: Final = 30.0
TESTS: Final = Path(__file__).parent.parent


class Child:
    """One process, and the file in which it says how far it is.

    Args:
        nursery: its parent.
        pid: its number.
        told: what it says goes there, a line at a time.
    """

    def __init__(self, nursery: "Nursery", pid: int, told: Path) -> None:
        self.pid: Final = pid
        self.told: Final = told
        self._nursery: Final = nursery

    def lines(self) -> list[str]:
        """Give every whole line that it said."""
        text = self.told.read_text() if self.told.exists() else ""
        return text.split("\n")[:-1]

    async def until(self, line: str) -> None:
        """Wait until it says something."""
        async with asyncio.timeout(SECONDS):
            while line not in self.lines():
                await asyncio.sleep(0.003)

    async def until_lines(self, count: int) -> None:
        """Wait until it has said so many lines."""
        async with asyncio.timeout(SECONDS):
            while len(self.lines()) < count:
                await asyncio.sleep(0.003)

    async def kill(self) -> None:
        """Kill it in the middle of whatever it does; it is dead afterwards."""
        answer = await self._nursery.order(pid=self.pid, signal=signal.SIGKILL, waits=1)
        assert answer == -signal.SIGKILL, self._nursery.log.read_text()

    async def send(self, number: int) -> None:
        """Send a signal that does not end it."""
        await self._nursery.order(pid=self.pid, signal=number, waits=0)

    async def end(self) -> int:
        """Wait until it ends by itself; gives its exit code."""
        return await self._nursery.order(pid=self.pid, signal=0, waits=1)


class Nursery:
    """The parent of all children of a test.

    Args:
        process: runs `faults.nursery`.
        folder: where children say how far they are.
    """

    def __init__(self, process: Process, folder: Path) -> None:
        self.log: Final = folder / "log"
        self._process: Final = process
        self._folder: Final = folder
        self._turn: Final = asyncio.Lock()
        self._started = 0

    async def start(self, job: str, **arguments: Any) -> Child:
        """Start a child with one of `faults.jobs.JOBS`."""
        self._started += 1
        told = self._folder / f"told-{self._started}"
        given = {"told": str(told), **arguments}
        pid = await self.order(job=job, arguments=given, log=str(self.log))
        return Child(self, pid, told)

    async def order(self, **order: Any) -> int:
        """Have the nursery do something."""
        reader, writer = self._process.stdout, self._process.stdin
        assert reader
        assert writer
        async with self._turn:
            writer.write(json.dumps(order).encode() + b"\n")
            answer = await asyncio.wait_for(reader.readline(), SECONDS)
        return int(answer)


@asynccontextmanager
async def open_nursery(folder: Path) -> AsyncIterator[Nursery]:
    """Run a nursery for as long as the context lasts; its children die with it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "faults.nursery"),
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        stdin=PIPE,
        stdout=PIPE,
    )
    try:
        yield Nursery(process, folder)
    finally:
        assert process.stdin
        process.stdin.close()
        await process.wait()
