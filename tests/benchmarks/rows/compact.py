"""How many bytes a compact server lists, whatever the number of abilities."""

import orjson

from benchmarks.bench import Bench
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.servers import stdio
from benchmarks.wire import LEGACY, MODERN, result_of


def measure(bench: Bench) -> Measured:
    """Take the largest listing of few and many abilities, in both eras."""
    sizes: dict[str, list[float]] = {HERE: []}
    for abilities in (3, 1_000):
        for version in (MODERN, LEGACY):
            client = stdio(bench, HERE, abilities, version=version, is_compact=True)
            tools = result_of(client.list_tools())["tools"]
            sizes[HERE].append(len(orjson.dumps(tools)))
    return Measured(
        {HERE: max(sizes[HERE])},
        remark="the tools of 3 and 1,000 abilities in both eras; the largest",
        spread=sizes,
    )


ROW = Row(
    name="compact listing",
    unit="bytes",
    measure=measure,
    first=(Goal("≤ 1.2 kB", "", 1_200),),
    second=(Goal("≤ 1.2 kB", "", 1_200),),
)
