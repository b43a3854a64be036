"""Traceparent: the id of a trace, as a client sends it along."""

import re
from functools import lru_cache
from typing import Any, Final

HEADER: Final = "traceparent"
STATE: Final = "tracestate"
_LONGEST: Final = 256
_FIRST_VERSION: Final = 55  # characters; later versions may add to it
_SHAPE: Final = re.compile(
    "(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?"
)


def trace_of(written: Any) -> str:
    """Read the id of the trace that a request belongs to.

    Args:
        written: a W3C ``traceparent``, or whatever came in its place.

    Returns:
        32 hexadecimal digits; empty when it is none.
    """
    if not isinstance(written, str) or not 0 < len(written) <= _LONGEST:
        return ""
    return _read(written)


@lru_cache(maxsize=1_000)
def _read(written: str) -> str:
    match = _SHAPE.fullmatch(written)
    is_first = written.startswith("00")
    if match is None or (is_first and len(written) > _FIRST_VERSION):
        return ""
    return match[1]
