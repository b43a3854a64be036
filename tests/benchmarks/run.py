"""Measures this host beside its peers and prints how it stands."""

import os
import sys
import tempfile
import time
import traceback
from contextlib import ExitStack
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.process import pin
from benchmarks.report import fresh_log, report
from benchmarks.row import Done, Row
from benchmarks.rows import (
    appends,
    compact,
    dispatch,
    history,
    http_calls,
    http_listing,
    http_many,
    many,
    memory,
    pages,
    recall,
    register,
    stall,
    start,
    stdio_calls,
    stdio_listing,
    verification,
    veto,
    write,
)

ROWS = (
    dispatch.ROW,
    veto.ROW,
    many.ROW,
    register.ROW,
    http_calls.ROW,
    http_listing.ROW,
    http_many.ROW,
    stdio_calls.ROW,
    stdio_listing.ROW,
    start.ROW,
    stall.ROW,
    compact.ROW,
    write.ROW,
    *appends.ROWS,
    *history.ROWS,
    verification.ROW,
    memory.ROW,
    recall.ROW,
    *pages.ROWS,
)


def main() -> int:
    """Measure every row, or those whose names contain what is asked for.

    Returns:
        0 when all was measured, whether goals are met or not.
    """
    is_quick = os.environ.get("QUICK", "0") not in ("", "0")
    words = [word.lower() for word in sys.argv[1:]]
    rows = [row for row in ROWS if _is_asked_for(row, words)]
    if not rows:
        sys.stdout.write("no row has one of these words in its name; there are:\n")
        sys.stdout.writelines(f"  {row.name}\n" for row in ROWS)
        return 2
    pin(os.getpid(), first=False)
    begun = time.monotonic()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        log = fresh_log()
        bench = Bench(folder, log, stack, is_quick=is_quick)
        done = [_do(row, bench) for row in rows]
    seconds = time.monotonic() - begun
    report(done, is_quick=is_quick, seconds=seconds)
    return 1 if any(each.fault for each in done) else 0


def _is_asked_for(row: Row, words: list[str]) -> bool:
    return not words or any(word in row.name.lower() for word in words)


def _do(row: Row, bench: Bench) -> Done:
    """One row that fails does not keep the others from being measured."""
    begun = time.monotonic()
    try:
        done = Done(row, row.measure(bench))
    except Exception as error:
        traceback.print_exc()
        done = Done(row, fault=f"{type(error).__name__}: {error}")
    sys.stdout.write(f"{row.name}: {time.monotonic() - begun:.1f} s\n")
    sys.stdout.flush()
    return done


if __name__ == "__main__":
    sys.exit(main())
