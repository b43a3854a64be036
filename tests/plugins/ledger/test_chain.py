"""What an entry says cannot be said by another."""

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from abilities_ledger.chain import COLUMNS, first_hash, is_body_of, link, next_hash
from abilities_ledger.draft import Draft, Whose

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    ["1:a", "|", "0:|", "\n", "{}", "é\u0301", "😀", "'", "%"]
)
DIGESTS = st.none() | st.binary(min_size=32, max_size=32)
DRAFTS = st.builds(
    Draft,
    kind=st.sampled_from(["intent", "change"]),
    whose=st.builds(Whose, WORDS, WORDS, WORDS, WORDS, WORDS),
    is_listed=st.booleans(),
    domain=WORDS,
    target=WORDS,
    action=WORDS,
    result=WORDS,
    real=WORDS,
    partial=WORDS,
    about=st.none() | st.integers(1, 1 << 40),
    before=DIGESTS,
    after=DIGESTS,
    details=st.dictionaries(WORDS, WORDS | st.integers(0, 9), max_size=3),
)


def columns(draft: Draft) -> tuple[Any, ...]:
    row = draft.row(7, 1)
    details = sorted((name, str(value)) for name, value in draft.details.items())
    return (*(row[name] for name in COLUMNS), details)


@given(DRAFTS, DRAFTS)
def test_two_entries_have_one_body_only_if_they_say_the_same(
    one: Draft, other: Draft
) -> None:
    bodies = one.row(7, 1)["body"], other.row(7, 1)["body"]

    assert (bodies[0] == bodies[1]) == (columns(one) == columns(other))


ODD = st.none() | st.integers() | st.floats() | st.text(max_size=3) | st.binary()


@given(DRAFTS, st.sampled_from(COLUMNS), ODD)
@example(Draft(kind="review"), "before", b"")
def test_a_column_that_says_something_else_is_found(
    draft: Draft, name: str, value: Any
) -> None:
    row = draft.row(7, 1)
    other = {**row, name: value}
    is_same = type(value) is type(row[name]) and value == row[name]

    assert is_body_of(row["body"], [row[each] for each in COLUMNS])
    assert is_body_of(row["body"], [other[each] for each in COLUMNS]) is is_same


def test_a_text_with_a_line_in_it_is_no_way_round() -> None:
    inner = Draft(kind="review", target="x").row(7, 1)
    ending = inner["body"].partition(b"\n")[2].decode()
    outer = Draft(kind="review", partial=f"\n{ending}").row(7, 1)

    assert outer["body"].count(b"\n") == 1
    assert not is_body_of(outer["body"], [inner[each] for each in COLUMNS])


@given(DRAFTS, st.integers(2, 9), st.integers(2, 9))
def test_number_and_time_are_part_of_what_an_entry_says(
    draft: Draft, seq: int, at: int
) -> None:
    assert draft.row(1, 1)["body"] != draft.row(seq, 1)["body"]
    assert draft.row(1, 1)["body"] != draft.row(1, at)["body"]


def test_each_hash_depends_on_all_that_came_before() -> None:
    rows = [Draft(kind="review", target=str(n)).row(n, 1) for n in range(1, 4)]
    start = first_hash("r1")
    hashes = [row["hash"] for row in link(start, [dict(row) for row in rows])]

    assert hashes[0] == next_hash(start, rows[0]["body"])
    assert hashes[2] == next_hash(hashes[1], rows[2]["body"])
    swapped = link(start, [dict(rows[1]), dict(rows[0]), dict(rows[2])])
    assert len({*hashes, *(row["hash"] for row in swapped)}) == 6
    assert link(start, []) == []


def test_no_two_records_start_alike() -> None:
    assert first_hash("r1") != first_hash("r2")
