"""Calling: from a client's request to a run, whatever the client asked for."""

from collections.abc import Callable
from math import isfinite
from typing import Any, Final

from mcp_types import InputResponseRequestParams

from abilities_host.calls import Actor, Answer, Outcome, Progress, Request
from abilities_host.errors import AbilityNotFound
from abilities_host.host import Host
from abilities_host.schema.profiles import GENERIC, Profile
from abilities_host.server import answers
from abilities_host.server.asking import ROUNDS, Asking, Context
from abilities_host.server.noting import note_call, note_outcome
from abilities_host.server.running import RunningCalls

NAME_SHOWN: Final = 128
PROGRESS_SHOWN: Final = 2_000

Authenticate = Callable[[Context], Actor]
SessionOf = Callable[[Context, Actor], str]


class Unanswered(Exception):
    """Raised when a person must answer and nobody did; the text says why."""


class Calling:
    """Runs abilities for the clients of one server.

    Args:
        host: the running host.
        server: id of the server.
        authenticate: gives the actor of a request.
        session: gives the session of a request.

    Attributes:
        authenticate: gives the actor of a request.
        calls: what runs now.
    """

    def __init__(
        self,
        host: Host,
        server: str,
        authenticate: Authenticate,
        session: SessionOf,
    ) -> None:
        self.authenticate: Final = authenticate
        self.calls: Final = RunningCalls()
        self._host: Final = host
        self._server: Final = server
        self._session: Final = session

    async def run(
        self,
        ctx: Context,
        params: InputResponseRequestParams,
        name: str,
        arguments: Any,
        profile: Profile = GENERIC,
    ) -> Outcome | dict[str, Any] | None:
        """Run an ability, asking a person as often as it must.

        Args:
            ctx: of the request.
            params: of the request; they bring a person's answer if one was asked.
            name: the ability's name.
            arguments: any JSON value.
            profile: of the client.

        Returns:
            How it ended; a finished question that the client asks; or None for an
            ability that this caller cannot see.

        Raises:
            Unanswered: when a person must answer and nobody did.
        """
        asking = Asking(ctx, params, self._host.config.limits.question_seconds)
        while True:
            request = self._request(ctx, name, arguments, asking.answer, profile)
            note_call(request)
            outcome = await self._host.run(request)
            note_outcome(request, outcome, is_known=self._has(outcome.ability))
            if _is_unknown(outcome, request):
                return None
            if outcome.status != "input_required":
                return outcome
            _check_can_ask(asking, outcome)
            if not asking.asks_here:
                return answers.question(outcome, asking.rounds + 1)
            if not await asking.ask(outcome):
                msg = f"Nobody answered: {outcome.question}"
                raise Unanswered(msg)

    async def miss(self, ctx: Context) -> None:
        """Check for a name that nobody has what is checked for any other.

        Else only a name that is there, and is off, would be told what is wrong.

        Args:
            ctx: of the request.

        Raises:
            MCPError: for a session that cannot be one.
        """
        self._session(ctx, self.authenticate(ctx))

    def _has(self, name: str) -> bool:
        return self._host.registry.has_ability(name)

    def _request(
        self,
        ctx: Context,
        name: str,
        arguments: Any,
        answer: Answer | None,
        profile: Profile,
    ) -> Request:
        actor = self.authenticate(ctx)
        return Request(
            name=name,
            arguments=arguments,
            actor=actor,
            session=self._session(ctx, actor),
            server=self._server,
            client=client_name(ctx),
            progress=_progress_of(ctx),
            answer=answer,
            numbers_in_strings=profile.numbers_in_strings,
        )


def client_name(ctx: Context) -> str:
    """Give the name that a client calls itself, empty when it does not say."""
    params = ctx.session.client_params
    return answers.clean(params.client_info.name[:NAME_SHOWN]) if params else ""


def client_version(ctx: Context) -> str:
    """Give the version that a client says it has, empty when it does not say."""
    params = ctx.session.client_params
    return params.client_info.version if params else ""


def shown(name: str) -> str:
    """Give a name that a client sent, as far as an answer may repeat it."""
    return answers.clean(name[:NAME_SHOWN])


def _is_unknown(outcome: Outcome, request: Request) -> bool:
    """Tell this ability's absence from that of one which it leads to."""
    error = outcome.error
    return (
        isinstance(error, AbilityNotFound)
        and error.details.get("ability") == request.name
    )


def _check_can_ask(asking: Asking, outcome: Outcome) -> None:
    if not asking.is_possible:
        msg = f"A person must answer, and this client cannot ask: {outcome.question}"
        raise Unanswered(msg)
    if asking.rounds >= ROUNDS:
        msg = (
            f"A person was asked {ROUNDS} times, and each time what would happen had "
            "changed meanwhile. Try again when nobody else is changing it."
        )
        raise Unanswered(msg)


def _progress_of(ctx: Context) -> Progress:
    """What cannot be written as JSON would end the whole connection."""

    async def report(done: float, total: float | None, message: str | None) -> None:
        if isfinite(done) and isfinite(total or 0.0):
            said = answers.clean(message[:PROGRESS_SHOWN]) if message else None
            await ctx.session.report_progress(done, total, said)

    return report
