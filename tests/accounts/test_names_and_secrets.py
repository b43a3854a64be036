"""What a name and a secret may be, and how long a failure lasts."""

import pytest
from accounts.world import CHEAP, SECRET
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.accounts import InvalidAccountName, UnsuitableSecret
from abilities_host.accounts.account import NAME_LIMIT, account_name
from abilities_host.accounts.errors import told_wait
from abilities_host.accounts.hashing import (
    Cost,
    check_secret,
    decoy,
    hash_secret,
    matches,
)
from abilities_host.accounts.waiting import LONGEST, seconds_after, seconds_left


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("ana", "ana"),
        ("Ana", "ana"),
        ("José.M", "jose.m"),
        ("\uff41\uff4e\uff41", "ana"),
        ("a-b_c.9", "a-b_c.9"),
        ("x" * 64, "x" * 64),
    ],
)
def test_every_spelling_of_a_name_is_one_name(written: str, name: str) -> None:
    assert account_name(written) == name


@pytest.mark.parametrize(
    "written",
    [
        "",
        "9a",
        "a b",
        "a/b",
        "-a",
        "x" * 65,
        "\u0430na",
        "a\u202e",
        "a\n",
        "\ufdfa" * 4,
    ],
)
def test_what_is_no_name_is_refused_without_repeating_it(written: str) -> None:
    with pytest.raises(InvalidAccountName) as error:
        account_name(written)

    assert written == "" or written not in str(error.value)


@given(st.text(max_size=80))
def test_a_name_is_folded_once_and_short(written: str) -> None:
    try:
        name = account_name(written)
    except InvalidAccountName:
        return
    assert account_name(name) == name
    assert 0 < len(name) <= NAME_LIMIT
    assert name.isascii()


@pytest.mark.parametrize(
    ("secret", "problem"),
    [
        ("nine char", "it has fewer than 10 characters"),
        ("e\u0301" * 9, "it has fewer than 10 characters"),
        ("x" * 1025, "it is longer than 1024 bytes"),
        ("\u00e9" * 513, "it is longer than 1024 bytes"),
        ("tab \t tab tab", "it holds a character that does not print"),
        ("half \ud800 a character", "it holds a character that does not print"),
    ],
)
def test_a_secret_that_cannot_be_taken_says_why(secret: str, problem: str) -> None:
    with pytest.raises(UnsuitableSecret, match=f"cannot be taken: {problem}"):
        check_secret(secret)


@pytest.mark.parametrize("secret", ["ten chars.", "\u00e9" * 10, "x" * 1024])
def test_a_secret_of_ten_characters_is_taken(secret: str) -> None:
    check_secret(secret)

    assert matches(secret, hash_secret(secret, CHEAP))


def test_a_secret_matches_however_the_keyboard_writes_its_accents() -> None:
    kept = hash_secret("caf\u00e9 caf\u00e9 caf\u00e9", CHEAP)

    assert matches("cafe\u0301 cafe\u0301 cafe\u0301", kept)


@given(st.text(max_size=30))
def test_nothing_else_matches(secret: str) -> None:
    assert not matches(secret, hash_secret(SECRET, CHEAP))


def test_a_decoy_looks_like_a_hash_and_is_nobodys() -> None:
    kept, nobody = hash_secret(SECRET, CHEAP), decoy(CHEAP)

    assert len(nobody) == len(kept)
    assert nobody.rsplit("$", 2)[0] == kept.rsplit("$", 2)[0]
    assert not matches(SECRET, nobody)
    assert decoy(CHEAP) != nobody


def test_a_guess_costs_what_the_hash_says() -> None:
    assert Cost().prefix == "$argon2id$v=19$m=65536,t=3,p=4$"
    assert hash_secret(SECRET, CHEAP).startswith("$argon2id$v=19$m=8,t=1,p=1$")
    assert hash_secret(SECRET, CHEAP) != hash_secret(SECRET, CHEAP)


@given(st.integers(1, 10_000))
def test_a_wait_never_shrinks_and_never_passes_the_longest(failures: int) -> None:
    wait = seconds_after(failures)

    assert 60 <= wait <= seconds_after(failures + 1) <= LONGEST


@pytest.mark.parametrize(
    ("until", "now", "left"),
    [
        (0, 1000.0, 0),
        (1000, 1000.0, 0),
        (1000, 999.2, 1),
        (1060, 1000.0, 60),
        (1960, 1000.0, 960),
        (1961, 1000.0, 0),
    ],
)
def test_what_is_left_of_a_wait(until: int, now: float, left: int) -> None:
    assert seconds_left(until, now) == left


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "1 second"),
        (59, "59 seconds"),
        (60, "1 minute"),
        (61, "2 minutes"),
        (900, "15 minutes"),
    ],
)
def test_a_wait_is_told_in_words(seconds: int, words: str) -> None:
    assert told_wait(seconds) == words
