"""Whether a value is JSON within limits, before anything that could crash sees it."""

from collections.abc import Collection, Mapping
from math import isfinite
from typing import Any, NamedTuple

import orjson

from abilities_host.schema.pointer import Pointer

DEPTH_LIMIT = 64
COUNT_LIMIT = 1_000_000

_SIMPLE = frozenset({str, int, bool, type(None)})
_PLACE_SHOWN = 8


class Flaw(NamedTuple):
    """Why a value cannot be looked at.

    Attributes:
        place: where it was seen, as exactly as is known.
        problem: the sentence, without any value.
    """

    place: Pointer
    problem: str


def find_flaw(
    value: Any, *, depth: int = DEPTH_LIMIT, count: int = COUNT_LIMIT
) -> Flaw | None:
    """Find out why a value is not JSON or too large to be looked at.

    jsonschema-rs ends the whole process on values that are nested thousands deep,
    and follows one that contains itself forever.

    Args:
        value: anything.
        depth: how many containers may stand in one another.
        count: how many values there may be in all.

    Returns:
        The first flaw, or None.
    """
    waiting: list[tuple[Pointer, Any]] = [((), value)]
    seen = 1
    while waiting:
        place, node = waiting.pop()
        below = _children(node)
        problem = _find_problem(node, below)
        if below and len(place) >= depth:
            problem = f"is nested more than {depth} deep"
        if problem:
            return Flaw(place[:_PLACE_SHOWN], problem)
        seen += len(below)
        if seen > count:
            return Flaw((), f"holds more than {count:,} values")
        # What cannot be wrong is not looked at again: most values are such.
        waiting += [((*place, k), v) for k, v in below if type(v) not in _SIMPLE]
    return _find_text_flaw(value)


def _children(node: Any) -> Collection[tuple[Any, Any]]:
    if isinstance(node, Mapping):
        return node.items()
    return list(enumerate(node)) if isinstance(node, list | tuple) else ()


def _find_problem(node: Any, below: Collection[tuple[Any, Any]]) -> str:
    if isinstance(node, Mapping):
        bad = next((key for key, _ in below if not isinstance(key, str)), "")
        return f"has a key of type {type(bad).__name__}, not text" if bad != "" else ""
    if isinstance(node, float):
        return "" if isfinite(node) else "is not a finite number"
    if node is None or isinstance(node, str | int | list | tuple):
        return ""
    return f"is not JSON: a Python {type(node).__name__}"


def _find_text_flaw(value: Any) -> Flaw | None:
    try:
        orjson.dumps(value, default=dict)
    except TypeError:
        text = "holds text with lone surrogates or an integer beyond 64 bits"
        return Flaw((), text)
    return None
