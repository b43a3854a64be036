"""Pictures: bars that stand for what was counted, and what an address may ask."""

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.admin import asked
from abilities_host.admin.asked import NotUnderstood, moment_asked, number
from abilities_host.admin.chart import (
    HEIGHT,
    LEAST,
    MOST,
    Bar,
    Chart,
    Point,
    by_size,
    over_time,
)

SECOND = 1_000_000
START = 1_796_040_000 * SECOND  # 2026-11-30 12:00


def test_where_nothing_happened_there_are_no_bars() -> None:
    assert over_time([]) == Chart(())
    assert by_size([], [1], ["1", "more"]) == Chart(())
    assert (Chart(()).highest, Chart(()).width) == (0, 0)


def test_one_moment_is_one_bar_among_empty_ones() -> None:
    chart = over_time([Point(START), Point(START + SECOND, 4, is_bad=True)])
    assert len(chart.bars) == LEAST
    assert chart.step == 60
    assert chart.filled == (Bar("2026-11-30 12:00", 5, 4),)
    assert chart.bars[0].label == "2026-11-30 11:49"


def test_a_long_time_is_shown_by_the_day() -> None:
    days = [Point(START + day * 86_400 * SECOND) for day in range(30)]
    chart = over_time(days)
    assert chart.step == 86_400
    assert [bar.total for bar in chart.bars] == [1] * 30
    assert chart.bars[-1].label == "2026-12-29"


points = st.builds(
    Point,
    at=st.integers(0, 4_000_000_000 * SECOND),
    times=st.integers(1, 1000),
    is_bad=st.booleans(),
)


@given(st.lists(points, min_size=1, max_size=50))
def test_no_point_is_lost_and_there_are_never_too_many_bars(
    found: list[Point],
) -> None:
    chart = over_time(found)
    assert LEAST <= len(chart.bars) <= MOST
    assert sum(bar.total for bar in chart.bars) == sum(p.times for p in found)
    bad = sum(p.times for p in found if p.is_bad)
    assert sum(bar.bad for bar in chart.bars) == bad
    for shape in chart.shapes():
        assert 0 <= shape.y < HEIGHT
        assert 0 <= shape.bad <= shape.height <= HEIGHT
        assert shape.x < chart.width


def test_a_moment_that_no_calendar_has_is_a_number() -> None:
    chart = over_time([Point(10**18 * SECOND)])
    assert chart.filled[0].label.isdigit()


def test_values_are_counted_by_size_and_an_edge_is_below() -> None:
    chart = by_size([0, 1, 2, 3, 9], [1, 2], ["1", "2", "more"])
    assert chart.bars == (Bar("1", 2), Bar("2", 1), Bar("more", 2))
    assert [shape.height for shape in chart.shapes()] == [100.0, 50.0, 100.0]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2h", 1_796_040_000 - 7_200),
        ("2026-11-30T12:00", 1_796_040_000),
        ("2026-11-30T13:00+01:00", 1_796_040_000),
        ("999999999d", 0),
    ],
)
def test_a_time_is_understood(written: str, meant: int) -> None:
    found = moment_asked(written, "since", now=1_796_040_000)
    assert found == meant * SECOND


def test_ago_is_from_now() -> None:
    assert abs(moment_asked("0s", "since") / SECOND - time.time()) < 60
    year = datetime.fromtimestamp(moment_asked("2026-01-01", "since") / SECOND, UTC)
    assert year.year == 2026


@given(st.text())
def test_what_is_no_time_is_refused(written: str) -> None:
    said = "since is not understood."
    try:
        moment_asked(written, "since")
    except NotUnderstood as error:
        said = error.sentence
    assert said.startswith("since is not understood.")


@given(st.text() | st.integers().map(str))
def test_a_number_is_one_of_an_entry_or_none(written: str) -> None:
    found = number({"before": written}, "before")
    assert found is None or 0 < found < 2**63


def test_filters_that_are_empty_are_none() -> None:
    query = {"actor": "  ", "domain": " files ", "target": "x" * 999, "other": "y"}
    found = asked.given(query, "actor", "domain", "target", "ability")
    assert found == {"domain": "files", "target": "x" * 300}
