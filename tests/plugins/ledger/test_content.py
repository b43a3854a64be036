"""States become bytes of which equal ones are equal."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host import MISSING
from abilities_ledger.content import (
    NotKept,
    decode,
    digest_of,
    encode,
    is_same,
    keep,
    unpack,
)

LIMIT = 1 << 20
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=()))
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
    ),
    max_leaves=12,
)
STATES = JSON | st.binary() | st.just(MISSING)


def spelt(state: Any) -> str:
    """Say in another way what a state is; what is spelt alike is the same."""
    if isinstance(state, bytes):
        return f"bytes {state.hex()}"
    return str(state) if state is MISSING else json.dumps(state, sort_keys=True)


@given(STATES, STATES)
def test_digests_are_equal_exactly_when_the_states_are(one: Any, other: Any) -> None:
    assert (digest_of(one) == digest_of(other)) == (spelt(one) == spelt(other))
    assert is_same(one, other) == (spelt(one) == spelt(other))


@given(JSON | st.binary())
def test_what_was_written_is_read_again(state: Any) -> None:
    assert spelt(decode(encode(state))) == spelt(state)


@given(JSON | st.binary() | st.binary(min_size=2000).map(lambda data: data * 3))
def test_what_was_kept_is_unpacked_again(state: Any) -> None:
    content = keep(state, limit=LIMIT)

    assert content is not None
    assert content.data is not None
    assert spelt(unpack(content.data, is_packed=content.is_packed)) == spelt(state)
    assert content.digest == digest_of(state)


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_the_order_of_names_makes_no_difference(state: dict[str, int]) -> None:
    turned = dict(reversed(state.items()))

    assert encode(state) == encode(turned)


def test_missing_empty_and_null_are_different_things() -> None:
    states: tuple[Any, ...] = (
        MISSING,
        None,
        "",
        b"",
        [],
        {},
        "null",
        b"null",
        0,
        False,
    )

    assert len({digest_of(state) for state in states}) == len(states)


def test_bytes_are_not_the_text_that_they_spell() -> None:
    assert digest_of(b'"a"') != digest_of("a")
    assert digest_of(bytearray(b"a")) == digest_of(memoryview(b"a")) == digest_of(b"a")


@pytest.mark.parametrize(
    "state",
    [
        float("nan"),
        {"a": [float("inf")]},
        {1: "a"},
        {"a": b"bytes"},
        {"a": datetime(2026, 1, 1, tzinfo=UTC)},
        object(),
        {"a": {"b"}, "c": 1 << 70},
    ],
)
def test_what_is_neither_json_nor_bytes_is_not_kept(state: Any) -> None:
    with pytest.raises(NotKept, match="neither JSON nor bytes"):
        encode(state)


def test_what_is_nested_without_end_is_not_kept() -> None:
    state: list[Any] = []
    state.append(state)

    with pytest.raises(NotKept, match="nested too deep"):
        encode(state)


def test_json_that_is_hard_to_write_is_kept_all_the_same() -> None:
    for state in (1 << 70, {"half": "\ud800"}, [[[1 << 64]]]):
        content = keep(state, limit=LIMIT)

        assert content is not None
        assert content.data is not None
        assert unpack(content.data, is_packed=content.is_packed) == state


def test_a_state_of_just_the_limit_is_kept_and_a_larger_one_is_not() -> None:
    kept = keep(b"x" * 1000, limit=1000)
    cut = keep(b"x" * 1001, limit=1000)

    assert kept is not None
    assert (kept.size, kept.data is None) == (1000, False)
    assert cut is not None
    assert (cut.size, cut.data, cut.digest) == (1001, None, digest_of(b"x" * 1001))


def test_of_a_secret_only_the_digest_is_kept() -> None:
    content = keep("s3cret", limit=LIMIT, is_secret=True)

    assert content is not None
    assert (content.data, content.digest) == (None, digest_of("s3cret"))


def test_what_does_not_exist_has_no_content() -> None:
    assert keep(MISSING, limit=LIMIT) is None


def test_what_packing_makes_smaller_is_packed_and_nothing_else() -> None:
    noise = bytes(range(256)) * 2
    packed = [
        keep(state, limit=LIMIT) for state in ("a" * 4000, "a" * 100, noise[:300])
    ]

    assert [content and content.is_packed for content in packed] == [True, False, False]
