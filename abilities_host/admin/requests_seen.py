"""Requests seen: a bounded part of the log of requests, as the page shows it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from abilities_host.admin.chart import Chart, Point, by_size, over_time
from abilities_host.admin.texts import Texts
from abilities_host.requestlog.durations import Durations
from abilities_host.requestlog.query import RequestQuery
from abilities_host.requestlog.reading import Kept, RequestReader
from abilities_host.requestlog.record import Record
from abilities_host.requestlog.statistics import PERCENTS, Row, summed_up

SHOWN: Final = 50
SUMMED: Final = 2_000
LOOK: Final = 100_000
"""Numbers that one page looks through, whatever the filters are."""

TOP: Final = 5
_EDGES: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000)  # milliseconds
_SECOND: Final = 1_000


@dataclass(frozen=True, slots=True)
class Seen:
    """What was read.

    Attributes:
        rows: the requests of one page, newest first.
        next: what `before` must be for the following page, None at the end.
        summed: the newest requests that fit, for pictures and statistics.
        newest: number of the newest request of all, 0 without one.
    """

    rows: Sequence[Kept]
    next: int | None
    summed: Sequence[Record]
    newest: int


def read_seen(reader: RequestReader, query: RequestQuery, before: int | None) -> Seen:
    """Read one page of the log, and what is summed up beside it; blocks.

    Args:
        reader: of the log.
        query: the filters.
        before: only smaller numbers in the page; None for the newest.

    Returns:
        Both, from bounded parts of the log.

    Raises:
        RequestLogUnusable: when the file cannot be read.
    """
    first = reader.newest(RequestQuery(), 1)
    newest = first[0].seq if first else 0
    summed = reader.newest(replace(query, after=max(0, newest - LOOK)), SUMMED)
    top = newest + 1 if before is None else min(before, newest + 1)
    floor = max(0, top - 1 - LOOK)
    rows = (
        summed[:SHOWN]
        if before is None
        else reader.newest(replace(query, before=top, after=floor), SHOWN)
    )
    if len(rows) == SHOWN:
        following: int | None = rows[-1].seq
    else:
        following = floor + 1 if floor else None
    return Seen(rows, following, [each.record for each in summed], newest)


def calls_over_time(records: Sequence[Record]) -> Chart:
    """Count requests in spans of time, and those that did not end well.

    Args:
        records: in any order.
    """
    return over_time(Point(r.at, r.times, is_bad=not r.is_good) for r in records)


def latencies(records: Sequence[Record], texts: Texts) -> Chart:
    """Count requests by how long they took.

    Args:
        records: in any order; those that were only counted are left out.
        texts: the words of the labels.
    """
    labels = [
        texts.text("log.upto_ms", number=edge)
        if edge < _SECOND
        else texts.text("log.upto_s", number=edge // _SECOND)
        for edge in _EDGES
    ]
    micros = (record.micros for record in records if record.method)
    edges = [edge * 1_000 for edge in _EDGES]
    return by_size(micros, edges, [*labels, texts.text("log.slower")])


def spread(records: Sequence[Record]) -> list[tuple[int, float]]:
    """Give percentiles of how long requests took.

    Args:
        records: in any order.

    Returns:
        Percent and milliseconds; empty when nothing was measured.
    """
    durations = Durations()
    for record in records:
        if record.method:
            durations.add(record.micros)
    found = ((percent, durations.percentile(percent)) for percent in PERCENTS)
    return [(percent, value / 1_000) for percent, value in found if value is not None]


def tops(records: Sequence[Record]) -> tuple[list[Row], list[Row]]:
    """Give the slowest and the most failing, five of each.

    Args:
        records: in any order.

    Returns:
        Rows by their 95th percentile, and rows by their errors; what never failed is
        in none of the second.
    """
    rows = summed_up(records)
    timed = [row for row in rows if row.milliseconds[1] is not None]
    slowest = sorted(timed, key=lambda row: -(row.milliseconds[1] or 0))
    failing = sorted((row for row in rows if row.errors), key=lambda row: -row.errors)
    return slowest[:TOP], failing[:TOP]
