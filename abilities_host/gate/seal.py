"""Seal: a person's signature over what was approved, by whom and when."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal

FORM: Final = "abilities-host seal 1"
Verb = Literal["approve", "withdraw"]


@dataclass(frozen=True, slots=True)
class Seal:
    """One decision of a person.

    Attributes:
        kind: name of the kind.
        id: of the entry.
        hash: of its canonical bytes, as the person saw them; 64 hexadecimal digits.
        reviewer: name of the account.
        at: microseconds since 1970, UTC.
        signature: 64 bytes, Ed25519.
    """

    kind: str
    id: str
    hash: str
    reviewer: str
    at: int
    signature: bytes

    def message(self, verb: Verb) -> bytes:
        """Give the bytes that are signed; no two decisions have the same."""
        parts = [self.kind, self.id, self.hash, self.reviewer, self.at]
        return json.dumps([FORM, verb, *parts]).encode()


def hash_of(canonical: bytes) -> str:
    """Give the hash by which an entry is seen and sealed.

    Args:
        canonical: from the entry's kind.

    Returns:
        SHA-256 as 64 hexadecimal digits.
    """
    return sha256(canonical).hexdigest()


def verifies(public: bytes, signature: bytes, message: bytes) -> bool:
    """Answer whether a signature is that of a key.

    Args:
        public: half of the key.
        signature: of any length.
        message: what should have been signed.

    Returns:
        Whether it is.
    """
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - a slow import
    from cryptography.hazmat.primitives.asymmetric import (  # noqa: PLC0415 - same
        ed25519,
    )

    try:
        key = ed25519.Ed25519PublicKey.from_public_bytes(public)
        key.verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def is_signed(public: bytes, seal: Seal, verb: Verb) -> bool:
    """Answer whether a decision was signed with a key.

    Args:
        public: half of the key.
        seal: of the decision.
        verb: what was decided.

    Returns:
        Whether it was.
    """
    return verifies(public, seal.signature, seal.message(verb))
