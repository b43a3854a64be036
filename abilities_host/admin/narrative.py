"""Narrative: what an agent tells, with the sentences marked that differ from facts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

_ENDS: Final = "\n.!?…\"”»'\u2019)]`*"
"""What stands before the beginning of a sentence, but for blanks."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a narrative.

    Attributes:
        text: as it was written.
        number: of the note about it, 0 without one.
        is_first: whether no earlier piece has the number.
    """

    text: str
    number: int = 0
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """What is said of one sentence.

    Attributes:
        number: from 1 on, in the order of the narrative.
        sentence: as it was written.
        divergences: where it differs from the record.
        is_found: whether the narrative has the sentence.
    """

    number: int
    sentence: str
    divergences: tuple[Mapping[str, Any], ...]
    is_found: bool


@dataclass(frozen=True, slots=True)
class Marked:
    """A narrative, and the notes about it.

    Attributes:
        pieces: make the narrative, one after the other.
        notes: by number; those whose sentence was not found come last.
        untold: the divergences that have no sentence.
    """

    pieces: tuple[Piece, ...]
    notes: tuple[Note, ...]
    untold: tuple[Mapping[str, Any], ...]


def mark(narrative: str, divergences: Sequence[Mapping[str, Any]]) -> Marked:
    """Mark the sentences that differ from the record.

    Args:
        narrative: of an agent; anything.
        divergences: of a `Summary`.

    Returns:
        The whole narrative in pieces; each sentence has one note.
    """
    about: dict[str, list[Mapping[str, Any]]] = {}
    for each in divergences:
        about.setdefault(str(each.get("sentence", "")), []).append(each)
    untold = about.pop("", [])
    places = _places(narrative, list(about))
    found = list(dict.fromkeys(sentence for _, sentence in places))
    missing = [sentence for sentence in about if sentence not in found]
    numbers = {each: at for at, each in enumerate([*found, *missing], 1)}
    notes = tuple(
        Note(number, each, tuple(about[each]), is_found=number <= len(found))
        for each, number in numbers.items()
    )
    pieces = tuple(_pieces(narrative, places, numbers))
    return Marked(pieces, notes, tuple(untold))


def _places(narrative: str, sentences: Sequence[str]) -> list[tuple[int, str]]:
    """Find where sentences are, the longest first, so that none is in another."""
    taken: list[tuple[int, str]] = []
    for sentence in sorted(sentences, key=len, reverse=True):
        free = [
            at.start()
            for at in re.finditer(re.escape(sentence), narrative)
            if _is_free(at.start(), at.end(), taken)
        ]
        whole = [at for at in free if _begins(narrative, at)]
        taken += [(at, sentence) for at in whole or free[:1]]
    return sorted(taken)


def _is_free(start: int, end: int, taken: Sequence[tuple[int, str]]) -> bool:
    return all(end <= at or at + len(other) <= start for at, other in taken)


def _begins(narrative: str, at: int) -> bool:
    before = narrative[:at].rstrip(" \t")
    return not before or before[-1] in _ENDS


def _pieces(
    narrative: str, places: Sequence[tuple[int, str]], numbers: Mapping[str, int]
) -> Iterator[Piece]:
    end, seen = 0, set[str]()
    for at, sentence in places:
        if at > end:
            yield Piece(narrative[end:at])
        yield Piece(sentence, numbers[sentence], sentence not in seen)
        end = at + len(sentence)
        seen.add(sentence)
    if end < len(narrative):
        yield Piece(narrative[end:])
