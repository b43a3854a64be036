"""Structural: two JSON values compared place by place, secrets hidden."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import orjson

from abilities_host import MISSING, State, masked
from abilities_ledger.unified import Shown, common, cut

_ABSENT: Final = object()


class _Side(NamedTuple):
    """A value and its name, by which it may be secret; `_ABSENT` without a value."""

    value: Any
    name: str = ""

    def part(self, key: Any) -> "_Side":
        return _Side(self.value[key], key if isinstance(key, str) else "")

    def has(self, kind: type) -> bool:
        """Answer whether it has parts of a kind that may be shown one by one."""
        return isinstance(self.value, kind) and masked([], self.name) == []


_NOTHING: Final = _Side(_ABSENT)


def structural(before: State, after: State) -> Shown:
    """Compare two JSON values.

    Args:
        before: a JSON value or MISSING.
        after: a JSON value or MISSING.

    Returns:
        Lines ``- /path: value`` and ``+ /path: value``; what is secret shows as
        hidden, and that it differs shows too.
    """
    return cut(_walk("", _side(before, after), _side(after, before)))


def _side(state: State, other: State) -> _Side:
    """What did not exist is like an empty one: then each part stands for itself."""
    if state is not MISSING:
        return _Side(state)
    if isinstance(other, Mapping | list):
        return _Side(type(other)())
    return _NOTHING


def _walk(path: str, old: _Side, new: _Side) -> Iterator[str]:
    if _written(old.value) == _written(new.value):
        return  # most of a large value: nobody looks for secrets there
    if old.has(Mapping) and new.has(Mapping):
        for key in sorted({**old.value, **new.value}):
            yield from _walk(_below(path, key), _get(old, key), _get(new, key))
    elif old.has(list) and new.has(list):
        yield from _walk_list(path, old, new)
    else:
        yield from _line("-", path, old)
        yield from _line("+", path, new)


def _walk_list(path: str, old: _Side, new: _Side) -> Iterator[str]:
    """Compare by place; if items came or went, only what is not common is told."""
    sizes = len(old.value), len(new.value)
    if sizes[0] == sizes[1]:
        for place in range(sizes[0]):
            yield from _walk(_below(path, place), old.part(place), new.part(place))
        return
    written = [[*map(_written, side.value)] for side in (old, new)]
    head = common(*written)
    tail = common(*(each[head:][::-1] for each in written))
    for mark, side, size in (("-", old, sizes[0]), ("+", new, sizes[1])):
        for place in range(head, size - tail):
            yield from _line(mark, _below(path, place), side.part(place))


def _get(side: _Side, key: str) -> _Side:
    return side.part(key) if key in side.value else _NOTHING


def _line(mark: str, path: str, side: _Side) -> Iterator[str]:
    if side.value is not _ABSENT:
        yield f"{mark} {path or '/'}: {_written(masked(*side)).decode()}"


def _below(path: str, key: Any) -> str:
    """Write a place as a JSON pointer does."""
    return f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"


def _written(value: Any) -> bytes:
    """Write a value so that 1, 1.0 and true differ, as they do in the record."""
    return b"" if value is _ABSENT else orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
