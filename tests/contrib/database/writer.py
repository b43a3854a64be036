"""A process of its own that writes through a host, for the tests with two of them."""

import asyncio
import sys
from pathlib import Path
from typing import Any

from contrib.database.world import changes_of, open_world

from abilities_host import MISSING


async def count(folder: Path, rounds: int) -> None:
    """Add one to the same row many times, and say what each call claims it did."""
    async with open_world(folder, "") as world:
        say("ready")
        await asyncio.to_thread(sys.stdin.readline)
        for _ in range(rounds):
            say(await step(world))


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def step(world: Any) -> str:
    while True:
        found = await world.run("query", sql="SELECT n FROM counter")
        number = found["rows"][0][0]
        outcome = await world.call(
            "update-rows",
            table="counter",
            where={"id": 1, "n": number},
            values={"n": number + 1},
        )
        states = changes_of(outcome).get("counter/1")
        if states and MISSING not in states:
            return f"{states[0]['n']} {states[1]['n']}"


if __name__ == "__main__":
    asyncio.run(count(Path(sys.argv[1]), int(sys.argv[2])))
