"""Anchored: lines compared piece by piece, between those that both sides have once."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import chain, pairwise
from typing import Final

_Pair = tuple[int, int]


class Anchored(SequenceMatcher[str]):
    """Compares as `SequenceMatcher` does, in less time.

    That one looks for the longest common piece, then on both sides of it, and so on:
    where every fourth line of two thousand differs that takes a quarter of a second.

    Args:
        old: lines.
        new: lines.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, (), ())
        self._old: Final = old
        self._new: Final = new

    def get_matching_blocks(self) -> list[Match]:
        """Give the pieces that are equal, as the standard library does."""
        found: list[Match] = []
        for block in self._blocks():
            last = found[-1] if found else Match(-1, -1, 0)
            if (last.a + last.size, last.b + last.size) == (block.a, block.b):
                found[-1] = Match(last.a, last.b, last.size + block.size)
            elif block.size:
                found.append(block)
        return [*found, Match(len(self._old), len(self._new), 0)]

    def _blocks(self) -> Iterator[Match]:
        anchors = _anchors(self._old, self._new)
        ends = chain([(-1, -1)], anchors, [(len(self._old), len(self._new))])
        for (a, b), (next_a, next_b) in pairwise(ends):
            yield from self._between(a + 1, next_a, b + 1, next_b)
            if next_a < len(self._old):
                yield Match(next_a, next_b, 1)

    def _between(self, a: int, end_a: int, b: int, end_b: int) -> Iterator[Match]:
        if a == end_a or b == end_b:
            return
        part = SequenceMatcher(None, self._old[a:end_a], self._new[b:end_b])
        for block in part.get_matching_blocks():
            yield Match(block.a + a, block.b + b, block.size)


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[_Pair]:
    """Pair lines that each side has once, as many as keep their order."""
    in_old, in_new = Counter(old), Counter(new)
    places = {line: place for place, line in enumerate(new) if in_new[line] == 1}
    pairs = [
        (place, places[line])
        for place, line in enumerate(old)
        if in_old[line] == 1 and line in places
    ]
    return _longest_growing(pairs)


def _longest_growing(pairs: Sequence[_Pair]) -> list[_Pair]:
    """Take the longest part of the pairs in which the second numbers grow."""
    ends: list[int] = []  # the smallest last number of a part of each length
    last: list[int] = []  # which pair that is
    before: list[int] = []  # for each pair the one before it in its part
    for at, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [at]
    found: list[_Pair] = []
    at = last[-1] if last else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]
