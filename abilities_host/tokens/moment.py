"""Moment: a time in microseconds since 1970, UTC, as every table keeps it."""

import time
from typing import Final

SECOND: Final = 1_000_000
MINUTE: Final = 60 * SECOND
DAY: Final = 86_400 * SECOND


def now() -> int:
    """Give the time.

    Returns:
        Microseconds since 1970, UTC.
    """
    return time.time_ns() // 1000
