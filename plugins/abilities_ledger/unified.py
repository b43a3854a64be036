"""Unified: two texts compared line by line, in bounded time and space."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from abilities_ledger.anchored import Anchored

LINES: Final = 2000
CHARACTERS: Final = 100_000
LINE_CHARACTERS: Final = 500
COMPARED: Final = 2000  # lines that differ; comparing more could take minutes
_CONTEXT: Final = 3
_NO_END: Final = "\\ No newline at end of file"

_Code = tuple[str, int, int, int, int]


class Shown(NamedTuple):
    """A comparison to read.

    Attributes:
        text: lines.
        is_cut: there is more than is shown.
    """

    text: str
    is_cut: bool


def unified(before: str, after: str) -> Shown:
    """Compare two texts.

    Args:
        before: of any size.
        after: of any size.

    Returns:
        Hunks of a unified diff; where more than 2,000 lines in a row differ, all old
        ones stand before all new ones.
    """
    return cut(_hunks(_lines(before), _lines(after)))


def cut(lines: Iterator[str]) -> Shown:
    """Keep as many lines, and as much of each, as a person would read.

    Args:
        lines: made one by one; no more are taken than are shown.

    Returns:
        At most 2,000 lines, 100,000 characters and 500 characters a line.
    """
    kept: list[str] = []
    room, is_cut = CHARACTERS, False
    for line in lines:
        if len(kept) == LINES or room < len(line[:LINE_CHARACTERS]):
            return Shown("\n".join(kept), is_cut=True)
        is_long = len(line) > LINE_CHARACTERS
        kept.append(line[:LINE_CHARACTERS] + "…" * is_long)
        room -= len(kept[-1]) + 1
        is_cut = is_cut or is_long
    return Shown("\n".join(kept), is_cut)


def common(one: Sequence[object], other: Sequence[object]) -> int:
    """Count how many items two sequences have in common at their start."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _lines(text: str) -> list[str]:
    """Split at line feeds only, so that a changed carriage return shows."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    """Compare what lies between the common start and the common end."""
    head = common(old, new)
    tail = common(old[head:][::-1], new[head:][::-1])
    start, rest = max(0, head - _CONTEXT), max(0, tail - _CONTEXT)
    parts = old[start : len(old) - rest], new[start : len(new) - rest]
    for group in _groups(*parts, head - start, tail - rest):
        yield _header(group, start)
        for code in group:
            yield from _marked(code, *parts)


def _groups(
    old: list[str], new: list[str], head: int, tail: int
) -> Iterator[list[_Code]]:
    if max(len(old), len(new)) - head - tail > COMPARED:
        ends = len(old) - tail, len(new) - tail
        yield [
            ("equal", 0, head, 0, head),
            ("replace", head, ends[0], head, ends[1]),
            ("equal", ends[0], len(old), ends[1], len(new)),
        ]
    elif old != new:
        groups = Anchored(old, new).get_grouped_opcodes(_CONTEXT)
        yield from (list(group) for group in groups)


def _header(group: list[_Code], start: int) -> str:
    first, last = group[0], group[-1]
    old = _range(first[1] + start, last[2] + start)
    new = _range(first[3] + start, last[4] + start)
    return f"@@ -{old} +{new} @@"


def _range(start: int, stop: int) -> str:
    length = stop - start
    return f"{start + bool(length)},{length}"


def _marked(code: _Code, old: list[str], new: list[str]) -> Iterator[str]:
    tag, old_from, old_to, new_from, new_to = code
    if tag == "equal":
        yield from _ended(" ", old[old_from:old_to])
        return
    yield from _ended("-", old[old_from:old_to])
    yield from _ended("+", new[new_from:new_to])


def _ended(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line.removesuffix("\n")
        if not line.endswith("\n"):
            yield _NO_END
