"""Gatekeeper: who is calling over HTTP, by what a request shows."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, Literal

from starlette.responses import Response

from abilities_host.calls import Actor
from abilities_host.config import ServerSettings
from abilities_host.errors import StoreError
from abilities_host.server.guards import (
    Caller,
    OneToken,
    caller_of,
    out_of_scope,
    unauthorised,
    unavailable,
)

Reason = Literal[
    "none", "unknown", "expired", "revoked", "wrong audience", "scope", "unreachable"
]
"""Why nobody, or not this one, may call; counted, and never told to a stranger."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """Whom a token belongs to.

    Attributes:
        actor: who calls.
        until: when it ends by itself, seconds since 1970; infinite for never.
        binding: what sessions are bound to; empty for the token itself. Who gets a new
            token every hour keeps sessions by it.
    """

    actor: Actor
    until: float = inf
    binding: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A token that is known, and lets nobody in.

    Attributes:
        reason: why.
    """

    reason: Reason


_UNREACHABLE: Final = "Who gave the token cannot be asked now. Try again in a moment."
_INVALID: Final = 'Bearer error="invalid_token"'

Verdict = Admitted | Rejected | None
Check = Callable[[str, ServerSettings], Awaitable[Verdict]]
"""Says whose a token is at a server; None for a token of another kind."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who calls, and what they showed for it.

    Attributes:
        caller: as the SDK binds sessions to it.
        shown: the token, to be looked at again while a stream is open; empty for none.
        until: when it ends by itself, seconds since 1970.
    """

    caller: Caller
    shown: str
    until: float


Challenge = Callable[[ServerSettings, Reason], Response]


def challenge(server: ServerSettings, reason: Reason) -> Response:
    """Write the refusal of somebody who is not let in.

    Args:
        server: what was called.
        reason: why; only a missing scope is told.

    Returns:
        The response.
    """
    if reason == "unreachable":
        return unavailable(_UNREACHABLE)
    if reason == "scope":
        scope = f'Bearer error="insufficient_scope", scope="{server.requires}"'
        return out_of_scope(server.requires, scope)
    return unauthorised("Bearer" if reason == "none" else _INVALID)


def tell_nobody(_reason: Reason) -> None:
    """Where nobody counts."""


class Gatekeeper:
    """Decides who may use a server.

    Args:
        checks: asked in order; the first that knows the token decides.
        refuse: writes the refusal.
        anybody: gives the actor of a request without a token; None lets none in.
        tell: is told why a token was refused.
    """

    def __init__(
        self,
        checks: Sequence[Check],
        refuse: Challenge = challenge,
        anybody: Callable[[], Actor] | None = None,
        *,
        tell: Callable[[Reason], None] = tell_nobody,
    ) -> None:
        if not checks and anybody is None:
            msg = "A gatekeeper needs a check: nobody may call without a token."
            raise ValueError(msg)
        self._checks: Final = tuple(checks)
        self._refuse: Final = refuse
        self._anybody: Final = anybody
        self._tell: Final = tell

    async def admit(
        self, shown: str | None, server: ServerSettings
    ) -> Visitor | Response:
        """Say who calls.

        Args:
            shown: the token of the request; None for none, or for what is no token.
            server: what is called.

        Returns:
            The visitor, or the refusal.
        """
        try:
            verdict = await self._verdict(shown, server)
        except StoreError:
            return unavailable("The host cannot read its store; its log says why.")
        if isinstance(verdict, Rejected):
            self._tell(verdict.reason)
            return self._refuse(server, verdict.reason)
        if server.requires and not verdict.actor.may(server.requires):
            return self._refuse(server, "scope")
        caller = caller_of(verdict.actor, verdict.binding or shown or "")
        return Visitor(caller, shown or "", verdict.until)

    async def still_admits(self, visitor: Visitor, server: ServerSettings) -> bool:
        """Answer whether a visitor would be let in again now, as the same actor."""
        if visitor.until <= time.time():
            return False
        again = await self.admit(visitor.shown or None, server)
        return isinstance(again, Visitor) and again.caller.actor.id == (
            visitor.caller.actor.id
        )

    async def _verdict(
        self, shown: str | None, server: ServerSettings
    ) -> Admitted | Rejected:
        if not shown:
            anybody = self._anybody
            return Rejected("none") if anybody is None else Admitted(anybody())
        for check in self._checks:
            verdict = await check(shown, server)
            if verdict is not None:
                return verdict
        return Rejected("unknown")


def machine_token(token: str, actor: Callable[[], Actor]) -> Check:
    """Make the check of the one token of this machine.

    Args:
        token: the secret.
        actor: whose it is; asked each time, so that changed scopes hold at once.

    Returns:
        The check; it knows every server.
    """
    known = OneToken(token.encode())

    async def check(shown: str, _server: ServerSettings) -> Verdict:
        return Admitted(actor()) if known.matches(shown) else None

    return check


def verified(verify: Callable[[str], Actor | None]) -> Check:
    """Make a check of a function that gives the actor of a token."""

    async def check(shown: str, _server: ServerSettings) -> Verdict:
        actor = verify(shown)
        return None if actor is None else Admitted(actor)

    return check
