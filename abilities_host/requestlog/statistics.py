"""Statistics: how often, how well and how fast, for each ability."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from abilities_host.requestlog.durations import Durations
from abilities_host.requestlog.record import MICROSECONDS, Record

PERCENTS: Final = (50, 95, 99)
GROUPS: Final = 10_000
REST: Final = "other"
_MINUTE: Final = 60 * MICROSECONDS


class Row(NamedTuple):
    """What is known of one ability, method or refusal.

    Attributes:
        name: the ability; the method where none ran; the code of what was refused
            before the protocol.
        requests: how many.
        errors: those that did not end well.
        per_minute: from the first to the last request of all rows, at least a minute.
        milliseconds: p50, p95 and p99, None where nothing was measured.
    """

    name: str
    requests: int
    errors: int
    per_minute: float
    milliseconds: tuple[float | None, ...]

    @property
    def error_rate(self) -> float:
        """The part that did not end well, 0 to 1."""
        return self.errors / self.requests

    def as_json(self) -> dict[str, Any]:
        """Give JSON values; the keys are always the same."""
        spread = zip(PERCENTS, self.milliseconds, strict=True)
        return {
            "name": self.name,
            "requests": self.requests,
            "errors": self.errors,
            "error_rate": round(self.error_rate, 6),
            "per_minute": round(self.per_minute, 3),
            **{f"p{percent}_ms": value for percent, value in spread},
        }


@dataclass(slots=True)
class _Group:
    count: int = 0
    errors: int = 0
    durations: Durations = field(default_factory=Durations)


def summed_up(records: Iterable[Record]) -> list[Row]:
    """Sum up requests.

    Args:
        records: any number; of more than 10,000 different names the rest is ``other``.

    Returns:
        Rows, the most frequent first.
    """
    groups: dict[str, _Group] = {}
    first, last = 0, 0
    for record in records:
        first, last = min(first or record.at, record.at), max(last, record.at)
        _add(_group_of(groups, record), record)
    minutes = max(1.0, (last - first) / _MINUTE)
    rows = (_row(name, group, minutes) for name, group in groups.items())
    return sorted(rows, key=lambda row: (-row.requests, row.name))


def _group_of(groups: dict[str, _Group], record: Record) -> _Group:
    name = record.ability or record.method or record.code
    if name not in groups and len(groups) >= GROUPS:
        name = REST
    if name not in groups:
        groups[name] = _Group()
    return groups[name]


def _add(group: _Group, record: Record) -> None:
    group.count += record.times
    group.errors += 0 if record.is_good else record.times
    if record.method:
        group.durations.add(record.micros)


def _row(name: str, group: _Group, minutes: float) -> Row:
    spread = (group.durations.percentile(percent) for percent in PERCENTS)
    shown = tuple(None if each is None else each / 1_000 for each in spread)
    return Row(name, group.count, group.errors, group.count / minutes, shown)
