"""Adapter: the one place where the protocol meets the host."""

import logging
import secrets
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Final

from mcp import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolRequestParams

from abilities_host.calls import Actor, Answer, Outcome, Progress, Request
from abilities_host.errors import AbilityNotFound, CallError
from abilities_host.host import Host
from abilities_host.server import answers
from abilities_host.server.asking import ROUNDS, Asking, Context
from abilities_host.server.eras import era_of
from abilities_host.server.listing import Exposed, Listing
from abilities_host.server.running import RunningCalls
from abilities_host.server.spec import ServerSpec

log = logging.getLogger(__name__)

NAME_SHOWN: Final = 128
PROGRESS_SHOWN: Final = 2_000

Authenticate = Callable[[Context], Actor]
SessionOf = Callable[[Context, Actor], str]


class Adapter:
    """Turns requests into calls and outcomes into results, for one server.

    Args:
        host: the running host.
        spec: the server.
        listing: its tools.
        authenticate: gives the actor of a request.
        session: gives the session of a request.

    Attributes:
        calls: what runs now.
    """

    def __init__(
        self,
        host: Host,
        spec: ServerSpec,
        listing: Listing,
        authenticate: Authenticate,
        session: SessionOf,
    ) -> None:
        self._host: Final = host
        self._spec: Final = spec
        self._listing: Final = listing
        self._authenticate: Final = authenticate
        self._session: Final = session
        self.calls: Final = RunningCalls()

    async def list_tools(self, ctx: Context) -> list[Mapping[str, Any]]:
        """Give what the caller can see, finished.

        Args:
            ctx: of the request.

        Returns:
            One page.

        Raises:
            MCPError: when it cannot be said now.
        """
        if ctx.params and ctx.params.get("cursor") is not None:
            raise MCPError(INVALID_PARAMS, "The listing is one page; send no cursor.")
        try:
            actor = self._authenticate(ctx)
            return await self._listing.tools(era_of(ctx.protocol_version), actor)
        except CallError as error:
            raise MCPError(INTERNAL_ERROR, error.message) from error
        except Exception as error:
            reference = _logged("a listing", error)
            message = f"The listing failed; the host's log has {reference}."
            raise MCPError(INTERNAL_ERROR, message) from error

    async def call_tool(
        self, ctx: Context, params: CallToolRequestParams
    ) -> dict[str, Any]:
        """Run what the caller means and write how it ended.

        Args:
            ctx: of the request.
            params: name, arguments, and a person's answer if one was asked.

        Returns:
            A finished result; refusals and failures are results that say so.

        Raises:
            MCPError: for a tool that this caller cannot see, which is the same for
                off, unknown and not visible; and for a session that cannot be one.
        """
        try:
            exposed = self._listing.find(params.name, era_of(ctx.protocol_version))
            result = None
            if exposed is not None:
                result = await self.calls.run(self._run(ctx, params, exposed))
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001 - the earlier era would show its text
            reference = _logged("a call", error)
            message = f"The server failed. The host's log has {reference}."
            return answers.refusal("server_failed", message)
        if result is None:
            shown = answers.clean(params.name[:NAME_SHOWN])
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {shown}")
        return result

    async def _run(
        self, ctx: Context, params: CallToolRequestParams, exposed: Exposed
    ) -> dict[str, Any] | None:
        asking = Asking(ctx, params, self._host.config.limits.question_seconds)
        while True:
            request = self._request(ctx, params, exposed, asking.answer)
            outcome = await self._host.run(request)
            if _is_unknown(outcome, request):
                return None
            if outcome.status != "input_required":
                era = era_of(ctx.protocol_version)
                return answers.answer(era, outcome, exposed.shape)
            refused = _cannot_ask(asking, outcome)
            if refused:
                return answers.refusal("needs_answer", refused)
            if not asking.asks_here:
                return answers.question(outcome, asking.rounds + 1)
            if not await asking.ask(outcome):
                message = f"Nobody answered: {outcome.question}"
                return answers.refusal("needs_answer", message)

    def _request(
        self,
        ctx: Context,
        params: CallToolRequestParams,
        exposed: Exposed,
        answer: Answer | None,
    ) -> Request:
        actor = self._authenticate(ctx)
        return Request(
            name=exposed.ability.name,
            arguments=exposed.shape.unwrap(params.arguments),
            actor=actor,
            session=self._session(ctx, actor),
            server=self._spec.id,
            client=client_name(ctx),
            progress=_progress_of(ctx),
            answer=answer,
        )


def _is_unknown(outcome: Outcome, request: Request) -> bool:
    """Tell this tool's absence from that of one which it leads to."""
    error = outcome.error
    return (
        isinstance(error, AbilityNotFound)
        and error.details.get("ability") == request.name
    )


def _cannot_ask(asking: Asking, outcome: Outcome) -> str:
    if not asking.is_possible:
        return f"A person must answer, and this client cannot ask: {outcome.question}"
    if asking.rounds >= ROUNDS:
        return (
            f"A person was asked {ROUNDS} times, and each time what would happen had "
            "changed meanwhile. Try again when nobody else is changing it."
        )
    return ""


def _progress_of(ctx: Context) -> Progress:
    """What cannot be written as JSON would end the whole connection."""

    async def report(done: float, total: float | None, message: str | None) -> None:
        if isfinite(done) and isfinite(total or 0.0):
            shown = answers.clean(message[:PROGRESS_SHOWN]) if message else None
            await ctx.session.report_progress(done, total, shown)

    return report


def client_name(ctx: Context) -> str:
    """Give the name that a client calls itself, empty when it does not say."""
    params = ctx.session.client_params
    return answers.clean(params.client_info.name[:NAME_SHOWN]) if params else ""


def _logged(what: str, error: Exception) -> str:
    """Log an error and give the id under which it is found."""
    reference = secrets.token_hex(8)
    log.error("%s failed, reference %s", what, reference, exc_info=error)
    return reference
