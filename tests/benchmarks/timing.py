"""Timing: the processor time of calls inside this process."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

Once = Callable[[], Awaitable[Any]]


async def each_us(once: Once, count: int) -> float:
    """Give the microseconds of processor time that each of many calls takes."""
    start = time.process_time()
    for _ in range(count):
        await once()
    return (time.process_time() - start) / count * 1e6


def check(*, is_good: bool) -> None:
    """Refuse to time calls that are refused."""
    if not is_good:
        msg = "the call that is to be timed does not succeed"
        raise ValueError(msg)
