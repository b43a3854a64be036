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
    Listening,
    http,
)
from benchmarks.world import ARGUMENTS

ABILITIES = 165
CONNECTIONS = 32


def measure(bench: Bench) -> Measured:
    """Load each server in turn; it does not matter how fast they are asked."""
    whom = (HERE, LOWLEVEL, MCPSERVER, FASTMCP, FLOOR)
    servers = bench.together(
        {who: partial(http, bench, who, ABILITIES) for who in whom}
    )
    for server in servers.values():
        each_us(server, 4)
    count = bench.pick(6, 30)
    return bench.compare(
        {who: partial(each_us, server, count) for who, server in servers.items()},
        rounds=bench.pick(4, 7),
        remark="same mode everywhere (json_response=False); only this host asks for a "
        "token, checks both ways and asks a permission",
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
    asyncio.run(_load(server, count))
    taken = cpu_seconds(server.process.pid) - start
    return taken / (count * CONNECTIONS) * 1e6


async def _load(server: Listening, count: int) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(_calls(server, count))


async def _calls(server: Listening, count: int) -> None:
    async with Connection(server.port, server.token) as connection:
        for _ in range(count):
            await connection.call("bench_echo", ARGUMENTS)


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
