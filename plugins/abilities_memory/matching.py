"""Matching: whole words and phrases, compared without case and accents."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final
from unicodedata import category

from abilities_host import fold

Phrase = tuple[str, ...]
"""Words that must stand side by side, in this order."""

TEXT_READ: Final = 4000
TELLING: Final = 4
"""Letters of a word in a sentence from which on it says what the sentence is about."""

_PLAIN_WORD: Final = re.compile("[a-z0-9]+")
# Written without blanks: each sign is a word, and a longer word is a phrase of them.
_SIGNS: Final = (
    ("\u0e00", "\u0eff"),  # Thai, Lao
    ("\u1000", "\u109f"),  # Burmese
    ("\u1780", "\u17ff"),  # Khmer
    ("\u3040", "\u30ff"),  # kana
    ("\u3400", "\u9fff"),  # Han
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0003ffff"),
)


def words_of(text: str) -> Phrase:
    """Give the words of a text, in any script.

    Args:
        text: any text; its first 4,000 characters are read.

    Returns:
        Letters, marks and digits that stand together, folded. In scripts that are
        written without blanks each sign is a word.
    """
    read = text[:TEXT_READ]
    if read.isascii():  # the same, thirty times quicker
        return tuple(_PLAIN_WORD.findall(read.lower()))
    return tuple("".join(map(_spaced, fold(read))).split())


def telling_of(text: str) -> set[Phrase]:
    """Give what a sentence is about, for want of words that somebody chose.

    Args:
        text: a sentence.

    Returns:
        Its words of four letters and more; of signs written without blanks each pair
        of neighbours, since a single one says too little.
    """
    words = words_of(text)
    pairs = {(a, b) for a, b in pairwise(words) if _is_sign(a) and _is_sign(b)}
    return pairs | {(word,) for word in words if len(word) >= TELLING}


class Phrases:
    """Phrases to look for, all at once.

    Args:
        phrases: none of them empty.
    """

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self._phrases: Final = frozenset(phrases)
        lengths: dict[str, set[int]] = {}
        for phrase in self._phrases:
            lengths.setdefault(phrase[0], set()).add(len(phrase))
        self._lengths: Final = {word: sorted(each) for word, each in lengths.items()}

    def found_in(self, words: Sequence[str]) -> tuple[Phrase, ...]:
        """Find the phrases that some words hold.

        Args:
            words: of a text, as `words_of` gives them.

        Returns:
            Each once, in the order in which they begin.
        """
        return tuple(dict.fromkeys(self._beginnings(words)))

    def _beginnings(self, words: Sequence[str]) -> Iterator[Phrase]:
        for place, word in enumerate(words):
            for length in self._lengths.get(word, ()):
                phrase = tuple(words[place : place + length])
                if phrase in self._phrases:
                    yield phrase


def _spaced(letter: str) -> str:
    if _is_sign(letter):
        return f" {letter} "
    is_part = letter.isalnum() or category(letter).startswith("M")
    return letter if is_part else " "


def _is_sign(word: str) -> bool:
    return len(word) == 1 and any(first <= word <= last for first, last in _SIGNS)
