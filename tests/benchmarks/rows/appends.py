"""Durable appends by one writer and by many, beside one commit for each row."""

import statistics
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import orjson
from benchmarks.bench import Bench
from benchmarks.process import started
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.syncs import count, tracer

APART: Final = "one commit per row"
TOGETHER: Final = "aiosqlite, commits not kept apart"
KEEPERS: Final[Mapping[str, str]] = {HERE: "book", APART: "apart", TOGETHER: "together"}
MANY: Final = 64


def measure(bench: Bench, *, writers: int) -> Measured:
    """Let each append for the same time, in a process and a file of its own."""
    seconds = bench.pick(0.3, 0.8)
    spent: dict[str, list[float]] = {who: [] for who in KEEPERS}

    def per_second(who: str) -> float:
        told = _appended(bench, KEEPERS[who], writers, seconds)
        spent[who].append(told["cpu"] / told["rows"] * 1e6)
        return told["rows"] / told["seconds"]

    measured = bench.compare(
        {who: partial(per_second, who) for who in KEEPERS},
        rounds=bench.pick(1, 3),
        is_rate=True,
    )
    cpu = {who: statistics.median(each) for who, each in spent.items()}
    told = ", ".join(f"{who} {each:,.0f}" for who, each in cpu.items())
    return measured.remarked(f"wall time; CPU µs/row: {told}")


def measure_syncs(bench: Bench) -> Measured:
    """Count what is written and how often the disk is made to keep it."""
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        summary = Path(folder) / "syncs"
        if not (under := tracer(summary)):
            return Measured({}, remark="it takes strace, and the right to trace")
        return bench.compare(
            {
                who: partial(_rows_per_sync, bench, keeper, summary, under)
                for who, keeper in KEEPERS.items()
            },
            rounds=1,
            is_rate=True,
            remark="under strace, which makes a sync slower",
        )


def _rows_per_sync(
    bench: Bench, keeper: str, summary: Path, under: Sequence[str]
) -> float:
    """Count system calls, and take off those of opening."""
    _appended(bench, keeper, MANY, 0.0, under)
    of_opening = count(summary)
    told = _appended(bench, keeper, MANY, bench.pick(0.2, 1.0), under)
    return told["rows"] / (count(summary) - of_opening)


def _appended(
    bench: Bench,
    keeper: str,
    writers: int,
    seconds: float,
    under: Sequence[str] = (),
) -> dict[str, float]:
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        asked = [keeper, str(writers), str(seconds), folder]
        arguments = ["-m", "benchmarks.peers.appending", *asked]
        with started(arguments, bench.log, under) as process:
            told, _ = process.communicate()
    result: dict[str, float] = orjson.loads(told)
    return result


def _row(
    writers: int, first: tuple[Goal, ...] = (), second: tuple[Goal, ...] = ()
) -> Row:
    return Row(
        name=f"ledger append, FULL, {writers} writer{'s' if writers > 1 else ''}",
        unit="rows/s",
        measure=partial(measure, writers=writers),
        first=first,
        second=second,
    )


ROWS = (
    _row(1),
    _row(8),
    _row(
        MANY,
        first=(Goal("≥ 10 x one commit per row", APART, 10),),
        second=(Goal("≥ 30 x one commit per row", APART, 30),),
    ),
    Row(
        name=f"ledger append, FULL, {MANY} writers, for each sync of the disk",
        unit="rows",
        measure=measure_syncs,
        second=(Goal("≥ 12", "", 12),),
    ),
)
