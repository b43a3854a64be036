"""How many bytes a compact server lists, whatever the number of abilities."""

import asyncio

import orjson
from benchmarks.bench import Bench
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.servers import site

from abilities_host.config import load_config
from abilities_host.opening import open_host
from abilities_host.server.eras import ERAS
from abilities_host.server.listing import Listing
from abilities_host.server.spec import following

COUNTS = (3, 1_000)


def measure(bench: Bench) -> Measured:
    """Take the largest listing of few and many abilities, in both eras."""
    with asyncio.Runner() as runner:
        sizes = [size for count in COUNTS for size in runner.run(_sizes(bench, count))]
    remark = "the tools of 3 and of 1,000 abilities, in both eras; the largest"
    return Measured({HERE: max(sizes)}, remark=remark, spread={HERE: sizes})


async def _sizes(bench: Bench, abilities: int) -> list[float]:
    config = site(bench, abilities, "compact")
    loaded = load_config(config, environ={}, cwd=config.parent)
    async with open_host(loaded) as host:
        listing = Listing(host, following(host))
        listings = [await listing.tools(era, host.actor("stdio")) for era in ERAS]
    if {len(tools) for tools in listings} != {3}:
        msg = "a compact server does not list three tools"
        raise ValueError(msg)
    return [len(orjson.dumps(tools)) for tools in listings]


ROW = Row(
    name="compact listing",
    unit="bytes",
    measure=measure,
    first=(Goal("≤ 1.2 kB", "", 1_200),),
    second=(Goal("≤ 1.2 kB", "", 1_200),),
)
