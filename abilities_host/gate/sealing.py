"""Sealing: a person's decision, signed and ready to be kept."""

from dataclasses import replace
from typing import Any

from abilities_host.accounts import Unlocked
from abilities_host.gate.errors import NotTrusted
from abilities_host.gate.seal import Seal, Verb, verifies


def unsigned(kind: str, id_: str, hash_: str, human: Unlocked, at: int) -> Seal:
    """Make a seal without a signature; arguments as `Seal` has them."""
    return Seal(kind, id_, hash_, human.name, at, b"")


def sealed(verb: Verb, draft: Seal, human: Unlocked) -> Seal:
    """Sign a decision.

    Args:
        verb: what is decided.
        draft: without a signature.
        human: who decides.

    Returns:
        The seal.

    Raises:
        NotTrusted: when the person's own key does not fit the signature.
    """
    message = draft.message(verb)
    signature = human.sign(message)
    if not verifies(human.public, signature, message):
        raise NotTrusted(human.name)
    return replace(draft, signature=signature)


def values_of(seal: Seal) -> dict[str, Any]:
    """Give the values of a seal.

    Args:
        seal: a signed one.

    Returns:
        Column to value.
    """
    return {
        "kind": seal.kind,
        "id": seal.id,
        "hash": seal.hash,
        "reviewer": seal.reviewer,
        "at": seal.at,
        "signature": seal.signature,
    }
