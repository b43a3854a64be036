"""Row: one piece of work, what it costs here and elsewhere, and what it should."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.bench import Bench

HERE = "this host"


@dataclass(frozen=True, slots=True)
class Goal:
    """What should be reached.

    Attributes:
        text: as the design says it.
        against: the one compared with; empty for an absolute goal.
        bound: how many times better this host must be at least; for an absolute goal,
            what its figure may be at most, or must be at least where more is better.
    """

    text: str
    against: str
    bound: float

    def is_met(self, measured: "Measured") -> bool | None:
        """Answer whether it is reached; None when what it needs was not measured."""
        if not self.against:
            return self._holds(measured.figures.get(HERE), is_rate=measured.is_rate)
        return self._holds(measured.better_than(self.against), is_rate=True)

    def _holds(self, figure: float | None, *, is_rate: bool) -> bool | None:
        if figure is None:
            return None
        return figure >= self.bound if is_rate else figure <= self.bound


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured in one run.

    Attributes:
        figures: who to the median; this host among them where it can do it.
        is_rate: whether more is better.
        remark: what a reader of the figures must know.
        spread: who to every figure that the median is of.
    """

    figures: dict[str, float]
    is_rate: bool = False
    remark: str = ""
    spread: dict[str, list[float]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, spread: dict[str, list[float]], *, is_rate: bool = False, remark: str = ""
    ) -> "Measured":
        """Take the medians of what each was measured to need.

        Args:
            spread: who to figures.
            is_rate: whether more is better.
            remark: what a reader of the figures must know.

        Returns:
            The medians and what they are of.
        """
        medians = {who: statistics.median(each) for who, each in spread.items()}
        return cls(medians, is_rate=is_rate, remark=remark, spread=spread)

    def remarked(self, remark: str) -> "Measured":
        """Give the same figures with another remark."""
        return replace(self, remark=remark)

    def better_than(self, other: str) -> float | None:
        """Say how many times better this host is than another."""
        ours, theirs = self.figures.get(HERE), self.figures.get(other)
        if ours is None or theirs is None:
            return None
        over, under = (ours, theirs) if self.is_rate else (theirs, ours)
        return over / under if under else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table.

    Attributes:
        name: the work.
        unit: of its figures.
        measure: does it.
        first: the goals while the SDK serves everything.
        second: the goals with a fast front before it.
    """

    name: str
    unit: str
    measure: "Callable[[Bench], Measured]"
    first: tuple[Goal, ...] = ()
    second: tuple[Goal, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """A row and what became of it.

    Attributes:
        row: the row.
        measured: None when it failed.
        fault: why it failed; empty when it did not.
    """

    row: Row
    measured: Measured | None = None
    fault: str = ""
