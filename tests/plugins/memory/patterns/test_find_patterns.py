"""A pattern is the same whatever the order in which it was seen."""

from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from abilities_memory.patterns import ENTRIES, Happened, Pattern, Seen, find_patterns


def seen(entry: int, session: str, **parts: Any) -> Seen:
    given: dict[str, Any] = {
        "at": entry * 10,
        "domain": "notes",
        "action": "updated",
        "kind": "*.md",
        "happened": "failed",
    }
    return Seen(entry=entry, session=session, **{**given, **parts})


SEEN = st.builds(
    Seen,
    entry=st.integers(1, 50),
    at=st.integers(0, 50),
    session=st.sampled_from(["", "s1", "s2", "s3", "s4"]),
    domain=st.sampled_from(["", "notes"]),
    action=st.sampled_from(["updated", "notes/put"]),
    kind=st.sampled_from(["", "*"]),
    happened=st.sampled_from(get_args(Happened)),
    count=st.integers(1, 3),
)


def test_three_sessions_make_a_pattern_with_all_that_is_known_of_it() -> None:
    found = find_patterns(
        [
            seen(5, "s2", at=90),
            seen(1, "s1"),
            seen(7, "s3", count=4, at=5),
            seen(3, "s1"),
            seen(9, ""),
            seen(2, "s2", kind="*"),
        ]
    )

    assert found == [
        Pattern(
            fingerprint=seen(1, "s1").pattern,
            domain="notes",
            action="updated",
            kind="*.md",
            happened="failed",
            sessions=("s1", "s2", "s3"),
            count=7,
            first=5,
            last=90,
            entries=(1, 5, 7),
        )
    ]


def test_only_the_last_sessions_are_named_by_entries_and_the_most_come_first() -> None:
    many = [seen(n, f"s{n}") for n in range(1, 30)]
    few = [seen(n, f"s{n}", kind="*") for n in range(1, 4)]

    patterns = find_patterns([*few, *many])

    assert [len(each.sessions) for each in patterns] == [29, 3]
    assert patterns[0].entries == tuple(range(30 - ENTRIES, 30))


@given(st.lists(SEEN, max_size=40), st.randoms())
def test_order_and_repetition_count_for_nothing(
    given_: list[Seen], random: Any
) -> None:
    found = find_patterns(given_)
    again = given_ * 2
    random.shuffle(again)

    assert find_patterns(again) == found


@given(st.lists(SEEN, max_size=40))
def test_each_is_found_once_and_in_enough_sessions(given_: list[Seen]) -> None:
    found = find_patterns(given_)

    prints = [each.fingerprint for each in found]
    assert len(set(prints)) == len(prints)
    for each in found:
        own = {s.session for s in given_ if s.pattern == each.fingerprint} - {""}
        assert set(each.sessions) == own
        assert len(own) >= 3
