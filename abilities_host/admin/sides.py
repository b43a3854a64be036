"""Sides: the lines of a unified diff, side by side."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final, Literal

from abilities_host.admin.weight import weight_of
from abilities_host.admin.words import Pieces, Words

ROOM: Final = 60_000  # bytes of HTML
_ROW: Final = 90  # bytes of HTML around what a row says
_MARK: Final = 11  # bytes of HTML around what is marked
_HUNK: Final = re.compile(r"@@ -(\d+),\d+ \+(\d+),\d+ @@")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one side.

    Attributes:
        number: from 1 on.
        pieces: what it says.
        is_open: the text ends here, without the end of a line.
    """

    number: int
    pieces: Pieces
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """What stands beside each other.

    Attributes:
        kind: ``same``, ``other`` for what is different, ``gap`` for lines left out.
        old: the line before, None where there is none.
        new: the line after, likewise.
    """

    kind: Literal["same", "other", "gap"]
    old: Line | None = None
    new: Line | None = None


@dataclass(frozen=True, slots=True)
class Sides:
    """A comparison.

    Attributes:
        rows: in their order.
        is_cut: there are more than are shown.
    """

    rows: tuple[Row, ...]
    is_cut: bool


def side_by_side(lines: Iterable[str], room: int = ROOM) -> Sides:
    """Put the lines of a unified diff beside each other; may take long.

    Args:
        lines: hunks with their headers, without the names of files.
        room: bytes of HTML.

    Returns:
        As many rows as have room.
    """
    rows: list[Row] = []
    for row in _Reading().rows(lines):
        room -= _weight(row)
        if room < 0:
            return Sides(tuple(rows), is_cut=True)
        rows.append(row)
    return Sides(tuple(rows), is_cut=False)


class _Reading:
    """Where a reader of hunks is."""

    def __init__(self) -> None:
        self._words: Final = Words()
        self._old, self._new = 1, 1
        self._removed: list[Line] = []
        self._added: list[Line] = []

    def rows(self, lines: Iterable[str]) -> Iterator[Row]:
        kept: Row | None = None  # until it is known whether its line ends
        for line in lines:
            mark, text = line[:1], line[1:]
            if mark == "\\":
                kept = self._opened(kept)
                continue
            if kept:
                yield kept
                kept = None
            if mark == "-":
                self._removed.append(Line(self._old, _plain(text)))
                self._old += 1
            elif mark == "+":
                self._added.append(Line(self._new, _plain(text)))
                self._new += 1
            else:
                yield from self._changed()
                kept = self._gap(line) if mark == "@" else self._same(text)
        if kept:
            yield kept
        yield from self._changed()

    def _same(self, text: str) -> Row:
        row = Row("same", Line(self._old, _plain(text)), Line(self._new, _plain(text)))
        self._old, self._new = self._old + 1, self._new + 1
        return row

    def _gap(self, header: str) -> Row | None:
        found = _HUNK.match(header)
        if found is None:
            return None
        before = self._old, self._new
        self._old, self._new = (max(1, int(each)) for each in found.groups())
        return None if before == (self._old, self._new) else Row("gap")

    def _opened(self, kept: Row | None) -> Row | None:
        """Mark the newest line: the text ends there."""
        if kept and kept.old and kept.new:
            old, new = (replace(each, is_open=True) for each in (kept.old, kept.new))
            return Row(kept.kind, old, new)
        newest = self._added or self._removed
        if newest:
            newest[-1] = replace(newest[-1], is_open=True)
        return kept

    def _changed(self) -> Iterator[Row]:
        """Put what went beside what came, line by line."""
        for old, new in zip_longest(self._removed, self._added):
            yield self._marked(old, new)
        self._removed, self._added = [], []

    def _marked(self, old: Line | None, new: Line | None) -> Row:
        if old is not None and new is not None:
            pieces = self._words.compare(_text(old), _text(new))
            one, other = replace(old, pieces=pieces[0]), replace(new, pieces=pieces[1])
            return Row("other", one, other)
        return Row("other", _whole(old), _whole(new))


def _plain(text: str) -> Pieces:
    return ((text, False),) if text else ()


def _text(line: Line) -> str:
    return "".join(text for text, _ in line.pieces)


def _whole(line: Line | None) -> Line | None:
    return line and replace(line, pieces=tuple((text, True) for text, _ in line.pieces))


def _weight(row: Row) -> int:
    pieces = [piece for line in (row.old, row.new) if line for piece in line.pieces]
    return _ROW + sum(weight_of(text) + _MARK * marked for text, marked in pieces)
