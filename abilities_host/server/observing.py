"""Observing: every request of a server, told to the log when it has ended."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from time import perf_counter_ns, time_ns
from typing import Any, Final

import orjson
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult
from mcp_types.methods import SPEC_CLIENT_METHODS
from pydantic import ValidationError

from abilities_host.calls import Actor
from abilities_host.requestlog.cleaning import cleaned
from abilities_host.requestlog.log import RequestLog
from abilities_host.requestlog.record import STATUSES, Record, Status
from abilities_host.requestlog.traceparent import HEADER, STATE, trace_of
from abilities_host.requestlog.tracing import Spanned
from abilities_host.server.asking import Context
from abilities_host.server.eras import LEGACY, era_of
from abilities_host.server.exchange import EXCHANGE
from abilities_host.server.noting import CURRENT, Note

log = logging.getLogger(__name__)

TEXT: Final = 128
SHORT: Final = 64
LISTS: Final = 64
OTHER: Final = "other"
_METHODS: Final = frozenset(SPEC_CLIENT_METHODS)
_ERRORS: Final[Mapping[int, tuple[Status, str]]] = {
    -32700: ("refused", "parse_error"),
    -32600: ("refused", "invalid_request"),
    -32601: ("refused", "method_not_found"),
    -32602: ("refused", "invalid_params"),
    -32603: ("error", "internal_error"),
    -32002: ("refused", "resource_not_found"),
    -32021: ("refused", "missing_client_capability"),
    -32022: ("refused", "unsupported_protocol_version"),
}
_SENT: Final = {
    b"content-length": "length",
    b"mcp-session-id": "session",
    b"traceparent": HEADER,
    b"tracestate": STATE,
}
_LOST: Final = "ability_cancelled"

Ending = tuple[Status, str]


class _Seen(Note):
    """What is known of a request, and what only this module needs of it."""

    __slots__ = ("at", "clock", "method", "sent", "spanned", "trace")

    def __init__(self, method: str, sent: dict[str, str]) -> None:
        super().__init__()
        self.at: Final = time_ns() // 1_000
        self.clock: Final = perf_counter_ns()
        self.method: Final = method if method in _METHODS else OTHER
        self.sent: Final = sent
        self.spanned: Spanned | None = None
        self.trace = trace_of(sent.get(HEADER))


class Observing:
    """The outermost part of a server: it changes nothing and fails nothing.

    Args:
        requests: where requests are told.
        server: the server's id.
        authenticate: gives the actor of a request.
    """

    def __init__(
        self,
        requests: RequestLog,
        server: str,
        authenticate: Callable[[Context], Actor],
    ) -> None:
        self._requests: Final = requests
        self._server: Final = server
        self._authenticate: Final = authenticate
        self._sizes: Final[dict[int, tuple[Any, int]]] = {}

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Answer one request, and tell of it; notices are no requests."""
        if ctx.request_id is None:
            return await call_next(ctx)
        _mark(ctx)
        seen, metrics = self._begin(ctx), self._requests.metrics
        token = CURRENT.set(seen)
        metrics.begin(self._server)
        result: HandlerResult = None
        ending: Ending = ("unknown", _LOST)
        try:
            result = await call_next(ctx)
            ending = ending_of(result)
        except BaseException as error:
            ending = ending_of_error(error, seen)
            raise
        finally:
            CURRENT.reset(token)
            metrics.end(self._server)
            self._end(ctx, seen, ending, result)
        return result

    def _begin(self, ctx: Context) -> _Seen:
        seen = _Seen(ctx.method, _sent(ctx))
        tracing = self._requests.tracing
        if tracing is not None:
            spanned = tracing.begin(seen.method, self._server, seen.sent)
            seen.spanned, seen.trace = spanned, spanned.trace
        return seen

    def _end(self, ctx: Context, seen: _Seen, ending: Ending, result: Any) -> None:
        try:
            record = self._record(ctx, seen, ending, result)
            self._requests.note(record)
            if seen.spanned is not None and self._requests.tracing is not None:
                self._requests.tracing.end(seen.spanned, record)
        except Exception:
            log.exception("a request could not be logged")

    def _record(self, ctx: Context, seen: _Seen, ending: Ending, result: Any) -> Record:
        micros = (perf_counter_ns() - seen.clock) // 1_000
        sent, era = seen.sent, era_of(ctx.protocol_version)
        session = seen.session or (sent.get("session", "") if era == LEGACY else "")
        return Record(  # by position: half of what it costs by name
            seen.at,
            "stdio" if ctx.request is None else "http",
            self._server,
            seen.method,
            seen.ability,
            seen.via,
            cleaned(seen.actor or self._actor_of(ctx), TEXT),
            _client_of(ctx),
            ending[0],
            cleaned(ending[1], SHORT) if ending[1] else "",
            micros,
            _size_in(ctx, sent),
            self._size_out(seen, ending[0], result),
            _text_of(ctx.request_id),
            era,
            seen.repaired,
            cleaned(session, SHORT) if session else "",
            seen.trace,
            seen.call,
        )

    def _actor_of(self, ctx: Context) -> str:
        """Whoever asks for no ability is known all the same, as a rule."""
        try:
            return self._authenticate(ctx).id
        except Exception:  # noqa: BLE001 - whoever was asked has said no already
            return ""

    def _size_out(self, seen: _Seen, status: Status, result: Any) -> int:
        if not isinstance(result, dict):
            return 0
        if status == "ok" and seen.size >= 0:
            return seen.size
        if seen.method == "tools/list" and "tools" in result:
            return self._size_of_list(result["tools"])
        return _size(result)

    def _size_of_list(self, tools: Any) -> int:
        """A listing is measured once, as it is made once."""
        known = self._sizes.get(id(tools))
        if known is not None:
            return known[1]
        if len(self._sizes) >= LISTS:
            self._sizes.clear()
        size = _size(tools)
        self._sizes[id(tools)] = (tools, size)  # kept, so that its id stays its own
        return size


def _mark(ctx: Context) -> None:
    """What is told here is not counted again by the status of its response."""
    exchange = None if ctx.request is None else ctx.request.scope.get(EXCHANGE)
    if exchange is not None:
        exchange.is_told = True


def ending_of(result: HandlerResult) -> Ending:
    """Say how a request ended that has a result.

    Args:
        result: as it is answered.

    Returns:
        The status, and the error's code, empty for none.
    """
    if not isinstance(result, dict):
        return "ok", ""
    if result.get("isError"):
        said = (result.get("_meta") or {}).get("abilities/error") or {}
        return _said(said, "failed")
    if result.get("resultType") == "input_required":
        return "input_required", ""
    return "ok", ""


def ending_of_error(error: BaseException, note: Note) -> Ending:
    """Say how a request ended that has no result.

    Args:
        error: why.
        note: what is known of it.

    Returns:
        The status, and a code.
    """
    if isinstance(error, MCPError):
        status, code = _ERRORS.get(error.error.code, ("refused", OTHER))
        data = error.error.data
        if isinstance(data, Mapping) and isinstance(data.get("code"), str):
            return _said(data, status)
        return status, note.code or code
    if isinstance(error, ValidationError):
        return "refused", "invalid_params"
    if isinstance(error, asyncio.CancelledError):
        return "unknown", _LOST
    return "error", "internal_error"


def _said(said: Mapping[str, Any], otherwise: Status) -> Ending:
    status = said.get("status")
    told: Status = status if status in STATUSES else otherwise
    return told, str(said.get("code", OTHER))


def _sent(ctx: Context) -> dict[str, str]:
    """Read what is logged of the head; what `_meta` says of a trace goes before."""
    sent = {}
    if ctx.request is not None:
        for key, value in ctx.request.scope["headers"]:
            if key in _SENT:
                sent[_SENT[key]] = value.decode("latin-1")
    meta: Mapping[str, Any] = ctx.meta or {}
    if trace_of(meta.get(HEADER)):
        sent[HEADER] = meta[HEADER]
        sent[STATE] = meta.get(STATE, "")
    return sent


def _client_of(ctx: Context) -> str:
    params = ctx.session.client_params
    return cleaned(params.client_info.name, TEXT) if params else ""


def _text_of(request_id: Any) -> str:
    return str(request_id) if type(request_id) is int else cleaned(request_id, SHORT)


def _size_in(ctx: Context, sent: Mapping[str, str]) -> int:
    length = sent.get("length", "")
    if length.isdecimal() and len(length) < SHORT // 4:
        return int(length)
    return _size(ctx.params) if ctx.params else 0


def _size(value: Any) -> int:
    try:
        return len(orjson.dumps(value))
    except TypeError:  # half a character, or a number that is too large
        return 0
