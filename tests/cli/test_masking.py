"""Secrets in the configuration are not shown."""

import pytest

from abilities_host.cli.masking import MASK, masked


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
    ],
)
def test_a_value_with_a_secret_name_is_hidden_however_deep(name: str) -> None:
    assert masked({"a": [{name: {"deep": "s3"}}]}) == {"a": [{name: MASK}]}


@pytest.mark.parametrize("name", ["root", "keys_shown", "keyboard", "bypass", ""])
def test_another_value_is_shown(name: str) -> None:
    value = {"b": [1, True, None, "x"]}

    assert masked(value, name) == value


def test_an_empty_secret_shows_that_it_is_empty() -> None:
    assert masked({"token": "", "secret": None}) == {"token": "", "secret": None}


def test_a_password_in_a_url_is_hidden() -> None:
    shown = masked(["https://me:s3cret@example.org/x?y=a@b", "no://secret/here"])

    assert shown == [f"https://me:{MASK}@example.org/x?y=a@b", "no://secret/here"]
