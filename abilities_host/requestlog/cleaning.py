"""Cleaning: foreign text as the log keeps it, one short line that obeys nobody."""

from functools import lru_cache
from typing import Final

REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


def cleaned(text: str, limit: int) -> str:
    """Make foreign text harmless wherever the log is read.

    Args:
        text: any string.
        limit: characters that are kept.

    Returns:
        Its beginning, with what does not print replaced: line ends, control
        characters, marks that turn the direction of text, half characters.
    """
    return _printable(text[:limit])


@lru_cache(maxsize=1_000)
def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else REPLACEMENT for c in text)
