"""Remembered: tokens that were believed a moment ago, by their hash."""

from collections import OrderedDict
from typing import Final

from abilities_host.server.issuer.keys import Keys
from abilities_host.server.issuer.verdict import Believed

MOST_TOKENS: Final = 1_000


class Remembered:
    """Keeps the verdicts on the tokens used last, none of a refused one.

    Args:
        limit: how many.
    """

    def __init__(self, limit: int = MOST_TOKENS) -> None:
        self._limit: Final = limit
        self._keys: Keys | None = None
        self._believed: Final = OrderedDict[bytes, Believed]()

    def __len__(self) -> int:
        return len(self._believed)

    def find(self, digest: bytes, keys: Keys, now: float) -> Believed | None:
        """Find the verdict on a token.

        Args:
            digest: of the token.
            keys: that are in force; a verdict reached with others is forgotten.
            now: seconds since 1970.

        Returns:
            None when it is not known, or has expired.
        """
        if keys is not self._keys:
            self._believed.clear()
            return None
        believed = self._believed.pop(digest, None)
        if believed is None or now >= believed.expires_at:
            return None
        self._believed[digest] = believed
        return believed

    def keep(self, digest: bytes, believed: Believed, keys: Keys) -> None:
        """Keep a verdict; the one used least lately goes at the limit.

        Args:
            digest: of the token.
            believed: the verdict.
            keys: that it was reached with.
        """
        if keys is not self._keys:
            self._believed.clear()
        self._keys = keys
        self._believed[digest] = believed
        if len(self._believed) > self._limit:
            self._believed.popitem(last=False)
