"""Plan: in which parts a record is checked."""

from itertools import pairwise
from typing import Final, NamedTuple

from abilities_ledger.book import Book
from abilities_ledger.crew import Part

MOST: Final = 256  # parts of the contents: they are told by their first byte
_CONTENTS: Final = "SELECT count(*) FROM ledger_content"


class Range(NamedTuple):
    """Entries that follow each other.

    Attributes:
        first: number of the first one.
        last: number of the last one.
    """

    first: int
    last: int

    def part(self, before: bytes | None = None) -> Part:
        """Make the part that checks them.

        Args:
            before: hash that the first one starts from, None to have it read.

        Returns:
            The part.
        """
        return Part("entries", (*self, before and before.hex()))


def in_ranges(first: int, count: int, size: int) -> list[Range]:
    """Divide entries.

    Args:
        first: number of the first one.
        count: how many there are.
        size: how many make one range.

    Returns:
        Ranges that follow each other.
    """
    end = first + count
    return [Range(n, min(n + size, end) - 1) for n in range(first, end, size)]


async def read_contents(book: Book, size: int) -> tuple[int, list[Part]]:
    """Divide what is kept by digest.

    Args:
        book: the entries.
        size: how many make one part, about.

    Returns:
        How many contents there are, and parts that follow each other.
    """
    [(count,)] = await book.store.read(_CONTENTS)
    parts = min(MOST, 1 + count // size)
    borders = ["", *(f"{n * MOST // parts:02x}" for n in range(1, parts)), None]
    return count, [Part("contents", pair) for pair in pairwise(borders)]
