"""Tree: two JSON values as one tree, what is different marked, secrets hidden."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Literal

import orjson

from abilities_host.admin.weight import weight_of
from abilities_host.domain import MISSING, State
from abilities_host.masking import MASK, masked

DEPTH: Final = 8
SAME: Final = 20  # parts of one value that are as they were
ROOM: Final = 40_000  # bytes of HTML for what is different
ROOM_SAME: Final = 15_000  # and for what is as it was
LENGTH: Final = 200  # characters of a value
_KEY: Final = 100
_AROUND: Final = 40  # characters before the first that is different
_NODE: Final = 160  # bytes of HTML around what a place says

Kind = Literal["same", "changed", "added", "removed"]
Part = tuple[str, Any, Any]


@dataclass(frozen=True, slots=True)
class Node:
    """One place.

    Attributes:
        key: its name or number.
        kind: what became of it.
        before: its value, written; empty for one with parts.
        after: likewise; the same for what is as it was.
        size: how many parts it has, None for a value without.
        parts: those that are shown.
    """

    key: str
    kind: Kind
    before: str = ""
    after: str = ""
    size: int | None = None
    parts: "tuple[Node, ...]" = ()

    @property
    def left_out(self) -> int:
        """How many parts are not shown."""
        return (self.size or 0) - len(self.parts)


def tree_of(before: State, after: State) -> Node:
    """Make one tree of two values; may take long for large ones.

    Args:
        before: a JSON value, or MISSING; secrets are hidden here, as far as it is
            shown.
        after: likewise.

    Returns:
        The whole, without a name. What is different comes before what is as it was
        when there is no room for all.
    """
    return _Planting().node("", before, after, 0) or Node("", "changed")


class _Planting:
    """How much room is left."""

    def __init__(self) -> None:
        self._left = {False: ROOM, True: ROOM_SAME}

    def node(self, key: str, old: Any, new: Any, depth: int) -> Node | None:
        kind = _kind(old, new)
        if self._left[kind == "same"] < _NODE:
            return None
        parts = _parts(key, old, new)
        if parts is None:
            hidden = (e if e is MISSING else masked(e, key) for e in (old, new))
            return self._leaf(key, kind, *_written_both(*hidden))
        node = self._leaf(key, kind, "", "")
        if node is None:
            return None
        found = () if depth == DEPTH else self._grown(parts, depth + 1)
        return Node(node.key, kind, size=len(parts), parts=found)

    def _leaf(self, key: str, kind: Kind, before: str, after: str) -> Node | None:
        key = key if len(key) <= _KEY else f"{key[:_KEY]}…"
        size = _NODE + sum(map(weight_of, (key, before, after)))
        if size > self._left[kind == "same"]:
            return None
        self._left[kind == "same"] -= size
        return Node(key, kind, before, after)

    def _grown(self, parts: Sequence[Part], depth: int) -> tuple[Node, ...]:
        places = range(len(parts))
        same = [place for place in places if _is_same(*parts[place][1:])]
        known = set(same)
        found: dict[int, Node] = {}
        for place in chain((p for p in places if p not in known), same[:SAME]):
            node = self.node(*parts[place], depth)
            if node is not None:
                found[place] = node
        return tuple(found[place] for place in sorted(found))


def _kind(old: Any, new: Any) -> Kind:
    if old is MISSING:
        return "added"
    if new is MISSING:
        return "removed"
    return "same" if _is_same(old, new) else "changed"


def _is_same(old: Any, new: Any) -> bool:
    """Compare as written, since 1, 1.0 and true are not the same to a reader."""
    if old is MISSING or new is MISSING:
        return False
    return old is new or _written(old) == _written(new)


def _parts(key: str, old: Any, new: Any) -> list[Part] | None:
    """Give the parts of two values of one kind; a missing one is like an empty one."""
    values = [each for each in (old, new) if each is not MISSING]
    if masked([], key) == MASK:
        return None
    if values and all(isinstance(each, Mapping) for each in values):
        one, other = ({} if each is MISSING else each for each in (old, new))
        return [
            (key, one.get(key, MISSING), other.get(key, MISSING))
            for key in sorted({**one, **other})
        ]
    if values and all(isinstance(each, list) for each in values):
        return _items(*([] if each is MISSING else each for each in (old, new)))
    return None


def _items(old: list[Any], new: list[Any]) -> list[Part]:
    """Pair by place; where items came or went, what is common at both ends."""
    if len(old) == len(new):
        pairs = zip(old, new, strict=True)
        return [(str(place), *pair) for place, pair in enumerate(pairs)]
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    ends = len(old) - tail, len(new) - tail
    return [
        *((str(p), old[p], new[p]) for p in range(head)),
        *((str(p), old[p], MISSING) for p in range(head, ends[0])),
        *((str(p), MISSING, new[p]) for p in range(head, ends[1])),
        *((str(ends[1] + p), old[ends[0] + p], new[ends[1] + p]) for p in range(tail)),
    ]


def _common(one: Sequence[Any], other: Sequence[Any]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if not _is_same(left, right):
            break
        count += 1
    return count


def _written_both(old: Any, new: Any) -> tuple[str, str]:
    """Write two values, from a little before the first character that differs."""
    one, other = (
        "" if each is MISSING else _written(each).decode() for each in (old, new)
    )
    start = 0
    if max(len(one), len(other)) > LENGTH and one != other:
        start = max(0, _alike(one, other) - _AROUND)
    return _cut(one, start), _cut(other, start)


def _alike(one: str, other: str) -> int:
    """Count the characters that two texts have in common at their start."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
        )
    return low


def _cut(text: str, start: int) -> str:
    end = start + LENGTH
    return f"{'…' if start else ''}{text[start:end]}{'…' if len(text) > end else ''}"


def _written(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # a great number, or half a character
        return json.dumps(value, sort_keys=True).encode()
