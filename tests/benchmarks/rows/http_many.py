"""Calls over HTTP where 10,000 abilities are registered, beside where there are few."""

from functools import partial

from benchmarks.bench import Bench
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.rows.http_calls import ABILITIES, each_us
from benchmarks.servers import http

FEW = "with 165 abilities"


def measure(bench: Bench) -> Measured:
    """Load both servers in turn."""
    abilities = bench.pick(1_000, 10_000)
    servers = bench.together(
        {
            HERE: partial(http, bench, HERE, abilities),
            FEW: partial(http, bench, HERE, ABILITIES),
        }
    )
    for server in servers.values():
        each_us(server, 4)
    count = bench.pick(6, 20)
    return bench.compare(
        {who: partial(each_us, server, count) for who, server in servers.items()},
        rounds=bench.pick(4, 5),
        remark=f"{abilities:,} abilities; FastMCP 8.5 times, lowlevel without its "
        "look-up of schemas 3,200 times, where the design was made",
    )


ROW = Row(
    name="tools/call over HTTP at 10,000 abilities / at few",
    unit="CPU µs/call",
    measure=measure,
    first=(Goal("≤ 1.1 x with few", FEW, 1 / 1.1),),
    second=(Goal("≤ 1.1 x with few", FEW, 1 / 1.1),),
)
