"""Durations and days as people write them, for whatever they write."""

from datetime import UTC, datetime, timedelta
from string import ascii_lowercase

import pytest
import typer
from hypothesis import assume, given
from hypothesis import strategies as st

from abilities_host.cli.token.duration import end_of, seconds_of, spoken, until

SECOND = 1_000_000
NOW = 1_800_000_000 * SECOND  # 2027-01-15 08:00 UTC
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
CENTURY = 36_500 * 86_400


@given(st.integers(0, CENTURY), st.sampled_from(sorted(UNITS)))
def test_a_number_and_a_unit_are_so_many_seconds(count: int, unit: str) -> None:
    assume(count * UNITS[unit] <= CENTURY)

    assert seconds_of(f"{count}{unit}") == count * UNITS[unit]
    assert seconds_of(f"00{count}{unit}"[-11:]) == count * UNITS[unit]


@given(st.integers(CENTURY + 1, 10**12), st.sampled_from(sorted(UNITS)))
def test_more_than_a_century_is_refused(count: int, unit: str) -> None:
    for read in (seconds_of, lambda text: end_of(text, NOW)):
        with pytest.raises(typer.BadParameter, match="of at most 100 years"):
            read(f"{count}{unit}")


@given(
    st.text()
    | st.from_regex(r"[0-9]*[a-z]?\s?", fullmatch=True)
    | st.from_regex(r"-?[0-9.]+[smhdw]", fullmatch=True)
)
def test_whatever_is_written_is_read_or_refused(written: str) -> None:
    try:
        seconds = seconds_of(written)
    except typer.BadParameter as error:
        assert "is no duration" in str(error)  # noqa: PT017 - both ends are right
    else:
        assert 0 <= seconds <= CENTURY
        assert written[:-1].isascii()
        assert written[:-1].isdigit()
        assert written[-1] in UNITS


@given(st.integers(1, 36_000))
def test_a_day_is_valid_to_its_end(days: int) -> None:
    today = datetime.fromtimestamp(NOW // SECOND, UTC)
    day = (today + timedelta(days=days)).replace(hour=0)

    end = end_of(f"{day:%Y-%m-%d}", NOW)

    assert end == int((day + timedelta(days=1)).timestamp()) * SECOND


@given(st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", fullmatch=True))
def test_any_day_is_later_than_now_or_refused(written: str) -> None:
    try:
        end = end_of(written, NOW)
    except typer.BadParameter as error:
        sentence = str(error)
        assert "is no day" in sentence or "is over, or more" in sentence
    else:
        assert NOW < end <= NOW + (CENTURY + 86_400) * SECOND


def test_ends_are_those_a_person_means() -> None:
    assert end_of("12h", NOW) == NOW + 43_200 * SECOND
    assert end_of("2027-01-15", NOW) == NOW + 16 * 3600 * SECOND
    for over in ("2027-01-14", "0s", "9999-12-31"):
        with pytest.raises(typer.BadParameter, match="is over, or more than"):
            end_of(over, NOW)
    for none in ("2027-02-30", "0000-01-01"):
        with pytest.raises(typer.BadParameter, match="is no day"):
            end_of(none, NOW)


@given(st.text(ascii_lowercase + "0123456789", max_size=6))
def test_what_has_no_unit_names_the_right_form(written: str) -> None:
    assume(not written or written[-1] not in UNITS)

    with pytest.raises(typer.BadParameter, match="such as 30d, 12h or 90m"):
        end_of(written, NOW)


def test_moments_are_told_in_words() -> None:
    words = [
        until(None, NOW),
        until(NOW + 30 * 86_400 * SECOND - 1, NOW),
        until(NOW + 3600 * SECOND, NOW),
        until(NOW - 90 * SECOND, NOW),
        until(NOW, NOW),
    ]

    assert words == [
        "never",
        "in 30 days",
        "in 1 hour",
        "2 minutes ago",
        "less than a second ago",
    ]
    assert spoken(SECOND) == "1 second"
