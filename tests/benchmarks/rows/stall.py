"""The longest time for which a listing keeps the loop from everything else."""

from functools import partial

from benchmarks.bench import Bench
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.servers import LOWLEVEL, stdio
from benchmarks.stdio_client import StdioClient
from benchmarks.wire import LEGACY, MODERN

ABILITIES = 1_000
SEARCH = {"query": "collection 7"}


def measure(bench: Bench) -> Measured:
    """List in both eras, the first time too, and through the compact server."""
    ours = _eras(bench, HERE)
    compact = stdio(bench, HERE, ABILITIES, is_compact=True)
    theirs = _eras(bench, LOWLEVEL)
    first = max(_stall_ms(client) for client in ours)
    measured = bench.compare(
        {
            HERE: lambda: max([*map(_stall_ms, ours), _found_ms(compact)]),
            LOWLEVEL: lambda: max(map(_stall_ms, theirs)),
        },
        rounds=bench.pick(3, 15),
    )
    worst = max(first, measured.figures[HERE])
    return Measured(
        {**measured.figures, HERE: worst},
        remark=f"first listing {first:.1f} ms, later "
        f"{measured.figures[HERE]:.1f} ms; the worse counts; wall time, so it also "
        "sees what else the machine does",
        spread=measured.spread,
    )


def _eras(bench: Bench, who: str) -> list[StdioClient]:
    return [stdio(bench, who, ABILITIES, version=each) for each in (MODERN, LEGACY)]


def _stall_ms(client: StdioClient) -> float:
    return _stalled(client, "bench_stall", client.list_tools)


def _found_ms(client: StdioClient) -> float:
    """A compact server lists by search, and leads to the probe by its route."""
    inner = partial(client.call, "dispatcher_list-tools", SEARCH)
    return _stalled(client, "dispatcher_call-tool", inner)
