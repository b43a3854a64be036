"""Rows: sets of ranked entries, each a bit of one integer.

Ten thousand entries are 1,250 bytes: sets are joined, cut and counted in a microsecond
each, so that a search costs what it gives and not what there is.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Final, Generic, TypeAlias, TypeVar

K = TypeVar("K", bound=Hashable)

Rows: TypeAlias = int
"""Bit `n` is set when entry `n` is in; entry 0 comes first."""

MOST_MATCHES: Final = 8
"""Matches that count; whatever has more is not ranked higher for it."""

DENSE: Final = 64
"""Entries from which on a set is kept as bits and not as numbers."""


def rows_of(numbers: Iterable[int], size: int) -> Rows:
    """Make a set.

    Args:
        numbers: of entries.
        size: how many entries there are in all.

    Returns:
        The set of those.
    """
    bits = bytearray(size // 8 + 1)
    for number in numbers:
        bits[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")


def joined(sets: Iterable[Rows]) -> Rows:
    """Give the entries that are in any of some sets."""
    rows = 0
    for each in sets:
        rows |= each
    return rows


def first_of(rows: Rows, count: int) -> list[int]:
    """Give the first entries of a set.

    Args:
        rows: the set.
        count: at most so many.

    Returns:
        Their numbers, smallest first.
    """
    found: list[int] = []
    while rows and len(found) < count:
        lowest = rows & -rows
        found.append(lowest.bit_length() - 1)
        rows ^= lowest
    return found


def layers_of(sets: Iterable[Rows]) -> tuple[Rows, ...]:
    """Count in how many of some sets each entry is.

    Args:
        sets: any number.

    Returns:
        Who is in one at least, in two at least, and so on up to eight.
    """
    layers = [0] * MOST_MATCHES
    for rows in sets:
        for n in range(MOST_MATCHES - 1, 0, -1):
            layers[n] |= layers[n - 1] & rows
        layers[0] |= rows
    return tuple(layers)


def ranked(
    rows: Rows, layers: Sequence[Rows], level: Callable[[int], Rows], count: int
) -> list[int]:
    """Give the first entries of a set, those with more matches first in each level.

    Args:
        rows: the set.
        layers: as `layers_of` gives them.
        level: gives all entries of the level of one; a level is one run of entries.
        count: at most so many.

    Returns:
        Their numbers, best first.
    """
    found: list[int] = []
    while rows and len(found) < count:
        part = rows & level(first_of(rows, 1)[0])
        rows ^= part
        for layer in reversed((part, *layers)):
            found += first_of(part & layer, count - len(found))
            part &= ~layer
    return found


class RowSets(Generic[K]):
    """Sets of entries by a key; small ones are kept as numbers, to save room.

    Args:
        numbers: of the entries that have a key.
        size: how many entries there are in all.
    """

    def __init__(self, numbers: Mapping[K, Sequence[int]], size: int) -> None:
        dense = (key for key, each in numbers.items() if len(each) >= DENSE)
        self._dense: Final = {key: rows_of(numbers[key], size) for key in dense}
        sparse = (key for key in numbers if key not in self._dense)
        self._sparse: Final = {key: tuple(numbers[key]) for key in sparse}

    def get(self, key: K) -> Rows:
        """Give the set of a key, empty when nothing has it."""
        if key in self._dense:
            return self._dense[key]
        return joined(1 << number for number in self._sparse.get(key, ()))


class Collected(Generic[K]):
    """Numbers of entries by a key, while they are collected.

    Attributes:
        numbers: by key, in the order in which they came.
    """

    def __init__(self) -> None:
        self.numbers: Final[dict[K, list[int]]] = {}

    def add(self, keys: Iterable[K], number: int) -> None:
        """Note that an entry has some keys."""
        for key in keys:
            self.numbers.setdefault(key, []).append(number)

    def sets(self, size: int) -> RowSets[K]:
        """Give the sets, of so many entries in all."""
        return RowSets(self.numbers, size)
