"""Token: what a signed JSON Web Token says, once it has been checked."""

import binascii
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import jwt
import orjson
from jwt.algorithms import AllowedPublicKeys

from abilities_host.server.issuer.verdict import NotBelieved, Reason

LONGEST: Final = 16_384
LEEWAY_SECONDS: Final = 30.0

_LONGEST_HEAD: Final = 2_048
_TYPES: Final = frozenset({"at+jwt", "application/at+jwt", "jwt", "application/jwt"})
_FAR: Final = 2.0**53
_REASONS: Final = (
    (jwt.InvalidSignatureError, Reason.SIGNATURE),
    (jwt.InvalidAlgorithmError, Reason.ALGORITHM),
    (jwt.InvalidIssuerError, Reason.ISSUER),
    (jwt.InvalidAudienceError, Reason.AUDIENCE),
    (jwt.MissingRequiredClaimError, Reason.CLAIMS),
)


@dataclass(frozen=True, slots=True)
class Head:
    """How a token says it is signed; nothing of it is proved.

    Attributes:
        algorithm: one that is believed.
        key: the name of the key, None when it gives none.
    """

    algorithm: str
    key: str | None


def check_shape(token: str) -> None:
    """Check what can be checked without reading.

    Args:
        token: what a client shows.

    Raises:
        NotBelieved: when it is too long, or cannot be a signed token.
    """
    if len(token) > LONGEST:
        raise NotBelieved(Reason.TOO_LONG)
    if token.count(".") != 2 or not token.isascii():  # noqa: PLR2004 - head, claims, signature
        raise NotBelieved(Reason.MALFORMED)


def read_head(token: str, algorithms: tuple[str, ...]) -> Head:
    """Read how a token is signed.

    Args:
        token: of the right shape.
        algorithms: those that are believed.

    Returns:
        What it says.

    Raises:
        NotBelieved: when it cannot be read or is of another kind.
    """
    head = _decoded(token.partition(".")[0])
    algorithm, kind, key = head.get("alg"), head.get("typ"), head.get("kid")
    if not isinstance(algorithm, str) or algorithm not in algorithms:
        raise NotBelieved(Reason.ALGORITHM)
    if not isinstance(kind, str) or kind.lower() not in _TYPES:
        raise NotBelieved(Reason.TYPE)
    if not isinstance(key, str | None):
        raise NotBelieved(Reason.MALFORMED)
    return Head(algorithm, key)


def read_claims(
    token: str,
    key: AllowedPublicKeys,
    algorithm: str,
    *,
    issuers: frozenset[str],
    audience: str,
) -> Mapping[str, Any]:
    """Read what a token claims, if the right issuer signed it for the right server.

    Args:
        token: as it was shown.
        key: that it must be signed with.
        algorithm: how.
        issuers: the spellings of the one issuer.
        audience: whom it must be meant for.

    Returns:
        The claims; whether it is still or already valid is not checked.

    Raises:
        NotBelieved: when anything is otherwise.
    """
    try:
        return jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=audience,
            issuer=issuers,
            options={
                "require": ["exp", "iss", "aud"],
                # By the host's clock, afterwards.
                "verify_exp": False,
                "verify_nbf": False,
                "verify_iat": False,
                "verify_sub": False,  # another claim may name the actor
            },
        )
    except (jwt.PyJWTError, ValueError) as error:
        raise NotBelieved(_reason_of(error)) from error


def check_times(claims: Mapping[str, Any], now: float) -> float:
    """Check that a token is valid at a time, give or take 30 seconds.

    Args:
        claims: of the token.
        now: seconds since 1970.

    Returns:
        When it stops being so.

    Raises:
        NotBelieved: when it is not.
    """
    ends = _time(claims, "exp", 0.0) + LEEWAY_SECONDS
    begins = max(_time(claims, "nbf", now), _time(claims, "iat", now))
    if now >= ends:
        raise NotBelieved(Reason.EXPIRED)
    if begins - LEEWAY_SECONDS > now:
        raise NotBelieved(Reason.TOO_EARLY)
    return ends


def _time(claims: Mapping[str, Any], name: str, otherwise: float) -> float:
    value = claims.get(name, otherwise)
    if type(value) not in (int, float) or not -_FAR < value < _FAR:
        raise NotBelieved(Reason.CLAIMS)
    return float(value)


def _decoded(part: str) -> dict[str, Any]:
    if len(part) > _LONGEST_HEAD:
        raise NotBelieved(Reason.MALFORMED)
    try:
        head = orjson.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (binascii.Error, ValueError) as error:
        raise NotBelieved(Reason.MALFORMED) from error
    if not isinstance(head, dict):
        raise NotBelieved(Reason.MALFORMED)
    return head


def _reason_of(error: Exception) -> Reason:
    for kind, reason in _REASONS:
        if isinstance(error, kind):
            return reason
    return Reason.MALFORMED
