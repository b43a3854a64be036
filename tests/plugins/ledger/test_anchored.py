"""Lines are compared piece by piece, and the pieces are those of both sides."""

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from abilities_ledger.anchored import Anchored

LINES = st.lists(st.sampled_from([*"abcde", *map(str, range(20))]), max_size=40)


@given(LINES, LINES)
def test_pieces_are_equal_grow_and_end_at_the_end(
    old: list[str], new: list[str]
) -> None:
    blocks = Anchored(old, new).get_matching_blocks()

    assert blocks[-1] == (len(old), len(new), 0)
    for block in blocks:
        a, b, size = block
        assert old[a : a + size] == new[b : b + size]
    ends = [(block.a + block.size, block.b + block.size) for block in blocks]
    for (a, b), block in zip(ends, blocks[1:], strict=False):
        assert block.a >= a
        assert block.b >= b
        assert block.size == 0 or (block.a, block.b) != (a, b)


@given(LINES, LINES)
def test_what_leads_from_one_to_the_other_is_whole(
    old: list[str], new: list[str]
) -> None:
    made: list[str] = []
    for tag, a, end_a, b, end_b in Anchored(old, new).get_opcodes():
        made += old[a:end_a] if tag == "equal" else new[b:end_b]

    assert made == new


def test_lines_that_each_side_has_once_are_kept() -> None:
    old = [f"line {n}" for n in range(40)]
    new = [f"other {n}" if n % 4 == 0 else f"line {n}" for n in range(40)]

    blocks = Anchored(old, new).get_matching_blocks()

    assert blocks == SequenceMatcher(None, old, new).get_matching_blocks()


def test_what_was_moved_is_taken_out_and_put_in() -> None:
    blocks = Anchored([*"abcdef"], [*"efabcd"]).get_matching_blocks()

    assert blocks == [(0, 2, 4), (6, 6, 0)]


def test_lines_that_stand_more_than_once_are_kept_between_the_others() -> None:
    blocks = Anchored(["a", "x", "x", "b"], ["a", "x", "x", "c", "b"])

    assert blocks.get_matching_blocks() == [(0, 0, 3), (3, 4, 1), (4, 5, 0)]
