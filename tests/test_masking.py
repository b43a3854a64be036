"""What is secret by its name or schema is not shown and not kept."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.masking import MASK, masked


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "db_passwd",
        "passphrase",
        "Secret",
        "apiKey",
        "api-key",
        "accessToken",
        "authorization",
        "private",
        "key",
        "signing_key",
        "auth",
        "basic_auth",
        "auth-header",
        "session_token",
        "AUTHORIZATION",
        "privateKey",
    ],
)
def test_a_value_with_a_secret_name_is_hidden_however_deep(name: str) -> None:
    assert masked({"a": [{name: {"deep": "s3"}}]}) == {"a": [{name: MASK}]}


@pytest.mark.parametrize(
    "name",
    [
        "root",
        "keys_shown",
        "keyboard",
        "bypass",
        "",
        "author",
        "authors_list",
        "tokenizer",
        "monkey",
    ],
)
def test_another_value_is_shown(name: str) -> None:
    value = {"b": [1, True, None, "x"], "é": {}, "c": []}

    assert masked(value, name) == value


def test_an_empty_secret_shows_that_it_is_empty() -> None:
    assert masked({"token": "", "secret": None}) == {"token": "", "secret": None}


def test_a_password_in_a_url_is_hidden() -> None:
    shown = masked(["https://me:s3cret@example.org/x?y=a@b", "no://secret/here"])

    assert shown == [f"https://me:{MASK}@example.org/x?y=a@b", "no://secret/here"]


@pytest.mark.parametrize(
    "shown",
    [
        {"is_private": True, "secret": False},
        {"max_tokens": 4096, "tokens_used": 1.5},
        {"author": "ann", "title": "token ring"},
    ],
)
def test_a_yes_or_no_and_an_amount_give_nothing_away(shown: Any) -> None:
    assert masked(shown) == shown


def test_a_number_under_a_secret_name_is_hidden() -> None:
    assert masked({"password": 1234, "token": 7}) == {"password": MASK, "token": MASK}


@pytest.mark.parametrize(
    "mark", [{"writeOnly": True}, {"format": "password"}, {"x-secret": True}]
)
def test_what_the_schema_calls_secret_is_hidden(mark: dict[str, Any]) -> None:
    schema = {
        "properties": {
            "pin": mark,
            "all": {"items": mark},
            "in": {"properties": {"x": mark, "y": {}}},
        }
    }
    given_ = {"pin": "1", "all": ["2", ""], "in": {"x": {"deep": 3}, "y": 4}, "z": 5}

    assert masked(given_, schema=schema) == {
        "pin": MASK,
        "all": [MASK, ""],
        "in": {"x": MASK, "y": 4},
        "z": 5,
    }


@pytest.mark.parametrize(
    "schema", [None, {}, {"writeOnly": False}, {"properties": None}]
)
def test_a_schema_that_says_nothing_hides_nothing(schema: Any) -> None:
    assert masked({"a": ["x"]}, schema=schema) == {"a": ["x"]}


NAMES = st.sampled_from(["a", "password", "author", "api_key", "list"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner),
    max_leaves=10,
)


@given(JSON)
def test_masking_twice_is_masking_once(value: Any) -> None:
    once = masked(value)

    assert masked(once) == once


@given(st.dictionaries(NAMES, JSON))
def test_a_hidden_value_stands_nowhere(value: dict[str, Any]) -> None:
    shown = masked({**value, "all": [{**value, "password": {"in": ["w0rd, w0rd"]}}]})

    assert "w0rd, w0rd" not in str(shown)


def test_names_that_are_no_texts_are_looked_at_too() -> None:
    assert masked({1: "a", 2: {"pwd": "b"}}) == {1: "a", 2: {"pwd": MASK}}
