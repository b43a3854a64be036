"""Moments: microseconds since 1970, as they are kept, and what is shown of them."""

from datetime import UTC, datetime, timedelta
from typing import Final

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
DAY: Final = 86_400_000_000
"""Microseconds."""


def moment_of(micros: int) -> datetime:
    """Give the moment, exact to the microsecond, in UTC."""
    return EPOCH + timedelta(microseconds=micros)


def micros_of(moment: datetime) -> int:
    """Give microseconds since 1970.

    Args:
        moment: with a time zone.

    Returns:
        As moments are kept.
    """
    return (moment - EPOCH) // timedelta(microseconds=1)


def written(micros: int) -> str:
    """Write a moment in ISO 8601, to the second, with Z."""
    return moment_of(micros).strftime("%Y-%m-%dT%H:%M:%SZ")


def age_in_days(micros: int, now: int) -> int:
    """Say how many whole days ago a moment was, 0 for one to come."""
    return max(now - micros, 0) // DAY
