"""Duration: how long something lasts, as a person writes it."""

import re
from datetime import date
from typing import Final

import typer

from abilities_host.tokens.moment import DAY, SECOND

LONGEST_DAYS: Final = 36_500

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_DURATION: Final = re.compile(r"([0-9]{1,10})([smhdw])")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_FIRST: Final = date(1970, 1, 1).toordinal()
_PLURALS: Final = (
    (86_400, "day"),
    (3600, "hour"),
    (60, "minute"),
    (1, "second"),
)


def seconds_of(written: str) -> int:
    """Read a duration.

    Args:
        written: a whole number and one of s, m, h, d, w.

    Returns:
        Seconds, at most 100 years.

    Raises:
        typer.BadParameter: when it is none.
    """
    match = _DURATION.fullmatch(written)
    seconds = int(match[1]) * _UNITS[match[2]] if match else -1
    if 0 <= seconds <= LONGEST_DAYS * _UNITS["d"]:
        return seconds
    raise typer.BadParameter(
        f"{written!r} is no duration, such as 30d, 12h or 90m, of at most 100 years."
    )


def end_of(written: str, now: int) -> int:
    """Read when something ends.

    Args:
        written: a duration from now on, or the last day on which it is valid, in UTC.
        now: microseconds since 1970.

    Returns:
        Microseconds since 1970, later than now.

    Raises:
        typer.BadParameter: when it is neither, or over.
    """
    if not _DATE.fullmatch(written):
        end = now + seconds_of(written) * SECOND
    else:
        end = (_day(written) - _FIRST + 1) * DAY
    if now < end <= now + (LONGEST_DAYS + 1) * DAY:
        return end
    raise typer.BadParameter(f"{written!r} is over, or more than 100 years away.")


def _day(written: str) -> int:
    try:
        return date.fromisoformat(written).toordinal()
    except ValueError:
        raise typer.BadParameter(f"{written!r} is no day, such as 2027-01-31.") from (
            None
        )


def spoken(microseconds: int) -> str:
    """Say roughly how long something lasts.

    Args:
        microseconds: not negative.

    Returns:
        Such as ``30 days``, rounded, in the largest unit that fits once.
    """
    seconds = microseconds // SECOND
    for length, unit in _PLURALS:
        if seconds >= length:
            count = (seconds + length // 2) // length
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "less than a second"


def until(moment: int | None, now: int) -> str:
    """Say when something is, seen from now.

    Args:
        moment: microseconds since 1970; None for never.
        now: likewise.

    Returns:
        ``never``, ``in 29 days`` or ``3 hours ago``.
    """
    if moment is None:
        return "never"
    if moment > now:
        return f"in {spoken(moment - now)}"
    return f"{spoken(now - moment)} ago"
