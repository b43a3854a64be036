"""Field limits: what a schema says of a value, as attributes of a field in HTML."""

import re
from collections.abc import Mapping
from math import ceil, floor, isfinite
from typing import Any, Final, TypeGuard

LARGEST: Final = 10**15
"""Bounds beyond it are left to the host: browsers count in floating point."""

PATTERN_LENGTH: Final = 300
_TEXTS: Final = ("line", "text", "secret")

_ESCAPES: Final = r"\\[dDwWsS.^$*+?()\[\]{}|/\\]"
_IN_CLASS: Final = r"[A-Za-z0-9_ ]|([.,:@+])(?!\1)|\\[dDwWsS.^$*+?()\[\]{}|/\\-]"
_CLASS: Final = rf"\[\^?(?:[A-Za-z0-9]-[A-Za-z0-9]|{_IN_CLASS})+\]"
_COUNT: Final = r"(?:[*+?]|\{\d{1,4}(?:,\d{0,4})?\})\??"
_ONE: Final = rf"(?:[A-Za-z0-9 _:,@#%=~\"'<>!;&-]|\.|{_ESCAPES}|{_CLASS})"
_EVERYWHERE: Final = re.compile(rf"(?:[\^$|]|\((?:\?:)?|(?:\)|{_ONE})(?:{_COUNT})?)*")
"""Patterns that mean the same to the host and to a browser, which knows flag `v`."""


def is_number(value: Any) -> TypeGuard[int | float]:
    """Answer whether a value is a number of JSON; True and False are none."""
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return is_one and isfinite(value)


def limits_of(node: Mapping[str, Any], kind: str) -> Mapping[str, str]:
    """Write what a schema says of a value for the browser.

    Args:
        node: the schema, without references.
        kind: of the field.

    Returns:
        Attributes; none refuses what the schema allows.
    """
    if kind in _TEXTS:
        return _of_text(node, has_lines=kind == "text")
    if kind in ("integer", "number"):
        return _of_number(node, is_whole=kind == "integer")
    return {}


def _of_text(node: Mapping[str, Any], *, has_lines: bool) -> dict[str, str]:
    found: dict[str, str] = {}
    shortest, longest = node.get("minLength"), node.get("maxLength")
    if is_number(shortest) and 0 < shortest < LARGEST:
        found["minlength"] = str(int(shortest))
    if is_number(longest) and 0 <= longest < LARGEST:
        # A browser counts some characters twice, the schema counts each once.
        found["maxlength"] = str(2 * int(longest))
    if not has_lines and (pattern := html_pattern(node.get("pattern"))):
        found["pattern"] = pattern
    return found


def _of_number(node: Mapping[str, Any], *, is_whole: bool) -> dict[str, str]:
    found = {"step": "1" if is_whole else "any"}
    lows = [_low(node.get("minimum"), is_whole=is_whole)]
    highs = [_high(node.get("maximum"), is_whole=is_whole)]
    lows.append(_low(node.get("exclusiveMinimum"), is_whole=is_whole, is_out=True))
    highs.append(_high(node.get("exclusiveMaximum"), is_whole=is_whole, is_out=True))
    low = max((each for each in lows if each is not None), default=None)
    high = min((each for each in highs if each is not None), default=None)
    if low is not None:
        found["min"] = repr(low)
    if high is not None:
        found["max"] = repr(high)
    return found


def _low(bound: Any, *, is_whole: bool, is_out: bool = False) -> float | None:
    if not is_number(bound) or abs(bound) > LARGEST:
        return None
    if not is_whole:
        return bound
    return floor(bound) + 1 if is_out else ceil(bound)


def _high(bound: Any, *, is_whole: bool, is_out: bool = False) -> float | None:
    low = _low(-bound, is_whole=is_whole, is_out=is_out) if is_number(bound) else None
    return None if low is None else -low


def html_pattern(pattern: Any) -> str:
    """Write a pattern of JSON Schema as that of a field, which has to fit as a whole.

    Args:
        pattern: of the author; anything.

    Returns:
        Empty where a browser may understand it otherwise, or not at all.
    """
    if not isinstance(pattern, str) or len(pattern) > PATTERN_LENGTH:
        return ""
    # A browser wants the dash at the end of a class escaped.
    escaped = re.sub(r"(?<!\\)-\]", r"\\-]", pattern)
    try:
        is_known = _EVERYWHERE.fullmatch(escaped) and re.compile(escaped)
    except (re.error, OverflowError, RecursionError):
        return ""
    return f".*(?:{escaped}).*" if is_known and escaped else ""
