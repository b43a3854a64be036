"""Words: what is different inside a line, marked word by word."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

ROOM: Final = 40_000  # pairs of words that are compared for one page
PAIRS: Final = 1_600  # of one line
_ALIKE: Final = 0.3  # of the longer line; below that marks only confuse
_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")

Pieces = tuple[tuple[str, bool], ...]
"""Parts of a line, each with whether it is different."""

Spans = list[tuple[Sequence[str], bool]]


class Words:
    """Compares lines as long as there is room, since comparing may take long."""

    def __init__(self, room: int = ROOM) -> None:
        self._left = room

    def compare(self, old: str, new: str) -> tuple[Pieces, Pieces]:
        """Mark what is different in two lines.

        Args:
            old: a line.
            new: what has taken its place.

        Returns:
            Both in pieces; as a whole when they have little in common.
        """
        one, other = _WORD.findall(old), _WORD.findall(new)
        head = _common(one, other)
        tail = _common(one[head:][::-1], other[head:][::-1])
        ends = len(one) - tail, len(other) - tail
        inner = self._inner(one[head : ends[0]], other[head : ends[1]])
        found = tuple(
            _joined([(side[:head], False), *middle, (side[end:], False)])
            for side, middle, end in zip((one, other), inner, ends, strict=True)
        )
        if _alike(found[0]) < _ALIKE * max(len(old), len(new)):
            return _whole(old), _whole(new)
        return found[0], found[1]

    def _inner(self, one: Sequence[str], other: Sequence[str]) -> tuple[Spans, Spans]:
        pairs = len(one) * len(other)
        if not pairs or pairs > min(PAIRS, self._left):
            return [(one, True)], [(other, True)]
        self._left -= pairs
        matcher = SequenceMatcher(None, one, other, autojunk=False)
        spans: tuple[Spans, Spans] = ([], [])
        for tag, *places in matcher.get_opcodes():
            same = one[places[0] : places[1]]
            is_other = tag != "equal" or not "".join(same).strip()
            spans[0].append((same, is_other))
            spans[1].append((other[places[2] : places[3]], is_other))
        return spans


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _joined(spans: Spans) -> Pieces:
    pieces: list[tuple[str, bool]] = []
    for words, is_other in spans:
        text = "".join(words)
        if text and pieces and pieces[-1][1] == is_other:
            pieces[-1] = (pieces[-1][0] + text, is_other)
        elif text:
            pieces.append((text, is_other))
    return tuple(pieces)


def _alike(pieces: Pieces) -> int:
    return sum(len(text) for text, is_other in pieces if not is_other)


def _whole(line: str) -> Pieces:
    return ((line, True),) if line else ()
