"""Another process with a host on the same store, which writes what it is told."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[2]


class Writer:
    """The other process, as a test talks to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def write(self, path: str, text: str = "new") -> dict[str, str]:
        """Have a file written; give code and text of the answer."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([path, text]).encode() + b"\n")
        line = await asyncio.wait_for(self._process.stdout.readline(), 30)
        said: dict[str, str] = json.loads(line)
        return said


@asynccontextmanager
async def writing(folder: Path) -> AsyncIterator[Writer]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "contrib.enforcer.writer",
        str(folder),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=TESTS,
    )
    try:
        yield Writer(process)
    finally:
        assert process.stdin
        process.stdin.close()
        await asyncio.wait_for(process.wait(), 30)


async def _serve(folder: Path) -> None:
    from contrib.enforcer.guarded import guarded  # noqa: PLC0415 - only in the process

    async with guarded(folder) as world:
        while line := await asyncio.to_thread(sys.stdin.readline):
            path, text = json.loads(line)
            outcome = await world.write(path, text)
            said: dict[str, Any] = {
                "code": outcome.code,
                "text": str(outcome.error or ""),
            }
            print(json.dumps(said), flush=True)  # noqa: T201 - what the test reads


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
