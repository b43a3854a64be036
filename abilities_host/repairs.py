"""Repairs: what clients garbled in arguments, counted, and told once for each kind."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

log = logging.getLogger(__name__)

KINDS_KEPT: Final = 1024
_CLIENT_SHOWN: Final = 128

Kind = tuple[str, str, str]
"""Name of an ability, name of a client, and how arguments were mended."""


class Repairs:
    """Counts what was repaired, for each ability, client and kind.

    Of more kinds than are kept all are forgotten, and told again.
    """

    def __init__(self) -> None:
        self._counts: Final = Counter[Kind]()

    @property
    def counts(self) -> Mapping[Kind, int]:
        """How often each kind came."""
        return MappingProxyType(self._counts)

    def note(self, ability: str, client: str, repaired: Sequence[str]) -> None:
        """Count the repairs of a call; the first of a kind is told to the operator.

        Args:
            ability: name of what was called.
            client: what the client calls itself, often empty.
            repaired: places, each with a word that says how it was mended.
        """
        client = client[:_CLIENT_SHOWN]
        words = {place.rpartition(" ")[2] for place in repaired if place[0] == "/"}
        kinds = {(ability, client, word) for word in words}
        level = logging.DEBUG if kinds <= self._counts.keys() else logging.INFO
        if len(self._counts) + len(kinds) > KINDS_KEPT:
            self._counts.clear()
        self._counts.update(kinds)
        log.log(level, "%s: repaired %s from %r", ability, ", ".join(repaired), client)
