"""Knowing: what a narrative names that is there, whatever the record has."""

import asyncio
import logging
import re
from collections.abc import Iterable
from typing import Final

from abilities_host import MISSING, Domain, Target

log = logging.getLogger(__name__)

WORDS: Final = 50
"""How many words of a narrative are looked up."""

SECONDS: Final = 2.0
"""How long all of it may take; what was found by then counts."""

_PIECE: Final = re.compile(r"[^\s\"“”«»\u2018\u2019`*()\[\]{},;!?]{2,1000}")
_TAIL: Final = ".:'…"
_MARKED: Final = re.compile(r"[./_\\:@#]|\d")


def words_of(narrative: str) -> tuple[str, ...]:
    """Give the words that may be names: a path, a key, a number, no plain word.

    Args:
        narrative: prose.

    Returns:
        At most 50, each once, as they are spelt.
    """
    pieces = (piece.rstrip(_TAIL) for piece in _PIECE.findall(narrative))
    names = dict.fromkeys(piece for piece in pieces if _MARKED.search(piece))
    return tuple(names)[:WORDS]


async def known_to(domains: Iterable[Domain], narrative: str) -> frozenset[Target]:
    """Find what a narrative names that exists now.

    Without it an agent could say that it deleted what nobody ever touched, and the
    record could not tell.

    Args:
        domains: that are asked; one that fails has nothing.
        narrative: prose.

    Returns:
        Targets in their canonical spelling.
    """
    found: set[Target] = set()
    everywhere = tuple(domains)
    try:
        async with asyncio.timeout(SECONDS):
            for word in words_of(narrative):
                for domain in everywhere:
                    found |= await _looked_up(domain, word)
    except TimeoutError:
        log.warning("not all that a summary names was looked up in %g s", SECONDS)
    return frozenset(found)


async def _looked_up(domain: Domain, word: str) -> set[Target]:
    try:
        name = domain.canonical(word.removeprefix(f"{domain.name}:"))
        state = await domain.capture(name)
    except TimeoutError:
        raise
    except Exception:  # noqa: BLE001 - a pack's code, asked about any word
        return set()
    return set() if state is MISSING else {Target(domain.name, name)}
