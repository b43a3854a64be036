"""Chart: numbers as bars that a template draws, and as a table beside them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple

MOST: Final = 60
LEAST: Final = 12
HEIGHT: Final = 100
WIDTH: Final = 10  # of one bar and the room beside it
_MICROSECONDS: Final = 1_000_000
_DAY: Final = 86_400
_LOWEST: Final = 1.5  # less is not seen
STEPS: Final = (
    *(60, 300, 900, 3_600, 21_600),
    *(_DAY, 7 * _DAY, 30 * _DAY, 365 * _DAY),
)
"""Seconds that one bar may stand for."""


class Point(NamedTuple):
    """Something that happened.

    Attributes:
        at: microseconds since 1970.
        times: how many of it.
        is_bad: it did not end well.
    """

    at: int
    times: int = 1
    is_bad: bool = False


class Bar(NamedTuple):
    """One bar.

    Attributes:
        label: what it stands for.
        total: how many.
        bad: how many of them did not end well.
    """

    label: str
    total: int
    bad: int = 0


class Shape(NamedTuple):
    """Where a bar is drawn.

    Attributes:
        bar: which.
        x: its left side.
        y: its top; the bottom is at `HEIGHT`.
        height: of all.
        bad: height of the part that did not end well, at the bottom.
    """

    bar: Bar
    x: int
    y: float
    height: float
    bad: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars side by side.

    Attributes:
        bars: from left to right.
        step: seconds that each stands for, 0 for none.
    """

    bars: tuple[Bar, ...]
    step: int = 0

    @property
    def highest(self) -> int:
        """The largest total, 0 without bars."""
        return max((bar.total for bar in self.bars), default=0)

    @property
    def width(self) -> int:
        """Of the picture, in its own units."""
        return len(self.bars) * WIDTH

    @property
    def filled(self) -> tuple[Bar, ...]:
        """The bars that are not empty, for the table."""
        return tuple(bar for bar in self.bars if bar.total)

    def shapes(self) -> Iterator[Shape]:
        """Give what is drawn: the bars that are not empty."""
        for place, bar in enumerate(self.bars):
            if bar.total:
                height = _height(bar.total, self.highest)
                bad = round(height * bar.bad / bar.total, 1)
                yield Shape(
                    bar, place * WIDTH + 1, round(HEIGHT - height, 1), height, bad
                )


def _height(count: int, highest: int) -> float:
    return round(max(_LOWEST, HEIGHT * count / highest), 1)


def over_time(points: Iterable[Point]) -> Chart:
    """Count what happened in spans of time that are equally long.

    Args:
        points: in any order.

    Returns:
        12 to 60 bars, without gaps; none when nothing happened.
    """
    counts: dict[int, list[int]] = {}
    for point in points:
        both = counts.setdefault(point.at // _MICROSECONDS, [0, 0])
        both[0] += point.times
        both[1] += point.times if point.is_bad else 0
    if not counts:
        return Chart(())
    first, last = min(counts), max(counts)
    step = _step(last - first)
    start = min(first // step, last // step - LEAST + 1)
    bars = [[0, 0] for _ in range(last // step - start + 1)]
    for second, (count, bad) in counts.items():
        bars[second // step - start][0] += count
        bars[second // step - start][1] += bad
    return Chart(
        tuple(
            Bar(_label((start + place) * step, step), *both)
            for place, both in enumerate(bars)
        ),
        step,
    )


def by_size(
    values: Iterable[int], edges: Sequence[int], labels: Sequence[str]
) -> Chart:
    """Count values by size.

    Args:
        values: any numbers.
        edges: the upper edges, growing; a value on an edge belongs below it.
        labels: of the bars, one more than there are edges.

    Returns:
        One bar for each label; none when there are no values.
    """
    counts = [0] * len(labels)
    for value in values:
        place = next((n for n, edge in enumerate(edges) if value <= edge), len(edges))
        counts[place] += 1
    if not any(counts):
        return Chart(())
    return Chart(tuple(Bar(*both) for both in zip(labels, counts, strict=True)))


def _step(span: int) -> int:
    for step in STEPS:
        if span // step < MOST - 1:
            return step
    return span // (MOST - 1) + 1


def _label(second: int, step: int) -> str:
    try:
        when = datetime.fromtimestamp(second, UTC)
    except (ValueError, OverflowError, OSError):
        return str(second)
    return f"{when:%Y-%m-%d}" if step >= _DAY else f"{when:%Y-%m-%d %H:%M}"
