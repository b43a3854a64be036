"""The order of guidance is fixed, and what does not fit is at the end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins.memory.guidances import approved

from abilities_host.memory.guidance import Scope
from abilities_memory.ranking import rank_of, reordered, tokens_of, within_budget
from abilities_memory.rows import (
    MOST_MATCHES,
    RowSets,
    first_of,
    layers_of,
    ranked,
    rows_of,
)

NUMBERS = st.sets(st.integers(0, 199))


def test_priority_counts_before_scope_and_scope_before_review() -> None:
    post, target = Scope(site_wide=False, post_id=1), Scope(target="files:a")
    both = Scope(site_wide=False, post_id=1, target="files:a")
    expected = [
        approved(9, priority=1),
        approved(8, scope=both),
        approved(7, scope=post),
        approved(6, scope=target),
        approved(5),
        approved(4),
        approved(2, reviewed_at=5),
        approved(999, reviewed_at=5),
        approved(1000, reviewed_at=5),
        approved(1, reviewed_at=None),
        approved(0, priority=-1),
    ]
    assert sorted(expected[1::2] + expected[::2], key=rank_of) == expected
    assert sorted(expected[5:] + expected[:5], key=rank_of) == expected


@given(NUMBERS, st.integers(0, 200))
def test_a_set_gives_its_first_entries(numbers: set[int], count: int) -> None:
    rows = rows_of(numbers, 200)

    assert first_of(rows, count) == sorted(numbers)[:count]
    assert rows.bit_count() == len(numbers)


@given(st.lists(NUMBERS, max_size=12), NUMBERS, st.integers(1, 50), st.integers(0, 200))
def test_more_matches_come_first_in_a_level(
    sets: list[set[int]], numbers: set[int], size: int, count: int
) -> None:
    def level(number: int) -> int:
        start = number // size * size
        return rows_of(range(start, min(start + size, 200)), 200)

    def key(number: int) -> tuple[int, int, int]:
        matches = sum(number in each for each in sets)
        return (number // size, -min(matches, MOST_MATCHES), number)

    layers = layers_of(rows_of(each, 200) for each in sets)
    found = ranked(rows_of(numbers, 200), layers, level, count)

    assert found == sorted(numbers, key=key)[:count]


@given(NUMBERS)
def test_sets_are_the_same_kept_as_bits_or_numbers(numbers: set[int]) -> None:
    sets = RowSets({"some": sorted(numbers), "all": range(200)}, 200)

    assert sets.get("some") == rows_of(numbers, 200)
    assert sets.get("all").bit_count() == 200
    assert sets.get("none") == 0


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        (["c", "a", "b"], "CAB"),
        (["b"], "B"),
        ([], ""),
        (["a", "x", "a", "c"], "AC"),
    ],
)
def test_a_plugin_may_reorder_or_drop_and_not_add(
    answer: list[str], items: str
) -> None:
    assert reordered("ABC", "abc", answer) == list(items)


@pytest.mark.parametrize(
    ("tokens", "count"), [(-1, 0), (0, 0), (2, 0), (3, 1), (8, 1), (9, 2), (99, 3)]
)
def test_what_fits_is_taken_from_the_start(tokens: int, count: int) -> None:
    texts = ["a" * 12, "b" * 24, "c"]

    assert within_budget(texts, tokens, str) == texts[:count]


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("não 支", 3)]
)
def test_a_token_is_four_plain_characters_or_one_other(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens
