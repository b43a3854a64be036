"""The shape of a token, for whatever a client may show."""

import re
from hashlib import sha256
from string import ascii_letters, digits

from hypothesis import given
from hypothesis import strategies as st

from abilities_host.tokens import public_id
from abilities_host.tokens.shape import digest_of, mint, written_id

BASE64URL = ascii_letters + digits + "-_"
IDS = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=8, max_size=8)
SECRETS = st.text(BASE64URL, min_size=43, max_size=43)


def test_a_new_token_has_the_shape_and_hides_its_value() -> None:
    minted = [mint() for _ in range(100)]

    shape = r"abl_[a-z0-9]{8}_[A-Za-z0-9_-]{43}"
    assert all(re.fullmatch(shape, each.value) for each in minted)
    assert [public_id(each.value) for each in minted] == [each.id for each in minted]
    assert len({each.value[13:] for each in minted}) == 100
    assert repr(minted[0]) == f"Minted(id={minted[0].id!r})"


@given(IDS, SECRETS)
def test_every_token_of_the_shape_gives_its_id(public: str, secret: str) -> None:
    value = f"abl_{public}_{secret}"

    assert public_id(value) == public
    assert digest_of(value) == sha256(value.encode()).digest()
    assert [written_id(each) for each in (value, f"abl_{public}", public)] == (
        [public] * 3
    )


@given(st.text() | st.text(BASE64URL, min_size=50, max_size=60))
def test_whatever_else_is_shown_is_none(shown: str) -> None:
    assert public_id(shown) is None


@given(IDS, SECRETS, st.integers(0, 55), st.sampled_from("\n \0é.=/+\u0660"))
def test_one_character_that_is_none_of_it_spoils_a_token(
    public: str, secret: str, place: int, bad: str
) -> None:
    value = f"abl_{public}_{secret}"

    assert public_id(f"{value[:place]}{bad}{value[place + 1 :]}") is None
    assert public_id(f"{value[:place]}{bad}{value[place:]}") is None
    assert public_id(value + bad) is None
