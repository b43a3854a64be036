"""Answer: what came of a request, in the few words that matter to a soak."""

import asyncio
from typing import Any, Literal, NamedTuple

import orjson
from benchmarks.http_client import HttpError

Kind = Literal[
    "ok", "unauthorised", "gone", "stopped", "broken", "unlisted", "refused", "strange"
]

_KINDS: dict[int, Kind] = {401: "unauthorised", 404: "gone", 503: "stopped"}
_STOPPING = "host_stopping"
_REFUSED = 400  # the later era says so of an error of the protocol
LOST = (OSError, asyncio.IncompleteReadError, TimeoutError)
"""What a connection raises whose other end dies."""


class Answer(NamedTuple):
    """What came.

    Attributes:
        kind: ``ok``; 401; ``gone`` for 404; ``stopped`` for 503, or
            for a run that the host ended because it stopped; ``broken`` for none;
            ``unlisted`` for a tool that nobody lists; ``refused`` with a code;
            ``strange`` for the rest.
        detail: a code, or what is strange.
        result: of the protocol.
        call: id of the run, empty for none.
    """

    kind: Kind
    detail: str = ""
    result: Any = None
    call: str = ""

    @property
    def content(self) -> Any:
        """The structured result of a tool."""
        return self.result["structuredContent"]


def read_answer(body: bytes) -> Answer:
    """Read an answer of status 200.

    Args:
        body: one message.

    Returns:
        The answer.
    """
    if not body:
        return Answer("broken", "a stream that ended without the answer")
    message = orjson.loads(body)
    result = message.get("result")
    if result is None:
        text = str(message.get("error", {}).get("message", body[:300]))
        is_unlisted = text.startswith("Unknown tool")
        return Answer("unlisted" if is_unlisted else "strange", text)
    meta = result.get("_meta") or {}
    call = meta.get("abilities/call", "")
    if not result.get("isError"):
        return Answer("ok", "", result, call)
    said = meta.get("abilities/error") or {}
    code = str(said.get("code", body[:300]))
    if code == _STOPPING:
        return Answer("stopped", code, call=call)
    kind: Kind = "refused" if said.get("status") == "refused" else "strange"
    return Answer(kind, code, call=call)


def answer_of(error: BaseException) -> Answer:
    """Read what was raised in place of an answer.

    Args:
        error: an `HttpError`, or one of `LOST`.

    Returns:
        The answer.
    """
    if not isinstance(error, HttpError):
        return Answer("broken", f"{type(error).__name__}: {error}")
    if error.status == _REFUSED:
        return read_answer(error.body)
    return Answer(_KINDS.get(error.status, "strange"), str(error))
