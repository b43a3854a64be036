"""Whether a value is JSON within limits, before anything that could crash sees it."""

from collections.abc import Collection, Mapping
from math import isfinite
from typing import Any, NamedTuple

import orjson

from abilities_host.schema.pointer import Pointer

DEPTH_LIMIT = 64
COUNT_LIMIT = 500_000  # 1 MiB of JSON text holds no more

_SIMPLE = frozenset({str, int, bool, type(None)})
_PLACE_SHOWN = 8

_Way = tuple[Any, Any] | None
"""The way to a value as (way to its parent, token); shared, so each costs little."""


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
    if _is_plain(value, depth, count) and _is_encodable(value):
        return None
    flaw = _search(value, depth, count)
    if flaw or _is_encodable(value):
        return flaw
    return Flaw((), "holds text with lone surrogates or an integer beyond 64 bits")


def _is_plain(value: Any, depth: int, count: int) -> bool:
    """Say quickly that nothing is wrong; False means that it is worth a search."""
    level, seen = [value], 0
    for _ in range(depth):
        below: list[Any] = []
        for node in level:
            kind = type(node)
            if kind is dict or kind is list:
                items = node.values() if kind is dict else node
                below += [item for item in items if type(item) not in _SIMPLE]
                seen += len(items)
            elif kind not in _SIMPLE and not (kind is float and isfinite(node)):
                return False
        if seen > count or not below:
            return seen <= count
        level = below
    return False


def _search(value: Any, depth: int, count: int) -> Flaw | None:
    waiting: list[tuple[Any, int, _Way]] = [(value, 0, None)]
    seen = 0
    while waiting:
        node, level, way = waiting.pop()
        below = _children(node)
        problem = _find_problem(node, below)
        if level >= depth and isinstance(node, Mapping | list | tuple):
            problem = f"is nested more than {depth} deep"
        if problem:
            return Flaw(_place(way), problem)
        seen += len(below)
        if seen > count:
            return Flaw((), f"holds more than {count:,} values")
        # What cannot be wrong is not looked at again: most values are such.
        level += 1
        waiting += [(v, level, (way, k)) for k, v in below if type(v) not in _SIMPLE]
    return None


def _place(way: _Way) -> Pointer:
    tokens: list[str | int] = []
    while way is not None:
        way, token = way
        tokens.append(token)
    return tuple(reversed(tokens))[:_PLACE_SHOWN]


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


def _is_encodable(value: Any) -> bool:
    try:
        orjson.dumps(value, default=dict)
    except TypeError:
        return False
    return True
