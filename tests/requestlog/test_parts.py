"""Pure parts of the log: cleaned text, ids of traces, durations, statistics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from requestlog.log_world import NOW, record

from abilities_host.requestlog.cleaning import cleaned
from abilities_host.requestlog.durations import Durations
from abilities_host.requestlog.record import Counted
from abilities_host.requestlog.statistics import GROUPS, Row, summed_up
from abilities_host.requestlog.traceparent import trace_of

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"


@given(st.text(), st.integers(0, 40))
def test_any_text_becomes_one_short_line_that_prints(text: str, limit: int) -> None:
    shown = cleaned(text, limit)

    kept = text[:limit]
    assert len(shown) == len(kept)
    assert all(a == b or not b.isprintable() for a, b in zip(shown, kept, strict=True))
    assert shown.isprintable()
    assert cleaned(shown, limit) == shown


def test_line_ends_escapes_and_marks_of_direction_are_replaced() -> None:
    assert cleaned("a\r\nb\x1b[31m\u202ec\ud800\u2028d", 20) == "a��b�[31m�c��d"


@pytest.mark.parametrize(
    ("written", "trace"),
    [
        (PARENT, TRACE),
        (f"01-{TRACE}-b7ad6b7169203331-01-more", TRACE),
        (f"{PARENT}-more", ""),
        (f"ff-{TRACE}-b7ad6b7169203331-01", ""),
        (f"00-{'0' * 32}-b7ad6b7169203331-01", ""),
        (f"00-{TRACE}-{'0' * 16}-01", ""),
        (PARENT.upper(), ""),
        (f"{PARENT}\n", ""),
        (f"01-{TRACE}-b7ad6b7169203331-01-{'m' * 300}", ""),
        ("", ""),
        (None, ""),
        (7, ""),
    ],
)
def test_the_id_of_a_trace_is_read_from_what_w3c_describes(
    written: object, trace: str
) -> None:
    assert trace_of(written) == trace


@given(
    st.lists(st.integers(0, 10**10), min_size=1),
    st.sampled_from([0, 50, 95, 99, 100]),
)
def test_percentiles_are_exact_to_one_percent(micros: list[int], percent: int) -> None:
    durations = Durations()
    for each in micros:
        durations.add(each)

    wanted = percent / 100 * len(micros)
    exact = next(m for n, m in enumerate(sorted(micros), 1) if n >= wanted)
    found = durations.percentile(percent)
    assert found is not None
    assert exact * (1 - 1 / 64) <= found <= exact
    assert len(durations) == len(micros)


def test_without_durations_there_is_no_percentile() -> None:
    assert Durations().percentile(50) is None


def test_requests_are_summed_up_for_each_ability_method_and_refusal() -> None:
    minute = 60_000_000
    listing = record(ability="", method="tools/list", micros=2_000)
    requests = [
        record(micros=1_000),
        record(micros=3_000, status="failed", at=NOW + 2 * minute),
        record(micros=1_000, status="input_required"),
        listing,
        Counted(NOW // 1_000_000, "http", "", "http_401").record(40),
    ]

    rows = summed_up(requests)

    assert rows == [
        Row("http_401", 40, 40, 20.0, (None, None, None)),
        Row("files/read", 3, 1, 1.5, (1.0, 2.976, 2.976)),
        Row("tools/list", 1, 0, 0.5, (2.0, 2.0, 2.0)),
    ]
    assert rows[0].error_rate == 1.0
    assert rows[1].as_json() == {
        "name": "files/read",
        "requests": 3,
        "errors": 1,
        "error_rate": 0.333333,
        "per_minute": 1.5,
        "p50_ms": 1.0,
        "p95_ms": 2.976,
        "p99_ms": 2.976,
    }


def test_of_too_many_names_the_rest_is_one() -> None:
    rows = summed_up(record(ability=f"a/b{n}") for n in range(GROUPS + 50))

    assert (len(rows), rows[0].name, rows[0].requests) == (GROUPS + 1, "other", 50)
