"""Words: the table as the documentation writes it."""

from collections.abc import Iterator

from matrix.table import SEEN, TABLE


def reason_rows() -> Iterator[tuple[str, ...]]:
    """Give a line for each reason."""
    for reason, row in TABLE.items():
        yield reason, *row


def answer_rows() -> Iterator[tuple[str, ...]]:
    """Give the beginning of a line for each answer."""
    for key, word in SEEN.items():
        if key != "never":
            yield key, word.finds, word.runs
