from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_database.cells import (
    BrokenText,
    decode_cell,
    encode_cell,
    is_same,
    read_text,
)
from abilities_database.identifiers import fold_identifier, quote_identifier
from abilities_database.refusals import InvalidTarget, InvalidValue
from abilities_database.secret_columns import SecretColumns
from abilities_database.target import RowName, parse_target
from abilities_host import MISSING

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
BROKEN = st.binary(max_size=8).map(read_text)
CELLS = st.one_of(
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.floats(allow_nan=False),
    TEXTS,
    st.binary(max_size=8),
    BROKEN,
)
NAMES = st.builds(
    RowName,
    TEXTS.filter(lambda name: bool(name) and "\0" not in name),
    st.lists(CELLS, min_size=1, max_size=3).map(tuple),
)


@given(NAMES)
def test_every_name_of_a_row_can_be_read_back(name: RowName) -> None:
    spelled = name.spell()
    assert parse_target(spelled) == name
    assert parse_target(spelled).spell() == spelled


@given(CELLS | st.none())
def test_every_cell_can_be_read_back_from_json(cell: Any) -> None:
    back = decode_cell(encode_cell(cell))
    assert (type(back), back) == (type(cell), cell)


@pytest.mark.parametrize(
    ("given_", "canonical"),
    [
        ("users/7", "users/7"),
        ("users/ 7 ", "users/7"),
        ("users/[7]", "users/7"),
        ("users/true", "users/1"),
        ('users/"\\u00e9"', 'users/"é"'),
        ('a%2Fb%25/[ "x", 1.50 ]', 'a%2Fb%25/["x",1.5]'),
        ('users/{"base64": "AA=="}', 'users/{"base64":"AA=="}'),
    ],
)
def test_every_spelling_leads_to_one(given_: str, canonical: str) -> None:
    assert parse_target(given_).spell() == canonical


@pytest.mark.parametrize(
    "text",
    [
        "people",
        "/8",
        "people/",
        "people/null",
        "people/[]",
        'people/["a",null]',
        "people/seven",
        "people/NaN",
        "people/-Infinity",
        "people/[[7]]",
        'people/{"a":1}',
        'people/{"base64":"AA==","more":1}',
        'people/{"base64":"A"}',
        'people/{"text_base64":"YQ=="}',
        'people/"\\ud800"',
        "people/9223372036854775808",
        f"people/{'9' * 5000}",
        f"people/{'[' * 4000}",
        "a%2fb/7",
        "a%/7",
        "a\0b/7",
    ],
)
def test_what_names_no_row_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(InvalidTarget) as refusal:
        parse_target(text)
    assert isinstance(refusal.value, ValueError)
    assert refusal.value.code == "invalid_target"
    assert text not in str(refusal.value)


@pytest.mark.parametrize(
    "value", [[], {}, {"base64": 1}, {"real": "nan"}, 1 << 63, float("nan"), "\ud800"]
)
def test_what_no_cell_can_hold_is_refused(value: Any) -> None:
    with pytest.raises(InvalidValue):
        decode_cell(value)


def test_numbers_that_compare_equal_are_not_the_same() -> None:
    pairs = [(1, 1), (1, 1.0), (1, True), (0.0, -0.0), ({"a": 1}, {"a": 1.0})]
    assert [is_same(*pair) for pair in pairs] == [True, False, False, True, False]
    assert is_same({"a": 1, "b": None}, {"b": None, "a": 1})
    assert not is_same(MISSING, {})
    assert is_same(MISSING, MISSING)


def test_text_that_is_not_utf8_is_kept_as_it_is() -> None:
    assert read_text(b"\xc3\xa9") == "é"
    assert read_text(b"\xff") == BrokenText(b"\xff")
    assert encode_cell(BrokenText(b"\xff")) == {"text_base64": "/w=="}


def test_identifiers_fold_as_in_sqlite_and_cannot_end_their_quotes() -> None:
    assert fold_identifier("ÄRGER Users") == "Ärger users"
    assert quote_identifier('a"; DROP TABLE b; --') == '"a""; DROP TABLE b; --"'


@pytest.mark.parametrize(
    ("column", "is_secret"),
    [
        ("password", True),
        ("password_hash", True),
        ("PasswordHash", True),
        ("accessToken", True),
        ("API_KEY", True),
        ("apiKey", True),
        ("SSHPrivateKey", True),
        ("client-secret", True),
        ("tokens_used", False),
        ("key", False),
        ("secretary", False),
        ("name", False),
        ("pin", True),
        ("PIN", True),
    ],
)
def test_secret_columns_are_known_by_name_or_named(
    column: str, *, is_secret: bool
) -> None:
    assert SecretColumns(["Users.p?n"]).holds("users", column) is is_secret
