"""Calls where 10,000 abilities are registered, beside calls where there are few."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.pack import BenchPack
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.rows.dispatch import ACTOR
from benchmarks.servers import LONG_REGISTRATION
from benchmarks.timing import Once, check, each_us
from benchmarks.world import ARGUMENTS

from abilities_host import Outcome
from abilities_host.testing import build_host

FEW = "with 3 abilities"


def measure(bench: Bench) -> Measured:
    """Time the same call in two hosts, both alive, in turn."""
    with asyncio.Runner() as runner:
        return runner.run(_measure(bench))


async def _measure(bench: Bench) -> Measured:
    count, abilities = bench.pick(300, 1_000), bench.pick(1_000, 10_000)
    spread: dict[str, list[float]] = {HERE: [], FEW: []}
    async with (
        _called(bench.folder / "few", 3) as few,
        _called(bench.folder / "many", abilities) as many,
    ):
        for _ in range(bench.pick(11, 15)):
            for who, once in ((FEW, few), (HERE, many)):
                spread[who].append(await each_us(once, count))
    remark = f"{abilities:,} abilities; in process, processor time"
    return Measured.of(spread, remark=remark)


@asynccontextmanager
async def _called(folder: Path, abilities: int) -> AsyncIterator[Once]:
    packs = [("bench", BenchPack(abilities))]
    async with build_host(folder, packs=packs, config=LONG_REGISTRATION) as host:

        async def once() -> Outcome:
            return await host.execute("bench/echo", ARGUMENTS, actor=ACTOR)

        check(is_good=(await once()).is_ok)
        await each_us(once, 50)
        yield once


ROW = Row(
    name="call at 10,000 abilities / at few",
    unit="µs/call",
    measure=measure,
    first=(Goal("≤ 1.1 x with few", FEW, 1 / 1.1),),
    second=(Goal("≤ 1.1 x with few", FEW, 1 / 1.1),),
)
