"""Hashing: what is kept of a secret, and whether another one is the same."""

import os
import unicodedata
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from abilities_host.accounts.errors import UnsuitableSecret

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

SHORTEST: Final = 10
LONGEST_BYTES: Final = 1024
_SALT_BYTES: Final = 16
_KEY_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Cost:
    """What one try costs whoever guesses; it is kept with each secret.

    Attributes:
        memory: KiB, at least 8 for each lane.
        passes: over that memory, at least 1.
        lanes: that can be filled at once, at least 1.
    """

    memory: int = 64 * 1024
    passes: int = 3
    lanes: int = 4

    @property
    def prefix(self) -> str:
        """How a hash of this cost begins."""
        return f"$argon2id$v=19$m={self.memory},t={self.passes},p={self.lanes}$"


def check_secret(secret: str) -> None:
    """Check that a new secret can be taken.

    Args:
        secret: as it was typed.

    Raises:
        UnsuitableSecret: when it is shorter than 10 characters, longer than 1,024
            bytes, or holds what does not print.
    """
    plain = unicodedata.normalize("NFC", secret)
    if len(plain) < SHORTEST:
        problem = f"it has fewer than {SHORTEST} characters."
        raise UnsuitableSecret(f"{problem} A few words that nobody knows are good.")
    if not plain.isprintable():
        raise UnsuitableSecret("it holds a character that does not print, such as Tab.")
    if len(secret_bytes(plain)) > LONGEST_BYTES:
        raise UnsuitableSecret(f"it is longer than {LONGEST_BYTES} bytes.")


def hash_secret(secret: str, cost: Cost) -> str:
    """Give what is kept of a secret; takes a while, so only for worker threads.

    Args:
        secret: as it was typed.
        cost: what each later try costs too.

    Returns:
        Cost, salt and hash as one text in the PHC form of Argon2id.
    """
    salt = os.urandom(_SALT_BYTES)
    return _argon2(salt, cost).derive_phc_encoded(secret_bytes(secret))


def matches(secret: str, kept: str) -> bool:
    """Answer whether a secret is the kept one; takes as long as the hash costs.

    Args:
        secret: as it was typed.
        kept: from `hash_secret` or `decoy`.

    Returns:
        Whether it is; compared in constant time. A damaged hash is nobody's.
    """
    from cryptography.exceptions import InvalidKey  # noqa: PLC0415 - a slow import
    from cryptography.hazmat.primitives.kdf import argon2  # noqa: PLC0415 - same

    try:
        argon2.Argon2id.verify_phc_encoded(secret_bytes(secret), kept)
    except (InvalidKey, ValueError):
        return False
    return True


def decoy(cost: Cost) -> str:
    """Make a hash of no secret at all, so that unknown names cost the same time.

    Args:
        cost: that of the real ones.

    Returns:
        A hash of the same form that nothing matches.
    """
    salt, key = (
        b64encode(os.urandom(size)).decode().rstrip("=")
        for size in (_SALT_BYTES, _KEY_BYTES)
    )
    return f"{cost.prefix}{salt}${key}"


def _argon2(salt: bytes, cost: Cost) -> "Argon2id":
    from cryptography.hazmat.primitives.kdf import argon2  # noqa: PLC0415 - same

    return argon2.Argon2id(
        salt=salt,
        length=_KEY_BYTES,
        iterations=cost.passes,
        lanes=cost.lanes,
        memory_cost=cost.memory,
    )


def secret_bytes(secret: str) -> bytes:
    """Give the bytes of a secret, the same from every keyboard.

    Args:
        secret: as it was typed.

    Returns:
        UTF-8, composed.
    """
    # One keyboard sends an accented letter as one character, another as two.
    return unicodedata.normalize("NFC", secret).encode()
