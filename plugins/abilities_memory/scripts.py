"""Scripts: words that mix letters of several writing systems to look like another."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Final

_EAST: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL"})
# Names of letters that belong to no script, or to whichever stands beside them.
_COMMON: Final = frozenset({"", "MODIFIER", "MICRO", "FEMININE", "MASCULINE"})


def foreign_letters(text: str) -> Iterator[int]:
    """Find the letters that make a word one of several scripts.

    Chinese, Japanese and Korean are written with several, and beside Latin.

    Args:
        text: any string.

    Yields:
        Positions of letters, from 0, of another script than their word's first.
    """
    if text.isascii():
        return
    for is_word, letters in groupby(enumerate(text), key=lambda each: _joins(each[1])):
        if is_word:
            yield from _foreign(list(letters))


def _foreign(word: list[tuple[int, str]]) -> Iterator[int]:
    scripts = [(position, _script(letter)) for position, letter in word]
    named = [(position, script) for position, script in scripts if script]
    found = {script for _, script in named}
    if len(found) < 2 or (found == {"LATIN", "EAST"}):  # noqa: PLR2004 - several
        return
    first = named[0][1]
    yield from (position for position, script in named if script != first)


def _joins(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "LM"


@lru_cache(4096)
def _script(letter: str) -> str:
    """Give the first word of the letter's name, which is its script."""
    if not letter.isalpha():
        return ""
    if _first_word(letter) in _COMMON:
        return ""
    # A wide or mathematical letter is of the script it stands for.
    first = _first_word(unicodedata.normalize("NFKC", letter)[0])
    return "EAST" if first in _EAST else first


def _first_word(letter: str) -> str:
    return unicodedata.name(letter, "").replace("-", " ").split(" ")[0]
