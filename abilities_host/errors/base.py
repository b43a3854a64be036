"""The base of every error, and the words that sentences share."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which known name was probably meant, as the end of a sentence.

    Args:
        name: what was written.
        known: the names that exist.

    Returns:
        `` Did you mean 'x'?`` with a leading blank, or an empty string.
    """
    close = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""


def listed(names: Iterable[str], limit: int = 8) -> str:
    """Join names for a sentence, saying how many were left out.

    Args:
        names: the names, in the order to show.
        limit: how many are shown at most.

    Returns:
        ``a, b, c and 4 more``, or ``none``.
    """
    every = list(names)
    shown = ", ".join(every[:limit])
    more = len(every) - limit
    return f"{shown} and {more} more" if more > 0 else shown or "none"


class AbilitiesError(Exception):
    """Base of every exception the host raises on purpose."""

    @property
    def sentence(self) -> str:
        """The whole message, ready to print."""
        return str(self)
