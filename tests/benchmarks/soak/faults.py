"""Faults: what should not have happened, counted, with the first of each kind."""

from collections import Counter
from typing import Final

SHOWN: Final = 3


class Faults:
    """Every violation of one soak."""

    def __init__(self) -> None:
        self._counts: Final[Counter[str]] = Counter()
        self._said: Final[dict[str, list[str]]] = {}

    def add(self, kind: str, detail: str = "") -> None:
        """Note one.

        Args:
            kind: the same words for the same kind.
            detail: what helps to find out why; only that of the first few is kept.
        """
        self._counts[kind] += 1
        said = self._said.setdefault(kind, [])
        if detail and len(said) < SHOWN:
            said.append(detail[:600])

    def lines(self) -> list[str]:
        """Say each kind with how often it happened and the first details."""
        return [
            line
            for kind, count in sorted(self._counts.items())
            for line in (
                f"FAULT: {kind}: {count:,}",
                *(f"       {each}" for each in self._said[kind]),
            )
        ]
