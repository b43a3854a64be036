"""Samples: what a server holds from time to time, and whether it grows."""

import statistics
import time
from typing import Final, NamedTuple

from benchmarks.process import open_files, resident_kb, threads_of

PART: Final = 4
"""Growth is from the second quarter, when all is warm, to the last."""


class Sample(NamedTuple):
    """What a server held at one moment."""

    seconds: float
    memory_kb: int
    files: int
    threads: int
    tasks: int


ALLOWED: Final = {"files": 4, "threads": 4, "tasks": 16}
MEMORY_SHARE: Final = 0.1


class Samples:
    """Takes samples of one process.

    Args:
        pid: whose.
    """

    def __init__(self, pid: int) -> None:
        self._pid: Final = pid
        self._begun: Final = time.monotonic()
        self._taken: Final[list[Sample]] = []

    def take(self, tasks: int) -> None:
        """Take one.

        Args:
            tasks: of the server's loop, as the server says.
        """
        pid = self._pid
        sample = Sample(
            time.monotonic() - self._begun,
            resident_kb(pid),
            open_files(pid),
            threads_of(pid),
            tasks,
        )
        self._taken.append(sample)

    def faults(self) -> list[str]:
        """Say what has grown, or that too little was seen to say so."""
        if len(self._taken) < 2 * PART:
            return [f"only {len(self._taken)} samples were taken"]
        early, late = self._quarters()
        allowed = {**ALLOWED, "memory_kb": MEMORY_SHARE * early["memory_kb"]}
        return [
            f"{name} grew from {early[name]:,.0f} to {late[name]:,.0f}"
            for name, more in allowed.items()
            if late[name] - early[name] > more
        ]

    def table(self) -> str:
        """Give the samples in columns."""
        lines = ["  second   memory kB   files   threads   tasks"]
        lines += [
            f"{each.seconds:8.0f} {each.memory_kb:11,} {each.files:7} "
            f"{each.threads:9} {each.tasks:7}"
            for each in self._taken
        ]
        return "\n".join([*lines, ""])

    def _quarters(self) -> tuple[dict[str, float], dict[str, float]]:
        size = len(self._taken) // PART
        early, late = self._taken[size : 2 * size], self._taken[-size:]
        return _medians(early), _medians(late)


def _medians(samples: list[Sample]) -> dict[str, float]:
    columns = zip(*samples, strict=True)
    names = Sample._fields
    return dict(zip(names, map(statistics.median, columns), strict=True))
