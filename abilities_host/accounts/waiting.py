"""Waiting: how long a name rests after tries that failed."""

from typing import Final

LONGEST: Final = 15 * 60
_FIRST: Final = 60
_DOUBLINGS: Final = 4


def seconds_after(failures: int) -> int:
    """Say how long the next try has to wait.

    Args:
        failures: in a row, at least 1.

    Returns:
        1, 2, 4, 8 and then always 15 minutes, in seconds.
    """
    return min(_FIRST << min(failures - 1, _DOUBLINGS), LONGEST)


def seconds_left(until: int, now: float) -> int:
    """Say how much of a wait is left.

    Args:
        until: when it ends, in seconds since 1970.
        now: the same.

    Returns:
        Whole seconds, 0 when the next try may be made.
    """
    left = -int(-(until - now) // 1)
    # Longer than any wait: the clock was set back, which must lock nobody out.
    return left if 0 < left <= LONGEST + _FIRST else 0
