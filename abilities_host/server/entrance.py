"""Entrance: what tells who calls a host over HTTP, and where to get a token."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from abilities_host.calls import Actor
from abilities_host.config import ServerSettings
from abilities_host.host import Host
from abilities_host.server.gatekeeper import (
    Admitted,
    Check,
    Gatekeeper,
    Reason,
    Rejected,
    Verdict,
    challenge,
    machine_token,
    tell_nobody,
)
from abilities_host.server.guards import out_of_scope, unauthorised
from abilities_host.tokens import Refusal, actor_of, now
from abilities_host.tokens.shape import PREFIX

if TYPE_CHECKING:
    from abilities_host.server.issuer.issuer import Issuer

_MICROSECONDS: Final = 1_000_000
_PARTS_OF_JWT: Final = 3


class Entrance:
    """Who may call, and what a client without a token is told.

    Args:
        host: the running host.
        base: how clients reach it, such as ``https://abilities.example.org``.
        token: the one token of this machine; empty for none.
        tell: is told why a token was refused.

    Attributes:
        gatekeeper: decides on each request.
    """

    def __init__(
        self,
        host: Host,
        base: str,
        *,
        token: str = "",
        tell: Callable[[Reason], None] = tell_nobody,
    ) -> None:
        self._host: Final = host
        self._base: Final = base
        self._tokens: Final = host.tokens
        self._issuer: Final = _issuer_of(host, self._resource(host.config.server))
        checks: list[Check] = [self._of_store]
        if self._issuer is not None:
            checks.append(self._of_issuer)
        if token:
            checks.append(machine_token(token, self._anybody))
        is_open = host.config.http.auth == "none"
        anybody = self._anybody if is_open else None
        self.gatekeeper: Final = Gatekeeper(checks, self._refuse, anybody, tell=tell)

    def document(self, path: str) -> dict[str, Any] | None:
        """Say where tokens for a server come from, as in RFC 9728.

        Args:
            path: of a request.

        Returns:
            The document; None where there is none, and without an issuer.
        """
        if self._issuer is None:
            return None
        from abilities_host.server.issuer.resource import (  # noqa: PLC0415 - as the issuer
            document_paths,
            resource_document,
        )

        for number, server in enumerate(self._host.config.all_servers):
            resource, route = self._resource(server), self._route(server)
            if path in document_paths(resource, route, is_first=number == 0):
                title = server.title or self._host.config.title
                settings = self._host.config.http.issuer
                return resource_document(resource, settings, title=title)
        return None

    def _route(self, server: ServerSettings) -> str:
        return server.path(is_first=server.id == self._host.config.server.id)

    def _resource(self, server: ServerSettings) -> str:
        return _resource_of(self._base, self._route(server))

    def _anybody(self) -> Actor:
        # Asked each time, so that changed scopes hold at once.
        return self._host.config.actors.http.actor("agent")

    async def _of_store(self, shown: str, server: ServerSettings) -> Verdict:
        if not shown.startswith(PREFIX):
            return None
        record = await self._tokens.find(shown, now())
        if isinstance(record, Refusal):
            return Rejected(record.reason)
        if not record.serves(server.id):
            return Rejected("wrong audience")
        self._tokens.note_use(record.id)
        ends = record.expires_at
        until = float("inf") if ends is None else ends / _MICROSECONDS
        return Admitted(actor_of(record, self._host.config), until)

    async def _of_issuer(self, shown: str, server: ServerSettings) -> Verdict:
        if self._issuer is None or len(shown.split(".")) != _PARTS_OF_JWT:
            return None
        from abilities_host.server.issuer.verdict import Believed  # noqa: PLC0415 - as the issuer

        verdict = await self._issuer(self._resource(server)).verify(shown)
        if isinstance(verdict, Believed):
            return Admitted(verdict.actor, verdict.expires_at, verdict.actor.id)
        return Rejected(_REASONS.get(verdict.reason.name, "unknown"))

    def _refuse(self, server: ServerSettings, reason: Reason) -> Response:
        if self._issuer is None or reason == "unreachable":
            return challenge(server, reason)
        from abilities_host.server.issuer import resource as words  # noqa: PLC0415 - as the issuer

        where = self._resource(server)
        if reason == "scope":
            needed = words.scope_for(server.requires, self._host.config.http.issuer)
            said = words.challenge(
                where, error="insufficient_scope", scopes=[needed] if needed else []
            )
            return out_of_scope(server.requires, said)
        error = "" if reason == "none" else "invalid_token"
        return unauthorised(words.challenge(where, error=error))


_REASONS: Final[dict[str, Reason]] = {
    "EXPIRED": "expired",
    "AUDIENCE": "wrong audience",
    "UNREACHABLE": "unreachable",
}


def _issuer_of(host: Host, audience: str) -> "Callable[[str], Issuer] | None":
    """Tokens of an issuer are for one server each, its keys for all of them."""
    settings = host.config.http.issuer
    if not settings.url:
        return None
    from abilities_host.server.issuer.issuer import Issuer  # noqa: PLC0415 - it needs cryptography

    first = Issuer(settings, audience=audience)

    @lru_cache(maxsize=128)
    def at(resource: str) -> Issuer:
        return first if resource == audience else first.at(resource)

    return at


def _resource_of(base: str, route: str) -> str:
    from abilities_host.server.issuer.resource import resource_url  # noqa: PLC0415 - as the issuer

    return resource_url(base, route)
