"""Shape: how a token is written, and what of it may be known to everybody."""

import re
import secrets
from dataclasses import dataclass, field
from hashlib import sha256
from string import ascii_lowercase, digits
from typing import Final

PREFIX: Final = "abl_"
ID_LENGTH: Final = 8

_ALPHABET: Final = ascii_lowercase + digits
_SECRET_BYTES: Final = 32
_SHAPE: Final = re.compile(r"abl_([a-z0-9]{8})_[A-Za-z0-9_-]{43}")
_PUBLIC: Final = re.compile(r"(?:abl_)?([a-z0-9]{8})")


@dataclass(frozen=True, slots=True)
class Minted:
    """A token that was made just now; the one place where its value is.

    Attributes:
        id: the public characters.
        value: the whole token.
    """

    id: str
    value: str = field(repr=False)


def mint() -> Minted:
    """Make a token.

    Returns:
        One with 256 random bits.
    """
    public = "".join(secrets.choice(_ALPHABET) for _ in range(ID_LENGTH))
    return Minted(public, f"{PREFIX}{public}_{secrets.token_urlsafe(_SECRET_BYTES)}")


def public_id(shown: str) -> str | None:
    """Give the public characters of a token.

    Args:
        shown: what a client sent.

    Returns:
        They, or None for what cannot be such a token.
    """
    match = _SHAPE.fullmatch(shown)
    return match[1] if match else None


def written_id(written: str) -> str | None:
    """Give the id that a person means, who may have pasted a whole token.

    Args:
        written: the id, with or without the prefix, or a token.

    Returns:
        The id, or None for what can be none.
    """
    match = _SHAPE.fullmatch(written) or _PUBLIC.fullmatch(written)
    return match[1] if match else None


def digest_of(value: str) -> bytes:
    """Hash a token as it is stored.

    Args:
        value: the whole token.

    Returns:
        SHA-256, which is enough for 256 random bits.
    """
    return sha256(value.encode()).digest()
