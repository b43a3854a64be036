"""Likeness: which earlier guidance says nearly the same."""

import json
import re
from math import floor
from typing import Final

from abilities_host import fold
from abilities_host.storage import Transaction

ALIKE: Final = 0.8
"""Words in both, of words in either, from which on two texts are near-duplicates."""

_WORD: Final = re.compile(r"\w+")
CANDIDATES: Final = 1_000
"""How many texts are compared with a new one at most."""

# The plus keeps it from looking through every text that has a common word.
_NEAREST: Final = """
    SELECT kept.id FROM (
        SELECT number, count(*) AS shared FROM memory_word
        WHERE number IN (
            SELECT number FROM memory_word
            WHERE word IN (SELECT value FROM json_each(:rare)) LIMIT :candidates
        ) AND +word IN (SELECT value FROM json_each(:words)) GROUP BY number
    ) AS near JOIN memory_guidance AS kept ON kept.number = near.number
    WHERE near.shared >= :alike * (kept.words + :count - near.shared)
    ORDER BY near.shared * 1.0 / (kept.words + :count - near.shared) DESC, kept.number
    LIMIT 1
"""
_KEEP: Final = "INSERT INTO memory_word (word, number) VALUES (:word, :number)"
_FORGET: Final = "DELETE FROM memory_word WHERE number = :number"


def words_of(text: str) -> frozenset[str]:
    """Give the words of a text, without case and accents.

    Args:
        text: any.

    Returns:
        Each once; the order does not count.
    """
    return frozenset(_WORD.findall(fold(text)))


def find_alike(changing: Transaction, words: frozenset[str]) -> str:
    """Find the guidance, of any status, whose text is most alike.

    Args:
        changing: in which it is looked for.
        words: of the new text.

    Returns:
        Its id, the earliest of equals; empty when none is alike enough.
    """
    # What is alike lacks so few of the words that it has one of any so many; long ones
    # are rare.
    lacking = floor((1 - ALIKE) * len(words) + 1e-9)
    rare = sorted(words, key=lambda word: (-len(word), word))[: lacking + 1]
    values = {
        "rare": json.dumps(rare),
        "words": json.dumps(sorted(words)),
        "count": len(words),
        "alike": ALIKE,
        "candidates": CANDIDATES,
    }
    rows = changing.execute(_NEAREST, values)
    return str(rows[0][0]) if rows else ""


def keep_words(changing: Transaction, number: int, words: frozenset[str]) -> None:
    """Keep the words of a text, to compare later ones with.

    Args:
        changing: in which they are kept.
        number: of the guidance.
        words: of its text.
    """
    rows = [{"word": word, "number": number} for word in sorted(words)]
    changing.execute_many(_KEEP, rows)


def forget_words(changing: Transaction, number: int) -> None:
    """Remove the words of a text.

    Args:
        changing: in which they are removed.
        number: of the guidance.
    """
    changing.execute(_FORGET, {"number": number})
