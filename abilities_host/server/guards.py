"""Guards: what a request must show before anything of it is read."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from hmac import compare_digest
from typing import Final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from abilities_host.calls import Actor

LOOPBACK: Final = ("127.0.0.1", "[::1]", "localhost")

_PORT: Final = r"(?::[0-9]{1,5})?"
_SCHEME: Final = r"https?://"
_BEARER: Final = re.compile(rb"bearer +([\x21-\x7e]{1,4096}) *", re.IGNORECASE)


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


class NamesGuard:
    """Lets only requests through that were meant for this machine.

    A page in a browser can have a foreign name lead here, or send requests from its
    own origin; both say so in a header.

    Args:
        app: what is guarded.
        names: host names, with brackets for IPv6; any port is right.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str] = LOOPBACK) -> None:
        self._app: Final = app
        known = "|".join(map(re.escape, names))
        self._host: Final = re.compile(f"(?:{known}){_PORT}", re.IGNORECASE)
        self._origin: Final = re.compile(f"{_SCHEME}(?:{known}){_PORT}", re.IGNORECASE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        refused = self._refusal(scope) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        hosts = _values(scope, b"host")
        if len(hosts) != 1 or not self._host.fullmatch(hosts[0].decode("latin-1")):
            return refusal(421, "This host does not serve that name.")
        for origin in _values(scope, b"origin"):
            if not self._origin.fullmatch(origin.decode("latin-1")):
                return refusal(403, "Pages of that origin may not call this host.")
        return None


def bearer_of(scope: Scope) -> str | None:
    """Read the token that a request shows.

    Args:
        scope: of the request.

    Returns:
        None when there is none, or more than one, or it cannot be one.
    """
    shown = _values(scope, b"authorization")
    match = _BEARER.fullmatch(shown[0]) if len(shown) == 1 else None
    return match[1].decode() if match else None


def unauthorised(*, was_shown: bool) -> Response:
    """Write the answer to a request without the right token.

    Args:
        was_shown: whether it had one, which nobody knows.

    Returns:
        The response.
    """
    challenge = 'Bearer error="invalid_token"' if was_shown else "Bearer"
    message = (
        "Send the header 'Authorization: Bearer TOKEN'. The token is in the file "
        "'token' beside the host's configuration."
    )
    return refusal(401, message, {"WWW-Authenticate": challenge})


def refusal(
    status: int, message: str, headers: dict[str, str] | None = None
) -> Response:
    """Write a refusal.

    Args:
        status: of HTTP.
        message: a sentence.
        headers: further ones.

    Returns:
        The response.
    """
    return JSONResponse({"error": message}, status_code=status, headers=headers)


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]
