"""From the start of a process to its first listing over stdio."""

import time
from functools import partial

from benchmarks.bench import Bench
from benchmarks.process import started
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.rows.stdio_calls import ABILITIES
from benchmarks.servers import FASTMCP, LOWLEVEL, MCPSERVER, site, stdio_arguments
from benchmarks.stdio_client import StdioClient
from benchmarks.wire import LEGACY, result_of


def measure(bench: Bench) -> Measured:
    """Start each in turn; the host's store exists from a start before these."""
    whom = bench.pick((HERE, LOWLEVEL), (HERE, LOWLEVEL, MCPSERVER, FASTMCP))
    arguments = {who: stdio_arguments(bench, who, ABILITIES) for who in whom}
    if not (site(bench, ABILITIES).parent / "abilities.db").exists():
        _once_ms(bench, arguments[HERE])
    return bench.compare(
        {who: partial(_once_ms, bench, each) for who, each in arguments.items()},
        rounds=bench.pick(2, 5),
        remark="wall time: initialize, then tools/list",
    )


def _once_ms(bench: Bench, arguments: list[str]) -> float:
    start = time.perf_counter()
    with started(arguments, bench.log) as process:
        client = StdioClient(process, LEGACY)
        client.open()
        answer = client.list_tools()
        taken = time.perf_counter() - start
    result_of(answer)
    return taken * 1e3


ROW = Row(
    name="start to first tools/list, 165 abilities, stdio",
    unit="ms",
    measure=measure,
    first=(Goal("≤ 1.15 x lowlevel", LOWLEVEL, 1 / 1.15),),
    second=(Goal("≤ 1/8 of lowlevel", LOWLEVEL, 8),),
)
