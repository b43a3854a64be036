"""The longest time for which a listing keeps the loop from everything else."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.bench import Bench
from benchmarks.http_client import Connection
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.servers import LOWLEVEL, Listening, http, stdio
from benchmarks.stdio_client import StdioClient
from benchmarks.wire import LEGACY

ABILITIES = 1_000
SEARCH = {"search": "collection 7", "limit": 200}

Listings = list[Callable[[], float]]


def measure(bench: Bench) -> Measured:
    """List in both eras, by both transports, and by search; the first time too.

    A quick run lists in the later era only, and does not search.
    """
    ours, theirs = bench.pick(_some, _all)(bench)
    first = _worst(ours)
    later = bench.compare(
        {HERE: partial(_worst, ours), LOWLEVEL: partial(_worst, theirs)},
        rounds=bench.pick(3, 15),
    )
    usual = later.figures[HERE]
    return Measured(
        {**later.figures, HERE: max(first, usual)},
        remark=f"the first listing {first:.1f} ms, later ones {usual:.1f} ms; the "
        "worse counts; wall time, so it also sees what else the machine does",
        spread=later.spread,
    )


def _all(bench: Bench) -> tuple[Listings, Listings]:
    clients = bench.together(
        {
            "ours": partial(stdio, bench, HERE, ABILITIES),
            "ours, earlier": partial(stdio, bench, HERE, ABILITIES, version=LEGACY),
            "compact": partial(stdio, bench, HERE, ABILITIES, kind="compact"),
            "theirs": partial(stdio, bench, LOWLEVEL, ABILITIES),
        }
    )
    over_http = bench.together(
        {who: partial(http, bench, who, ABILITIES) for who in (HERE, LOWLEVEL)}
    )
    ours: Listings = [
        partial(_stall_ms, clients["ours"]),
        partial(_stall_ms, clients["ours, earlier"]),
        partial(_found_ms, clients["compact"]),
        partial(_over_http_ms, over_http[HERE]),
    ]
    theirs: Listings = [
        partial(_stall_ms, clients["theirs"]),
        partial(_over_http_ms, over_http[LOWLEVEL]),
    ]
    return ours, theirs


def _some(bench: Bench) -> tuple[Listings, Listings]:
    clients = bench.together(
        {who: partial(stdio, bench, who, ABILITIES) for who in (HERE, LOWLEVEL)}
    )
    over_http = http(bench, HERE, ABILITIES)
    ours: Listings = [
        partial(_stall_ms, clients[HERE]),
        partial(_over_http_ms, over_http),
    ]
    return ours, [partial(_stall_ms, clients[LOWLEVEL])]


def _worst(listings: Listings) -> float:
    return max(each() for each in listings)


def _stall_ms(client: StdioClient) -> float:
    return _stalled(lambda: client.call("bench_stall", {}), client.list_tools)


def _found_ms(client: StdioClient) -> float:
    """A compact server lists by search, and leads to the probe by its route."""
    route = {"name": "bench/stall", "arguments": {}}
    return _stalled(
        lambda: client.call("dispatcher_call-tool", route),
        lambda: client.call("dispatcher_list-tools", SEARCH),
    )


def _over_http_ms(server: Listening) -> float:
    return asyncio.run(_over_http(server))


async def _over_http(server: Listening) -> float:
    async with Connection(server.port, server.token) as connection:
        await connection.call("bench_stall", {})
        await connection.list_tools()
        told = await connection.call("bench_stall", {})
    return float(told["number"])


def _stalled(probe: Callable[[], Any], work: Callable[[], Any]) -> float:
    probe()
    work()
    return float(probe()["number"])


ROW = Row(
    name="worst stall of the loop by a listing, 1,000 abilities",
    unit="ms",
    measure=measure,
    first=(Goal("≤ 50 ms", "", 50),),
    second=(Goal("≤ 3 ms", "", 3),),
)
