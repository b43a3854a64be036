"""Listings over HTTP, 2026-07-28: the server's processor time for each."""

import asyncio
from functools import partial

from benchmarks.bench import Bench
from benchmarks.http_client import Connection
from benchmarks.process import cpu_seconds
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.rows.http_calls import ABILITIES
from benchmarks.servers import FASTMCP, LOWLEVEL, MCPSERVER, Listening, http
from benchmarks.wire import result_of

CONNECTIONS = 8


def measure(bench: Bench) -> Measured:
    """Ask each server in turn, over eight connections."""
    whom = bench.pick((HERE, LOWLEVEL), (HERE, LOWLEVEL, MCPSERVER, FASTMCP))
    servers = bench.together(
        {who: partial(http, bench, who, ABILITIES) for who in whom}
    )
    for server in servers.values():
        _each_us(server, 1)
    count = bench.pick(2, 6)
    return bench.compare(
        {who: partial(_each_us, server, count) for who, server in servers.items()},
        rounds=bench.pick(3, 5),
        remark="about 120 kB each",
    )


def _each_us(server: Listening, count: int) -> float:
    start = cpu_seconds(server.process.pid)
    asyncio.run(_load(server, count))
    taken = cpu_seconds(server.process.pid) - start
    return taken / (count * CONNECTIONS) * 1e6


async def _load(server: Listening, count: int) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(_listings(server, count))


async def _listings(server: Listening, count: int) -> None:
    async with Connection(server.port, server.token) as connection:
        for _ in range(count):
            found = len(result_of(await connection.list_tools())["tools"])
            if found != ABILITIES:
                msg = f"a listing has {found} tools, not {ABILITIES}"
                raise ValueError(msg)


ROW = Row(
    name="tools/list, 165 abilities, HTTP, 2026-07-28",
    unit="CPU µs/listing",
    measure=measure,
    first=(Goal("≥ 2 x lowlevel", LOWLEVEL, 2),),
    second=(Goal("≥ 90 x lowlevel", LOWLEVEL, 90),),
)
