"""Ranking: which abilities a search finds, best first, the same every time."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import log
from typing import Final
from unicodedata import category

from abilities_host import Ability, fold

Fields = tuple[frozenset[str], ...]

_WEIGHTS: Final = (8.0, 4.0, 2.0, 1.0)  # name, label, description, category
_WHOLE, _BEGINNING, _LONGER = 1.0, 0.5, 0.25
_SHORTEST_BEGINNING: Final = 2
_SHORTEST_STEM: Final = 4
_COMMON: Final = 1 / 3
_WORDS_SOUGHT: Final = 16
_TEXT_READ: Final = 4000
_PLAIN_WORD: Final = re.compile("[a-z0-9]+")
# Written without blanks, so each sign is a word of its own.
_SIGNS: Final = (("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uf900", "\ufaff"))


def rank(query: str, abilities: Iterable[Ability]) -> tuple[str, ...]:
    """Find the abilities that a query means.

    Words are compared without case and accents, whole or as beginnings; a match in the
    name counts most, then label, description and category, and a rare word more than
    one that is everywhere. What has only common words is left out when a rarer word
    was found. It takes time: call it in a thread.

    Args:
        query: what was typed; its first 16 words count.
        abilities: where to look.

    Returns:
        Names, best first; equals are in the order of their names.
    """
    fields = {ability.name: _fields_of(ability) for ability in abilities}
    vocabulary = frozenset().union(
        *(words for each in fields.values() for words in each)
    )
    found: dict[str, list[tuple[float, float]]] = {}
    for wanted in dict.fromkeys(words_of(query)[:_WORDS_SOUGHT]):
        hits = _hits(_close_words(wanted, vocabulary), fields)
        rarity = log(1 + (len(fields) - len(hits) + 0.5) / (len(hits) + 0.5))
        for name, closeness in hits.items():
            found.setdefault(name, []).append((rarity, rarity * closeness))
    return _in_order(found)


def words_of(text: str) -> tuple[str, ...]:
    """Give the words of a text, in any script.

    Args:
        text: any text; its first 4,000 characters are read.

    Returns:
        Letters, marks and digits that stand together, folded.
    """
    read = text[:_TEXT_READ]
    if read.isascii():  # the same, thirty times quicker
        return tuple(_PLAIN_WORD.findall(read.lower()))
    return tuple("".join(map(_spaced, fold(read))).split())


def _in_order(found: Mapping[str, list[tuple[float, float]]]) -> tuple[str, ...]:
    rarest = {name: max(pairs)[0] for name, pairs in found.items()}
    floor = max(rarest.values(), default=0.0) * _COMMON
    scores = {name: sum(score for _, score in found[name]) for name in found}
    kept = [name for name in found if rarest[name] >= floor]
    return tuple(sorted(kept, key=lambda name: (-scores[name], name)))


def _fields_of(ability: Ability) -> Fields:
    texts = (ability.name, ability.label, ability.description, ability.category)
    return tuple(map(_word_set, texts))


@lru_cache(maxsize=4096)
def _word_set(text: str) -> frozenset[str]:
    return frozenset(words_of(text))


def _close_words(wanted: str, vocabulary: Iterable[str]) -> dict[str, float]:
    """Each word is compared once, however many abilities use it."""
    close = {word: _closeness(wanted, word) for word in vocabulary}
    return {word: closeness for word, closeness in close.items() if closeness}


def _hits(close: Mapping[str, float], fields: Mapping[str, Fields]) -> dict[str, float]:
    scores = {
        name: sum(
            weight * max(map(close.__getitem__, close.keys() & words), default=0.0)
            for weight, words in zip(_WEIGHTS, each, strict=True)
        )
        for name, each in fields.items()
    }
    return {name: score for name, score in scores.items() if score}


def _closeness(wanted: str, word: str) -> float:
    if word == wanted:
        return _WHOLE
    if len(wanted) >= _SHORTEST_BEGINNING and word.startswith(wanted):
        return _BEGINNING
    if len(word) >= _SHORTEST_STEM and wanted.startswith(word):
        return _LONGER  # "files" finds "file"
    return 0.0


def _spaced(letter: str) -> str:
    if any(first <= letter <= last for first, last in _SIGNS):
        return f" {letter} "
    is_part = letter.isalnum() or category(letter).startswith("M")
    return letter if is_part else " "
