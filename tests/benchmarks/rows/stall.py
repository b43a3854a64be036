"""The longest time for which a listing keeps the loop from everything else."""

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.bench import Bench
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.servers import LOWLEVEL, stdio
from benchmarks.stdio_client import StdioClient
from benchmarks.wire import LEGACY

ABILITIES = 1_000
SEARCH = {"search": "collection 7", "limit": 200}


def measure(bench: Bench) -> Measured:
    """List in both eras, the first time too, and through the compact server."""
    clients = bench.together(
        {
            "ours": partial(stdio, bench, HERE, ABILITIES),
            "ours, earlier": partial(stdio, bench, HERE, ABILITIES, version=LEGACY),
            "compact": partial(stdio, bench, HERE, ABILITIES, is_compact=True),
            "theirs": partial(stdio, bench, LOWLEVEL, ABILITIES),
        }
    )
    ours = [clients["ours"], clients["ours, earlier"]]
    first = max(map(_stall_ms, ours))
    later = bench.compare(
        {
            HERE: lambda: max([*map(_stall_ms, ours), _found_ms(clients["compact"])]),
            LOWLEVEL: lambda: _stall_ms(clients["theirs"]),
        },
        rounds=bench.pick(3, 15),
    )
    usual = later.figures[HERE]
    return Measured(
        {**later.figures, HERE: max(first, usual)},
        remark=f"the first listing {first:.1f} ms, later ones {usual:.1f} ms; the "
        "worse counts; wall time, so it also sees what else the machine does",
        spread=later.spread,
    )


def _stall_ms(client: StdioClient) -> float:
    return _stalled(lambda: client.call("bench_stall", {}), client.list_tools)


def _found_ms(client: StdioClient) -> float:
    """A compact server lists by search, and leads to the probe by its route."""
    route = {"name": "bench/stall", "arguments": {}}
    return _stalled(
        lambda: client.call("dispatcher_call-tool", route),
        lambda: client.call("dispatcher_list-tools", SEARCH),
    )


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
