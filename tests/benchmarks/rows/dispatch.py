"""Dispatch in process: validate in and out, permission, time limit, one no-op veto."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from benchmarks.bench import Bench
from benchmarks.pack import BenchPack
from benchmarks.peers import fastmcp_server, mcpserver
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.servers import FASTMCP, MCPSERVER
from benchmarks.world import ARGUMENTS

from abilities_host import Actor
from abilities_host.testing import build_host

ACTOR = Actor("bench", "agent", frozenset({"read"}))
Once = Callable[[], Awaitable[Any]]


def measure(bench: Bench) -> Measured:
    """Compare calls of the same tool, each inside one process, one after the other."""
    with asyncio.Runner() as runner:
        return runner.run(_measure(bench))


async def _measure(bench: Bench) -> Measured:
    sdk, fast = mcpserver.build(3), fastmcp_server.build(3)
    count = bench.pick(300, 1_000)
    async with build_host(
        bench.folder / "dispatch", packs=[("bench", BenchPack(3))]
    ) as host:
        calls: dict[str, Once] = {
            HERE: lambda: host.execute("bench/echo", ARGUMENTS, actor=ACTOR),
            MCPSERVER: lambda: sdk.call_tool("bench_echo", ARGUMENTS),
            FASTMCP: lambda: fast.call_tool("bench_echo", ARGUMENTS),
        }
        outcome = await calls[HERE]()
        check(is_good=outcome.is_ok)
        for once in calls.values():
            await each_us(once, 50)
        return await _compare(calls, count, rounds=bench.pick(7, 15))


async def _compare(calls: dict[str, Once], count: int, rounds: int) -> Measured:
    spread: dict[str, list[float]] = {who: [] for who in calls}
    for _ in range(rounds):
        for who, once in calls.items():
            spread[who].append(await each_us(once, count))
    return Measured.of(spread, remark="processor time; this host also reads the store")


async def each_us(once: Once, count: int) -> float:
    """Give the microseconds of processor time that each of many calls takes."""
    start = time.process_time()
    for _ in range(count):
        await once()
    return (time.process_time() - start) / count * 1e6


def check(*, is_good: bool) -> None:
    """Refuse to time calls that are refused."""
    if not is_good:
        msg = "the call that is to be timed does not succeed"
        raise ValueError(msg)


ROW = Row(
    name="dispatch in process, read",
    unit="µs/call",
    measure=measure,
    first=(
        Goal("≤ 1/4 of MCPServer", MCPSERVER, 4),
        Goal("≤ 1/35 of FastMCP", FASTMCP, 35),
    ),
    second=(
        Goal("≤ 1/15 of MCPServer", MCPSERVER, 15),
        Goal("≤ 1/120 of FastMCP", FASTMCP, 120),
    ),
)
