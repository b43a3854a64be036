"""Durations: any number of them in little room, exact to one percent."""

from collections import Counter
from typing import Final

_BITS: Final = 7  # that many leading bits of a duration are kept


class Durations:
    """Durations counted by size: a sorted list of all would not fit anywhere."""

    def __init__(self) -> None:
        self._counts: Final[Counter[int]] = Counter()
        self._total = 0

    def __len__(self) -> int:
        return self._total

    def add(self, micros: int) -> None:
        """Take one.

        Args:
            micros: microseconds, at least 0.
        """
        self._counts[_rounded(micros)] += 1
        self._total += 1

    def percentile(self, percent: float) -> int | None:
        """Give the duration that so many do not exceed.

        Args:
            percent: 0 to 100.

        Returns:
            Microseconds, at most one percent less than the exact value; None when
            there is none.
        """
        wanted, seen = percent / 100 * self._total, 0
        for micros in sorted(self._counts):
            seen += self._counts[micros]
            if seen >= wanted:
                return micros
        return None


def _rounded(micros: int) -> int:
    shift = max(0, micros.bit_length() - _BITS)
    return micros >> shift << shift
