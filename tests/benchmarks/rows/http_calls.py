"""Governed reads over HTTP, 2026-07-28: the server's processor time for each."""

import asyncio
from functools import partial

from benchmarks.bench import Bench
from benchmarks.http_client import Connection
from benchmarks.process import cpu_seconds
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.servers import (
    FASTMCP,
    FLOOR,
    LOWLEVEL,
    MCPSERVER,
    NAIVE,
    Listening,
    http,
)
from benchmarks.world import ARGUMENTS

ABILITIES = 165
CONNECTIONS = 32


def measure(bench: Bench) -> Measured:
    """Load each server in turn; it does not matter how fast they are asked."""
    more = bench.pick((), (MCPSERVER, NAIVE))
    whom = (HERE, LOWLEVEL, FASTMCP, *more, FLOOR)
    servers = bench.together(
        {who: partial(http, bench, who, ABILITIES) for who in whom}
    )
    for server in servers.values():
        each_us(server, 4)
    count = bench.pick(6, 20)
    return bench.compare(
        {who: partial(each_us, server, count) for who, server in servers.items()},
        rounds=bench.pick(4, 6),
        remark="same mode everywhere (json_response=False); only this host asks for a "
        "token; it and the naive composition check both ways and ask a permission",
    )


def each_us(server: Listening, count: int) -> float:
    """Give the microseconds of the server's processor time for each call.

    Args:
        server: it is asked over 32 connections at once.
        count: calls over each.

    Returns:
        Processor time, idle moments included.
    """
    start = cpu_seconds(server.process.pid)
    asyncio.run(load(server, count, "bench_echo"))
    taken = cpu_seconds(server.process.pid) - start
    return taken / (count * CONNECTIONS) * 1e6


async def load(server: Listening, count: int, tool: str) -> None:
    """Call a tool over 32 connections at once; each answer must be good.

    Each connection sends an id of its own and another name with each call.

    Args:
        server: who is asked.
        count: calls over each.
        tool: one that takes what echo takes.
    """
    async with asyncio.TaskGroup() as group:
        for number in range(CONNECTIONS):
            group.create_task(_calls(server, count, tool, number))


async def _calls(server: Listening, count: int, tool: str, number: int) -> None:
    async with Connection(server.port, server.token) as connection:
        for turn in range(count):
            arguments = {**ARGUMENTS, "id": number, "name": f"Ada {turn}"}
            await connection.call(tool, arguments)


ROW = Row(
    name="governed read over HTTP, 2026-07-28",
    unit="CPU µs/call",
    measure=measure,
    first=(Goal("≤ 1.15 x lowlevel", LOWLEVEL, 1 / 1.15),),
    second=(
        Goal("≥ 4 x lowlevel", LOWLEVEL, 4),
        Goal("≥ 11 x FastMCP", FASTMCP, 11),
        Goal("≤ 1.8 x ASGI + orjson", FLOOR, 1 / 1.8),
    ),
)
