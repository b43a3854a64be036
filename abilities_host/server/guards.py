"""Guards: what a request must show before anything of it is read."""

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from hmac import compare_digest
from typing import Final

from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from abilities_host.calls import Actor

_BEARER: Final = re.compile(rb"bearer +([\x21-\x7e]{1,16384}) *", re.IGNORECASE)


class Caller(AuthenticatedUser):
    """Who a request comes from; the SDK binds sessions and questions to it.

    Args:
        actor: as the host knows it.
        digest: hash of the token that was shown.

    Attributes:
        actor: as the host knows it.
    """

    def __init__(self, actor: Actor, digest: str) -> None:
        super().__init__(
            AccessToken(
                token=digest,
                client_id=actor.id,
                scopes=sorted(actor.scopes),
                subject=digest,
            )
        )
        self.actor: Final = actor


def caller_of(actor: Actor, token: str) -> Caller:
    """Give the caller that showed a token.

    Args:
        actor: whose token it is.
        token: what was shown; only its hash is kept.

    Returns:
        The same for the same two, as a rule: every request of a client asks.
    """
    return _remembered_caller(actor, sha256(token.encode()).hexdigest())


@lru_cache(maxsize=1_000)
def _remembered_caller(actor: Actor, digest: str) -> Caller:
    return Caller(actor, digest)


def caller_now() -> Caller | None:
    """Give the caller of the request that is being served, None outside one."""
    user = auth_context_var.get()
    return user if isinstance(user, Caller) else None


@dataclass(frozen=True, slots=True)
class OneToken:
    """Knows one token and whom it belongs to.

    Attributes:
        token: the secret.
    """

    token: bytes

    def matches(self, shown: str) -> bool:
        """Compare in a time that says nothing about where the two differ.

        Args:
            shown: what a client sent.

        Returns:
            Whether it is the token.
        """
        return compare_digest(shown.encode(), self.token)


def bearer_of(scope: Scope) -> str | None:
    """Read the token that a request shows.

    Args:
        scope: of the request.

    Returns:
        None when there is none, or more than one, or it cannot be one.
    """
    shown = values_of(scope, b"authorization")
    match = _BEARER.fullmatch(shown[0]) if len(shown) == 1 else None
    return match[1].decode() if match else None


def unauthorised(challenge: str) -> Response:
    """Write the answer to a request without the right token.

    Args:
        challenge: what a client does about it.

    Returns:
        The response.
    """
    message = (
        "Send the header 'Authorization: Bearer TOKEN'. 'abilities token create' makes "
        "a token; that of this machine is in the file 'token' beside the configuration."
    )
    return refusal(401, message, {"WWW-Authenticate": challenge})


def out_of_scope(required: str, challenge: str) -> Response:
    """Write the answer to who may not use a server.

    Args:
        required: the scope that is missing.
        challenge: what a client does about it.

    Returns:
        The response.
    """
    message = f"This server needs a token with the scope {required!r}."
    return refusal(403, message, {"WWW-Authenticate": challenge})


def unavailable(message: str) -> Response:
    """Write the answer where something that is needed does not work now.

    Args:
        message: a sentence.

    Returns:
        The response.
    """
    return refusal(503, message, {"Retry-After": "5"})


def too_many(message: str, seconds: int) -> Response:
    """Write the answer to who asks too often.

    Args:
        message: a sentence.
        seconds: after which asking again makes sense.

    Returns:
        The response.
    """
    return refusal(429, message, {"Retry-After": str(seconds)})


def refusal(
    status: int, message: str, headers: dict[str, str] | None = None, *, code: str = ""
) -> Response:
    """Write a refusal.

    Args:
        status: of HTTP.
        message: a sentence.
        headers: further ones.
        code: for programs; empty where the status says it all.

    Returns:
        The response.
    """
    body = {"error": message, **({"code": code} if code else {})}
    return JSONResponse(body, status_code=status, headers=headers)


def values_of(scope: Scope, name: bytes) -> list[bytes]:
    """Give every value of a header.

    Args:
        scope: of a request.
        name: in lower case.

    Returns:
        The values, in the order they came.
    """
    return [value for key, value in scope["headers"] if key == name]
