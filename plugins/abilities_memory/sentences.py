"""Sentences: where a narrative's sentences begin and end."""

import re
from typing import Final

from abilities_host import fold
from abilities_memory.claim_words import ABBREVIATIONS

_END: Final = re.compile(r"(?<![.!?…])[.!?…]++[\"”»\u2019')\]`*]{0,3}+(?=\s)|\n")
_WORD: Final = re.compile(r"\S{1,40}\Z")
_REACH: Final = 40  # characters that are looked at before a full stop


def split_sentences(narrative: str) -> list[str]:
    """Split prose into sentences.

    A full stop ends one only before white space, so paths and versions stay whole;
    abbreviations and single letters do not end one. A new line always does.

    Args:
        narrative: any text.

    Returns:
        The sentences in order, none of them empty; each is a part of the text.
    """
    found = []
    start = 0
    for end in _END.finditer(narrative):
        if _is_end(narrative, end):
            found.append(narrative[start : end.end()].strip())
            start = end.end()
    found.append(narrative[start:].strip())
    return [sentence for sentence in found if sentence]


def _is_end(narrative: str, end: re.Match[str]) -> bool:
    if not end.group().startswith("."):
        return True
    before = _WORD.search(narrative[max(0, end.start() - _REACH) : end.start()])
    word = fold(before.group()).strip("(\"'«“") if before else ""
    is_letter = len(word) == 1 and word.isalpha()
    return not (is_letter or word.replace(".", "") in ABBREVIATIONS)
