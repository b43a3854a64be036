"""Keys: what an issuer publishes to check its signatures with."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final

import jwt
import orjson
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt.algorithms import AllowedPublicKeys

from abilities_host.server.issuer.fetching import KeysUnavailable

MOST_KEYS: Final = 100
RSA_BITS: Final = range(2048, 16_385)

# By type and curve: what a key of it can check. None has a shared secret.
_ALGORITHMS: Final = MappingProxyType(
    {
        ("RSA", None): ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
        ("EC", "P-256"): ("ES256",),
        ("EC", "P-384"): ("ES384",),
        ("EC", "P-521"): ("ES512",),
        ("OKP", "Ed25519"): ("EdDSA",),
    }
)
_PUBLIC: Final = ("kty", "crv", "n", "e", "x", "y")


@dataclass(frozen=True, slots=True)
class Key:
    """One public key.

    Attributes:
        name: as tokens name it, None where it has no name.
        algorithms: the signatures that are checked with it.
        public: the key itself.
    """

    name: str | None
    algorithms: frozenset[str]
    public: AllowedPublicKeys


class Keys:
    """All keys of an issuer at one time.

    Args:
        digest: of the document they were in.
        keys: the usable ones.
    """

    def __init__(self, digest: bytes, keys: Iterable[Key]) -> None:
        self._digest: Final = digest
        self._keys: Final = tuple(keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keys) and other._digest == self._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, name: str | None, algorithm: str) -> AllowedPublicKeys | None:
        """Find the key of a signature.

        Args:
            name: that a token gives, None when it gives none.
            algorithm: of the signature.

        Returns:
            None when there is none, or when a name would be needed to choose.
        """
        fitting = [key for key in self._keys if algorithm in key.algorithms]
        if name is None:
            return fitting[0].public if len(fitting) == 1 else None
        return next((key.public for key in fitting if key.name == name), None)


def read_keys(address: str, document: bytes, algorithms: Iterable[str]) -> Keys:
    """Read a JSON Web Key Set; blocks for as long as the keys take to load.

    Args:
        address: where it came from.
        document: as it came.
        algorithms: the signatures that are believed.

    Returns:
        The public signing keys of believed kinds; everything else is passed over.

    Raises:
        KeysUnavailable: when it is no key set, too large, or has no usable key.
    """
    entries = _entries(address, document)
    if len(entries) > MOST_KEYS:
        raise KeysUnavailable(address, f"lists more than {MOST_KEYS} keys")
    believed = frozenset(algorithms)
    keys = Keys(sha256(document).digest(), _usable(entries, believed))
    if not len(keys):
        raise KeysUnavailable(address, "lists no public signing key of a believed kind")
    return keys


def _entries(address: str, document: bytes) -> list[Any]:
    try:
        entries = orjson.loads(document)["keys"]
    except (ValueError, TypeError, KeyError):
        entries = None
    if not isinstance(entries, list):
        raise KeysUnavailable(address, "is no key set")
    return entries


def _usable(entries: list[Any], believed: frozenset[str]) -> Iterator[Key]:
    for entry in entries:
        if isinstance(entry, dict) and _is_for_signatures(entry):
            algorithms = _algorithms_of(entry) & believed
            public = _public_of(entry) if algorithms else None
            if public is not None:
                yield Key(entry.get("kid"), algorithms, public)


def _is_for_signatures(entry: Mapping[str, Any]) -> bool:
    """A private key that was published by accident proves nothing any more."""
    uses, name = entry.get("key_ops", ["verify"]), entry.get("kid")
    is_named_right = name is None or isinstance(name, str)
    is_to_verify = isinstance(uses, list) and "verify" in uses
    is_signing = entry.get("use", "sig") == "sig" and is_to_verify
    return is_signing and is_named_right and "d" not in entry


def _algorithms_of(entry: Mapping[str, Any]) -> frozenset[str]:
    kind, curve, said = entry.get("kty"), entry.get("crv"), entry.get("alg")
    if not isinstance(kind, str) or not isinstance(curve, str | None):
        return frozenset()
    possible = _ALGORITHMS.get((kind, curve), ())
    return frozenset(each for each in possible if said in (None, each))


def _public_of(entry: Mapping[str, Any]) -> AllowedPublicKeys | None:
    members = {name: entry[name] for name in _PUBLIC if name in entry}
    if not all(isinstance(member, str) for member in members.values()):
        return None
    try:
        public: AllowedPublicKeys = jwt.PyJWK(members).key
    except (jwt.PyJWTError, ValueError):
        return None
    is_weak = isinstance(public, RSAPublicKey) and public.key_size not in RSA_BITS
    return None if is_weak else public
