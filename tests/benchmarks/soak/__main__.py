"""Soak a real host for a long time, and say what came of it."""

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from benchmarks.report import fresh_log
from benchmarks.soak.life import plan
from benchmarks.soak.soak import CALLERS, LISTENERS, Soak

SECONDS: Final = 1_800.0
SHORTEST: Final = 40.0
LONGEST: Final = 14_400.0


def main() -> int:
    """Soak for SOAK_SECONDS, by default half an hour.

    Returns:
        0 when nothing was lost, nothing lied and nothing grew.
    """
    seconds = float(os.environ.get("SOAK_SECONDS", SECONDS))
    seconds = min(max(seconds, SHORTEST), LONGEST)
    seed = int(os.environ.get("SOAK_SEED", time.time_ns() // 1_000_000_000))
    lives = plan(seconds, seed)
    sys.stdout.write(
        f"{CALLERS + LISTENERS} clients, {len(lives)} processes, a switch a second, "
        f"{seconds:g} s, SOAK_SEED={seed}\n"
    )
    sys.stdout.flush()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        soak = Soak(Path(folder).resolve(), fresh_log(), lives)
        begun = time.monotonic()
        asyncio.run(soak.run())
        _tell(soak, time.monotonic() - begun)
    return 1 if _faults(soak) else 0


def _tell(soak: Soak, seconds: float) -> None:
    samples, counts = soak.service.samples, soak.tally.counts
    lines = [
        samples.table() if samples else "",
        soak.tally.table(),
        "",
        ", ".join(f"{kind} {number:,}" for kind, number in counts.most_common()),
        *(f"{word}: {figure}" for word, figure in soak.told.items()),
        f"{seconds:.0f} s",
        *_faults(soak),
        "failed" if _faults(soak) else "nothing lost, no lie, no growth",
    ]
    sys.stdout.write("\n".join(lines) + "\n")


def _faults(soak: Soak) -> list[str]:
    samples = soak.service.samples
    grown = samples.faults() if samples else ["no sample was taken"]
    return [*soak.faults.lines(), *(f"FAULT: {each}" for each in grown)]


if __name__ == "__main__":
    sys.exit(main())
