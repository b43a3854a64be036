"""Asking: a person's answer, the way each era gets it."""

import logging
from typing import Any, Final

import anyio
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp_types import ElicitResult, InputResponseRequestParams
from pydantic import ValidationError

from abilities_host.calls import Answer, Outcome
from abilities_host.server.answers import QUESTION, clean, cut, form_of
from abilities_host.server.eras import MODERN, era_of

log = logging.getLogger(__name__)

ROUNDS: Final = 3

Context = ServerRequestContext[Any, Any]


class Asking:
    """The questions of one call.

    In the later era the client asks and tries again, so each question ends a request;
    in the earlier one the request stays open while the person thinks.

    Args:
        ctx: of the request.
        params: of the request; they bring the answer in the later era.
        seconds: how long a person may think while the request is open.

    Attributes:
        answer: what the person said last, None before.
        rounds: how many times a person was asked.
        asks_here: whether the request stays open.
    """

    def __init__(
        self, ctx: Context, params: InputResponseRequestParams, seconds: float
    ) -> None:
        self.answer: Answer | None = None
        self.rounds = 0
        self.asks_here: Final = era_of(ctx.protocol_version) != MODERN
        self._ctx: Final = ctx
        self._seconds: Final = seconds
        if params.request_state:
            self._take(params.request_state, params.input_responses or {})

    @property
    def is_possible(self) -> bool:
        """Whether the client said that it can ask its user with a form."""
        capabilities = self._ctx.session.client_capabilities
        able = capabilities.elicitation if capabilities else None
        return able is not None and (able.form is not None or able.url is None)

    async def ask(self, outcome: Outcome) -> bool:
        """Ask now and wait.

        Args:
            outcome: an open question.

        Returns:
            Whether an answer came; a no is an answer.
        """
        self.rounds += 1
        self.answer = None
        text, (key, schema) = clean(cut(outcome.question)), form_of(outcome)
        with anyio.move_on_after(self._seconds):
            try:
                result = await self._ctx.session.elicit_form(
                    text,
                    dict(schema),
                    related_request_id=self._ctx.request_id,
                )
            except (MCPError, ValidationError):
                log.warning("the client could not ask its user", exc_info=True)
                return False
            self.answer = _answer(key, outcome.state, result)
        return self.answer is not None

    def _take(self, state: str, responses: Any) -> None:
        """Read what this server wrote; the SDK has checked that nobody changed it."""
        rounds, key, question = state.split(":", 2)
        self.rounds = int(rounds)
        response = responses.get(key)
        if isinstance(response, ElicitResult):
            self.answer = _answer(key, question, response)


def _answer(key: str, state: str, result: ElicitResult) -> Answer:
    """A form that was sent is a yes; a plain question needs it in so many words."""
    content = result.content or {}
    is_yes = key != QUESTION or content.get(QUESTION) is True
    return Answer(state, result.action == "accept" and is_yes, content)
