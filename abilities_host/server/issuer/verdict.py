"""Verdict: whether a token is believed, and if not, why."""

from dataclasses import dataclass
from enum import StrEnum

from abilities_host.calls import Actor
from abilities_host.errors import AbilitiesError


class Reason(StrEnum):
    """Why a token is not believed, in a sentence that any stranger may read."""

    MALFORMED = "The token is no signed JSON Web Token."
    TOO_LONG = "The token is longer than 16384 characters."
    ALGORITHM = "The token is signed in a way that is not believed here."
    TYPE = "The token is no access token: its type is neither at+jwt nor JWT."
    KEY = "The token names none of the keys of the issuer."
    SIGNATURE = "The signature of the token is wrong."
    ISSUER = "The token comes from another issuer."
    AUDIENCE = "The token has the wrong audience: it is meant for another server."
    EXPIRED = "The token has expired."
    TOO_EARLY = "The token is not valid yet."
    CLAIMS = "The token lacks a claim that is needed here, or has it in a wrong form."
    UNREACHABLE = "The keys of the issuer cannot be read at the moment."


@dataclass(frozen=True, slots=True)
class Believed:
    """A token that is what it says.

    Attributes:
        actor: whom it stands for.
        expires_at: seconds since 1970 from which it is believed no more.
    """

    actor: Actor
    expires_at: float


@dataclass(frozen=True, slots=True)
class Disbelieved:
    """A token that is refused.

    Attributes:
        reason: why.
    """

    reason: Reason

    @property
    def is_temporary(self) -> bool:
        """Whether the token may be right: a client should wait, not ask for another."""
        return self.reason is Reason.UNREACHABLE


class NotBelieved(AbilitiesError):
    """Raised where a check of a token fails; the issuer makes a verdict of it.

    Attributes:
        reason: why.
    """

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        super().__init__(reason.value)
