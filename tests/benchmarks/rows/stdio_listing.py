"""Listings over stdio: the server's processor time for each."""

from functools import partial

from benchmarks.bench import Bench
from benchmarks.row import HERE, Measured, Row
from benchmarks.rows.stdio_calls import ABILITIES
from benchmarks.servers import FASTMCP, LOWLEVEL, MCPSERVER, stdio
from benchmarks.stdio_client import StdioClient
from benchmarks.wire import result_of


def measure(bench: Bench) -> Measured:
    """Ask each server in turn."""
    whom = bench.pick((HERE, LOWLEVEL), (HERE, LOWLEVEL, MCPSERVER, FASTMCP))
    clients = bench.together(
        {who: partial(stdio, bench, who, ABILITIES) for who in whom}
    )
    for client in clients.values():
        _check(client)
    return bench.compare(
        {
            who: partial(_each_us, client, bench.pick(8, 30))
            for who, client in clients.items()
        },
        rounds=bench.pick(3, 9),
        remark="the SDK writes the lines; the finished form helps up to there",
    )


def _check(client: StdioClient) -> None:
    tools = result_of(client.list_tools())["tools"]
    if len(tools) != ABILITIES:
        msg = f"a listing has {len(tools)} tools, not {ABILITIES}"
        raise ValueError(msg)


def _each_us(client: StdioClient, count: int) -> float:
    start = client.cpu()
    for _ in range(count):
        client.list_tools()
    return (client.cpu() - start) / count * 1e6


ROW = Row(
    name="tools/list, 165 abilities, stdio", unit="CPU µs/listing", measure=measure
)
