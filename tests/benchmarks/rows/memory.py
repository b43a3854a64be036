"""What a host holds more after many recorded writes."""

import os
import tempfile
from typing import Final

import orjson
from benchmarks.bench import Bench
from benchmarks.process import started
from benchmarks.row import HERE, Measured, Row

CALLS: Final = 100_000


def measure(bench: Bench) -> Measured:
    """Write as many times as asked for, or as the time allows."""
    seconds = float(os.environ.get("BENCH_SECONDS") or bench.pick(3, 100))
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        arguments = [f"{folder}/host", str(CALLS), str(seconds)]
        with started(["-m", "benchmarks.peers.governing", *arguments], bench.log) as p:
            written, _ = p.communicate()
    told = orjson.loads(written)
    grown = told["after_kb"] - told["before_kb"]
    each = told["cpu"] / told["more"] * 1e6
    return Measured(
        {HERE: grown},
        remark=f"from {told['before_kb']:,} kB after the first {told['warm']:,} writes "
        f"to {told['after_kb']:,} kB after {told['more']:,} more, which is what "
        f"{seconds:g} s or {CALLS:,} calls allow; in process, 32 writers, three "
        f"policies: {each:,.0f} CPU µs/call",
        spread={"CPU µs/call": [each]},
    )


ROW = Row(name="memory that 100,000 recorded writes leave", unit="kB", measure=measure)
