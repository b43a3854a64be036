"""Text: cut where a word ends, for a reader who pays for each one."""

from typing import Final

_MORE: Final = "…"


def shorten(text: str, limit: int) -> str:
    """Cut a text at a word boundary.

    Args:
        text: any text.
        limit: characters at most, at least 1.

    Returns:
        The text, or its beginning and ``…``; a single longer word is cut inside.
    """
    if len(text) <= limit:
        return text
    room = limit - len(_MORE)
    cut = text[:room]
    if not text[room].isspace():
        words = cut.rsplit(maxsplit=1)
        cut = cut[: cut.rindex(words[1])] if len(words) > 1 else cut
    return cut.rstrip() + _MORE


def one_line(text: str, limit: int) -> str:
    """Put a text on one line and cut it; see `shorten`."""
    return shorten(" ".join(text.split()), limit)
