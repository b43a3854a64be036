"""Seal key: what an account signs with; only its secret opens it."""

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from abilities_host.accounts.errors import SealKeyBroken
from abilities_host.accounts.hashing import Cost, secret_bytes

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_SALT_BYTES: Final = 16
_NONCE_BYTES: Final = 12
_KEY_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class SealKey:
    """A key pair of which only the public half can be read.

    Attributes:
        name: of the account.
        public: 32 bytes, Ed25519.
        private: the other half, encrypted and authenticated.
        salt: of the key it is encrypted with, which comes from the secret.
        nonce: of the encryption.
        cost: of deriving that key.
    """

    name: str
    public: bytes
    private: bytes
    salt: bytes
    nonce: bytes
    cost: Cost


def make_key(name: str, secret: str, cost: Cost) -> SealKey:
    """Make a new key pair; takes a while, so only for worker threads.

    Args:
        name: of the account.
        secret: that will open it.
        cost: of each try to.

    Returns:
        The pair, locked.
    """
    from cryptography.hazmat.primitives.asymmetric import (  # noqa: PLC0415 - a slow import
        ed25519,
    )

    opened = ed25519.Ed25519PrivateKey.generate()
    return _locked(opened, name, secret, cost)


def open_key(key: SealKey, secret: str) -> "Ed25519PrivateKey":
    """Open a key with its account's secret; takes as long as the key costs.

    Args:
        key: locked.
        secret: as it was typed.

    Returns:
        The private half.

    Raises:
        SealKeyBroken: when this secret does not open it, or it is not the other half.
    """
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - a slow import
    from cryptography.hazmat.primitives.asymmetric import (  # noqa: PLC0415 - same
        ed25519,
    )
    from cryptography.hazmat.primitives.ciphers import aead  # noqa: PLC0415 - same

    try:
        box = aead.ChaCha20Poly1305(_derived(secret, key))
        private = box.decrypt(key.nonce, key.private, _bound(key))
        return ed25519.Ed25519PrivateKey.from_private_bytes(private)
    except (InvalidTag, ValueError) as error:
        raise SealKeyBroken(key.name) from error


def lock_again(key: SealKey, old: str, new: str, cost: Cost) -> SealKey:
    """Lock the same key with another secret; takes as long as two tries.

    Args:
        key: locked with the old one.
        old: secret until now.
        new: secret from now on.
        cost: of each try to open it from now on.

    Returns:
        The same pair.

    Raises:
        SealKeyBroken: when the old secret does not open it.
    """
    return _locked(open_key(key, old), key.name, new, cost)


def _locked(opened: "Ed25519PrivateKey", name: str, secret: str, cost: Cost) -> SealKey:
    from cryptography.hazmat.primitives.ciphers import aead  # noqa: PLC0415 - same

    salt, nonce = os.urandom(_SALT_BYTES), os.urandom(_NONCE_BYTES)
    public = opened.public_key().public_bytes_raw()
    key = SealKey(name, public, b"", salt, nonce, cost)
    box = aead.ChaCha20Poly1305(_derived(secret, key))
    private = box.encrypt(nonce, opened.private_bytes_raw(), _bound(key))
    return replace(key, private=private)


def _derived(secret: str, key: SealKey) -> bytes:
    from cryptography.hazmat.primitives.kdf import argon2  # noqa: PLC0415 - same

    return argon2.Argon2id(
        salt=key.salt,
        length=_KEY_BYTES,
        iterations=key.cost.passes,
        lanes=key.cost.lanes,
        memory_cost=key.cost.memory,
    ).derive(secret_bytes(secret))


def _bound(key: SealKey) -> bytes:
    """What cannot be exchanged without the secret: whose key it is, and its half."""
    return b"abilities-host seal key 1\0" + key.public + key.name.encode()
