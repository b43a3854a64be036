"""Registering 10,000 abilities, every check included; each in a fresh process."""

import statistics
from typing import Any

import orjson
from benchmarks.bench import Bench
from benchmarks.process import started
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.servers import FASTMCP, MCPSERVER

MANY = 10_000


def measure(bench: Bench) -> Measured:
    """Register all here, and as many elsewhere as one can wait for."""
    here, peers = bench.pick(1_000, MANY), bench.pick(200, 1_000)
    ours = [_registered(bench, "ours", here) for _ in range(bench.pick(1, 3))]
    tenth = _registered(bench, "ours", here // 10)
    taken = statistics.median(each["seconds"] for each in ours)
    figures = {HERE: taken * MANY / here}
    for who in bench.pick((MCPSERVER,), (MCPSERVER, FASTMCP)):
        each = _registered(bench, who, peers)
        figures[who] = each["seconds"] * MANY / peers
    growth = taken / (10 * tenth["seconds"])
    kilobytes = statistics.median(each["kilobytes"] for each in ours) / here
    return Measured(
        figures,
        remark=f"measured at {here:,} here and at {peers:,} of the peers, times "
        f"{MANY // here} and {MANY // peers} (FastMCP's cost grows faster); here, of "
        f"{here:,} each takes {growth:.2f} times as long as of {here // 10:,}, and "
        f"{kilobytes:.1f} kB of memory",
        spread={HERE: [each["seconds"] for each in ours], "kB each": [kilobytes]},
    )


def _registered(bench: Bench, who: str, abilities: int) -> dict[str, Any]:
    arguments = ["-m", "benchmarks.peers.registering", who, str(abilities)]
    with started(arguments, bench.log) as process:
        told, _ = process.communicate()
    result: dict[str, Any] = orjson.loads(told)
    return result


ROW = Row(
    name="register 10,000 abilities",
    unit="CPU s",
    measure=measure,
    first=(Goal("≤ 2 s", "", 2),),
    second=(Goal("≤ 1 s", "", 1),),
)
