"""Asked: what the address of a page asks for, read with care."""

import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from abilities_host.errors import CallError

_AGO: Final = re.compile(r"([0-9]{1,9})([smhd])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_MICROSECONDS: Final = 1_000_000
_LARGEST: Final = 2**63 - 1
_DIGITS: Final = 19
LONGEST: Final = 300


class NotUnderstood(CallError):
    """A filter of a page is nothing that can be looked for."""

    code = "filter_invalid"

    def __init__(self, name: str, example: str) -> None:
        super().__init__(f"{name} is not understood. Write it like {example}.")


def given(query: Mapping[str, str], *names: str) -> dict[str, str]:
    """Give the filters that are filled in.

    Args:
        query: of the address.
        names: of the filters.

    Returns:
        Name to value, without blanks around it, 300 characters at most.
    """
    found = {name: query.get(name, "").strip()[:LONGEST] for name in names}
    return {name: value for name, value in found.items() if value}


def number(query: Mapping[str, str], name: str) -> int | None:
    """Read the number of an entry, such as that of the page before.

    Args:
        query: of the address.
        name: of the value.

    Returns:
        At least 1; None when it is not there, or is no such number.
    """
    written = query.get(name, "")
    is_number = written.isascii() and written.isdigit() and len(written) <= _DIGITS
    value = int(written) if is_number else 0
    return value if 0 < value <= _LARGEST else None


def moment_asked(written: str, name: str, *, now: float | None = None) -> int:
    """Read a time, or how long ago it was.

    Args:
        written: ``30s``, ``10m``, ``1h``, ``7d``, or ISO 8601; UTC without a zone.
        name: what the person calls it.
        now: seconds since 1970; None for now.

    Returns:
        Microseconds since 1970.

    Raises:
        NotUnderstood: when it is neither.
    """
    if match := _AGO.fullmatch(written):
        ago = int(match[1]) * _SECONDS[match[2]]
        seconds = max(0.0, (time.time() if now is None else now) - ago)
        return int(seconds * _MICROSECONDS)
    try:
        when = datetime.fromisoformat(written)
        zoned = when if when.tzinfo else when.replace(tzinfo=UTC)
        return int(zoned.timestamp() * _MICROSECONDS)
    except (ValueError, OverflowError):
        raise NotUnderstood(name, "2026-11-30T14:05, or 2h or 7d for ago") from None
