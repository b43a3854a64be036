"""Writes over HTTP with policies, a hash chain, and a durable intent and outcome."""

import asyncio
import statistics
import time
from functools import partial

from benchmarks.bench import Bench
from benchmarks.process import cpu_seconds
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.rows.http_calls import ABILITIES, CONNECTIONS, load
from benchmarks.servers import NAIVE, NAIVE_APART, Listening, http

ACT = "this host, nothing captured"
UNLOCKED = "the same without a lock"
FLAW = "without a lock, a commit that fails has told others that theirs is durable; "


def measure(bench: Bench) -> Measured:
    """Load each server in turn; this host twice, also with a write to no target."""
    loads = _loads(bench)
    for each in loads.values():
        each.per_second(4)
    count = bench.pick(6, 15)
    measured = bench.compare(
        {who: partial(each.per_second, count) for who, each in loads.items()},
        rounds=bench.pick(3, 6),
        is_rate=True,
    )
    told = ", ".join(f"{who} {each.cpu_us():,.0f}" for who, each in loads.items())
    flaw = FLAW if UNLOCKED in loads else ""
    return measured.remarked(
        "wall time; only this host captures the target before and after, and records "
        f"what changed; {flaw}CPU µs/call of the server: {told}"
    )


def _loads(bench: Bench) -> dict[str, "Load"]:
    whom = bench.pick((HERE, NAIVE_APART), (HERE, NAIVE_APART, NAIVE))
    servers = bench.together(
        {who: partial(http, bench, who, ABILITIES, "writing") for who in whom}
    )
    loads = {
        HERE: Load(servers[HERE], "bench_write"),
        ACT: Load(servers[HERE], "bench_act"),
        NAIVE_APART: Load(servers[NAIVE_APART], "bench_write"),
    }
    if NAIVE in servers:
        loads[UNLOCKED] = Load(servers[NAIVE], "bench_write")
    return loads


class Load:
    """Writes to one server.

    Args:
        server: who is asked.
        tool: that writes.
    """

    def __init__(self, server: Listening, tool: str) -> None:
        self._server = server
        self._tool = tool
        self._cpu: list[float] = []

    def per_second(self, count: int) -> float:
        """Give the calls that were answered in a second.

        Args:
            count: calls over each of 32 connections.

        Returns:
            By wall time: both sides wait for the disk.
        """
        pid, calls = self._server.process.pid, count * CONNECTIONS
        cpu, start = cpu_seconds(pid), time.perf_counter()
        asyncio.run(load(self._server, count, self._tool))
        taken = time.perf_counter() - start
        self._cpu.append((cpu_seconds(pid) - cpu) / calls * 1e6)
        return calls / taken

    def cpu_us(self) -> float:
        """Give the median of the server's processor time for each call."""
        return statistics.median(self._cpu)


ROW = Row(
    name="write, 3 vetoes, hash chain, durable intent and outcome, 32 clients",
    unit="calls/s",
    measure=measure,
    first=(Goal("≥ 1.5 x naive composition, a commit a row", NAIVE_APART, 1.5),),
    second=(Goal("≥ 9 x naive composition, a commit a row", NAIVE_APART, 9),),
)
