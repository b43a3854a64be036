"""Resemblance: what says nearly the same, for many texts that are kept at once."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from math import floor
from typing import Final

from abilities_host.storage import Transaction
from abilities_memory.likeness import ALIKE, CANDIDATES

_KEPT: Final = """
    SELECT number, id FROM memory_guidance WHERE words > 0 ORDER BY number
"""
_WORDS: Final = "SELECT number, word FROM memory_word"
_SHARED: Final = 3
_LOOKED_AT: Final = 20_000


class Resemblance:
    """All texts of a shelf by their words, with those that come to it.

    It finds what `likeness.find_alike` finds. Looking in the store once for each of
    10,000 texts would keep every other writer waiting for minutes.

    Args:
        changing: the transaction in which they are kept.
    """

    def __init__(self, changing: Transaction) -> None:
        self._ids: Final[list[str]] = []
        self._words: Final[list[frozenset[str]]] = []
        self._having: Final[dict[str, list[int]]] = {}
        self._first: Final[dict[frozenset[str], int]] = {}
        by_number: dict[int, list[str]] = {}
        for number, word in changing.execute(_WORDS):
            by_number.setdefault(number, []).append(word)
        for number, id_ in changing.execute(_KEPT):
            self.add(id_, frozenset(by_number.get(number, ())))

    def add(self, id_: str, words: frozenset[str]) -> None:
        """Note what was just kept.

        Args:
            id_: of the guidance.
            words: of its text.
        """
        at = len(self._ids)
        self._ids.append(id_)
        self._words.append(words)
        self._first.setdefault(words, at)
        for word in words:
            self._having.setdefault(word, []).append(at)

    def find(self, words: frozenset[str]) -> str:
        """Find the guidance whose text is most alike.

        Args:
            words: of the new text.

        Returns:
            Its id, the earliest of equals; empty when none is alike enough.
        """
        if not words:
            return ""
        best, most = self._first.get(words), 1.0
        for at in self._candidates(words) if best is None else ():
            share = self._share(at, words)
            is_better = best is None or (share, best) > (most, at)
            if share and is_better:
                best, most = at, share
        return "" if best is None else self._ids[best]

    def _candidates(self, words: frozenset[str]) -> Iterator[int]:
        # What is alike lacks so few of the words that it has several of any so many
        # more, and so of the rarest.
        lacking = floor((1 - ALIKE) * len(words) + 1e-9)
        shared = min(_SHARED, len(words) - lacking)
        having = sorted((self._having.get(word, []) for word in words), key=len)
        rarest = chain.from_iterable(having[: lacking + shared])
        counts = Counter(islice(rarest, _LOOKED_AT))
        near = (at for at, count in counts.items() if count >= shared)
        return islice(near, CANDIDATES)

    def _share(self, at: int, words: frozenset[str]) -> float:
        """Give the share of words in both, 0 when it is too small."""
        shared = len(words & self._words[at])
        either = len(words) + len(self._words[at]) - shared
        return shared * 1.0 / either if shared >= ALIKE * either else 0.0
