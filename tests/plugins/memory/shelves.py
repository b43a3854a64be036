"""A shelf over a real store, also as a process of its own that proposes on and on."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

from abilities_host.memory.proposal import Proposal
from abilities_host.storage import Store
from abilities_host.storage.sqlite import open_sqlite
from abilities_memory.shelf import Shelf
from abilities_memory.tables import MIGRATIONS, OWNER

AT = 1_800_000_000_000_000
TESTS = Path(__file__).parents[2]


def proposal(text: str, **more: Any) -> Proposal:
    values = {"type": "guardrail", "topic": "links", "rationale": "Because.", **more}
    return Proposal(text=text, **values)


@asynccontextmanager
async def opened_shelf(path: Path) -> AsyncIterator[tuple[Store, Shelf]]:
    """Open a shelf whose clock stands still."""
    async with open_sqlite(path) as store:
        await store.migrate(OWNER, MIGRATIONS)
        yield store, Shelf(store, clock=lambda: AT)


async def proposing(path: Path, actor: str, most: int) -> asyncio.subprocess.Process:
    """Start a process that proposes, and says each id once it is durable."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "plugins.memory.shelves",
        *(str(path), actor, str(most)),
        stdout=asyncio.subprocess.PIPE,
        cwd=TESTS,
    )


async def _propose(path: Path, actor: str, most: int) -> None:
    async with opened_shelf(path) as (_, shelf):

        async def one(number: int) -> None:
            # Nobody may have more than 200 that wait.
            by = f"{actor} {number // 100}"
            said = await shelf.propose(proposal(f"{actor} {number}"), by=by)
            print(said.id, flush=True)  # noqa: T201 - what the test reads

        if most:
            await asyncio.gather(*map(one, range(most)))
            return
        for number in count():
            await one(number)


if __name__ == "__main__":
    asyncio.run(_propose(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
