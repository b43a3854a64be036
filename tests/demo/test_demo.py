"""The demonstration tells its story to the end, and fails where it is not so."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]


def tell(**variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "demo"],
        env={**os.environ, "PYTHONPATH": str(TESTS), **variables},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=55,
    )


def test_the_story_is_told_to_its_end() -> None:
    told = tell()

    assert (told.returncode, told.stderr) == (0, "")
    last = "* Every sentence above was checked while it was told."
    assert told.stdout.rstrip().endswith(last)
    for sentence in (
        "Ada speaks the protocol of 2026-07-28, with the first one.",
        "Bert speaks that of 2025-11-25, with the second one.",
        "The disk says now: 'Buy milk'.",
        "She calls it all the same, and is told: Unknown tool: files_delete",
        "Put back: files:notes/today.md",
        "The disk says again: 'Buy milk'. And the record is whole:",
        "Both ended in order.",
    ):
        assert sentence in told.stdout


def test_a_story_that_is_not_so_is_an_error_in_one_line() -> None:
    told = tell(ABILITIES_READ_ONLY="1")

    broken = "The story broke: it is not so that Ada sees files_write.\n"
    assert (told.returncode, told.stderr) == (1, broken)
