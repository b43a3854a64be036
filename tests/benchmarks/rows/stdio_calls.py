"""Calls over stdio, many under way at once: the server's processor time for each."""

from functools import partial

from benchmarks.bench import Bench
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.servers import FASTMCP, LOWLEVEL, MCPSERVER, NAIVE, stdio
from benchmarks.stdio_client import StdioClient
from benchmarks.world import ARGUMENTS

ABILITIES = 165
UNDER_WAY = 32


def measure(bench: Bench) -> Measured:
    """Flood each server in turn."""
    whom = bench.pick((HERE, LOWLEVEL), (HERE, LOWLEVEL, MCPSERVER, FASTMCP, NAIVE))
    clients = bench.together(
        {who: partial(stdio, bench, who, ABILITIES) for who in whom}
    )
    count = bench.pick(200, 600)
    for client in clients.values():
        _each_us(client, 64)
    return bench.compare(
        {who: partial(_each_us, client, count) for who, client in clients.items()},
        rounds=bench.pick(3, 5),
    )


def _each_us(client: StdioClient, count: int) -> float:
    start = client.cpu()
    client.flood("bench_echo", ARGUMENTS, count=count, under_way=UNDER_WAY)
    return (client.cpu() - start) / count * 1e6


ROW = Row(
    name="stdio call, 32 in flight",
    unit="CPU µs/call",
    measure=measure,
    first=(Goal("≤ 1.10 x lowlevel", LOWLEVEL, 1 / 1.10),),
    second=(Goal("≥ 45 x lowlevel", LOWLEVEL, 45),),
)
