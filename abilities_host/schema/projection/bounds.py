"""The bounds of numbers, without the exclusive ones."""

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Any, TypeGuard

_EXACT = 2**53

Node = Mapping[str, Any]


def bounds_of(kind: str, forms: Sequence[Node]) -> dict[str, Any]:
    """Give the bounds that hold for every one of several forms.

    Args:
        kind: ``number`` or ``integer``; the exclusive bounds of integers are moved.
        forms: schemas of numbers, at least one.

    Returns:
        `minimum` and `maximum`, where all forms have one.
    """
    lower = [_lower(kind, form) for form in forms]
    upper = [_upper(kind, form) for form in forms]
    made: dict[str, Any] = {}
    if None not in lower:
        made["minimum"] = min(each for each in lower if each is not None)
    if None not in upper:
        made["maximum"] = max(each for each in upper if each is not None)
    return made


def _lower(kind: str, form: Node) -> float | None:
    bound, beyond = form.get("minimum"), form.get("exclusiveMinimum")
    if _is_number(beyond):
        is_whole = kind == "integer" and abs(beyond) < _EXACT
        least = floor(beyond) + 1 if is_whole else beyond
        return least if bound is None else max(least, bound)
    return bound


def _upper(kind: str, form: Node) -> float | None:
    bound, beyond = form.get("maximum"), form.get("exclusiveMaximum")
    if _is_number(beyond):
        is_whole = kind == "integer" and abs(beyond) < _EXACT
        most = ceil(beyond) - 1 if is_whole else beyond
        return most if bound is None else min(most, bound)
    return bound


def _is_number(value: Any) -> TypeGuard[float]:
    # Until draft-04 it was a boolean beside the bound.
    return isinstance(value, int | float) and not isinstance(value, bool)
