"""Dispatch in process: validate in and out, permission, time limit, one no-op veto."""

import asyncio

from benchmarks.bench import Bench
from benchmarks.pack import BenchPack
from benchmarks.peers import fastmcp_server, mcpserver, naive
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.servers import FASTMCP, MCPSERVER, NAIVE
from benchmarks.timing import Once, check, each_us
from benchmarks.world import ARGUMENTS

from abilities_host import Actor
from abilities_host.testing import build_host

ACTOR = Actor("bench", "agent", frozenset({"read"}))


def measure(bench: Bench) -> Measured:
    """Compare calls of the same tool, each inside one process, one after the other."""
    with asyncio.Runner() as runner:
        return runner.run(_measure(bench))


async def _measure(bench: Bench) -> Measured:
    sdk, fast = mcpserver.build(3), fastmcp_server.build(3)
    composed = naive.build(4, bench.folder / "naive.db")
    count = bench.pick(300, 1_000)
    async with build_host(
        bench.folder / "dispatch", packs=[("bench", BenchPack(3))]
    ) as host:
        calls: dict[str, Once] = {
            HERE: lambda: host.execute("bench/echo", ARGUMENTS, actor=ACTOR),
            MCPSERVER: lambda: sdk.call_tool("bench_echo", ARGUMENTS),
            FASTMCP: lambda: fast.call_tool("bench_echo", ARGUMENTS),
            NAIVE: lambda: composed.call_tool("bench_echo", ARGUMENTS),
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
