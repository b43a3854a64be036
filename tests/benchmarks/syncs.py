"""Syncs: how often a process made the disk keep what it wrote."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

CALLS: Final = ("fsync", "fdatasync")
TRACED_COLUMN: Final = 3


def tracer(summary: Path) -> list[str]:
    """Give the command that counts, to be put before another.

    Args:
        summary: the file that the count goes to.

    Returns:
        Nothing where there is no such command, or where nobody may be traced.
    """
    command = ["strace", "-f", "-c", "-e", f"trace={','.join(CALLS)}", "-o"]
    if shutil.which(command[0]) is None:
        return []
    trial = [*command, str(summary), sys.executable, "-c", ""]
    is_allowed = subprocess.run(trial, capture_output=True, check=False).returncode == 0
    return [*command, str(summary)] if is_allowed else []


def count(summary: Path) -> int:
    """Read how many there were.

    Args:
        summary: written by the command that `tracer` gave.

    Returns:
        Calls of all threads.
    """
    lines = [line.split() for line in summary.read_text(encoding="utf-8").splitlines()]
    told = [line for line in lines if line and line[-1] in CALLS]
    return sum(int(line[TRACED_COLUMN]) for line in told)
