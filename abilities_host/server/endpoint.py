"""Endpoint: one server over HTTP, for as long as the configuration has it."""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, cast

import anyio
from anyio.abc import TaskStatus
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from abilities_host.calls import Actor
from abilities_host.config import ServerSettings
from abilities_host.config.settings import LimitSettings
from abilities_host.host import Host
from abilities_host.requestlog.log import RequestLog
from abilities_host.server.asking import Context
from abilities_host.server.builder import HostServer, build_server
from abilities_host.server.calling import client_name
from abilities_host.server.eras import MODERN, era_of
from abilities_host.server.exchange import EXCHANGE, Exchange, SlowBody, hurried
from abilities_host.server.gatekeeper import Gatekeeper
from abilities_host.server.guards import Caller, bearer_of, refusal, too_many
from abilities_host.server.handshake import Handshakes
from abilities_host.server.rates import Throttle
from abilities_host.server.sessions import NAME_KEY, Sessions

BODY_BYTES: Final = 4 << 20
BODY_SECONDS: Final = 30.0
_STRANGER: Final = "Too many requests without a good token. Wait before the next one."
_OFTEN: Final = "Too many requests in a minute. Wait before the next one."
_CROWD: Final = "Too many requests at once. Wait until one of yours has ended."


class Endpoint:
    """Serves one server; run it once, in a task of its own.

    Args:
        host: the running host.
        settings: of the server, as the configuration says now.
        gatekeeper: says who calls.
        throttle: says how often.
        requests: keeps what is asked.

    Attributes:
        id: of the server.
        server: what is served.
        is_over: set once its last call has ended, after `leave`.
    """

    def __init__(
        self,
        host: Host,
        settings: ServerSettings,
        gatekeeper: Gatekeeper,
        throttle: Throttle,
        requests: RequestLog,
    ) -> None:
        self.id: Final = settings.id
        self._host: Final = host
        self._last: ServerSettings = settings
        self._seen = host.config
        self._gatekeeper: Final = gatekeeper
        self._throttle: Final = throttle
        self._requests: Final = requests
        sessions = Sessions(settings.id)
        self.server: Final[HostServer] = build_server(
            host,
            settings.id,
            authenticate=_actor_of,
            session=lambda ctx, actor: _session_of(sessions, ctx, actor),
            requests=requests,
        )
        self._manager: Final = _manager(self.server, host.config.limits)
        protocol = Handshakes(self._manager.handle_request)
        self._app: Final = AuthContextMiddleware(protocol)
        self._open: Final[set[Exchange]] = set()
        self._left: Final = asyncio.Event()
        self._is_quiet: Final = asyncio.Event()
        self.is_over: Final = asyncio.Event()

    @property
    def settings(self) -> ServerSettings:
        """What the configuration says of it now, or said last."""
        if self._seen is not self._host.config:  # each request asks
            self._seen = self._host.config
            known = {each.id: each for each in self._seen.all_servers}
            self._last = known.get(self.id, self._last)
        return self._last

    @property
    def is_on(self) -> bool:
        """Whether no kill switch says otherwise."""
        config = self._host.config
        return self._host.server_view(self.id).enabled and not config.kill_switch

    async def serve(
        self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED
    ) -> None:
        """Be able to answer until `leave` was called and what runs has ended."""
        sessions = self._requests.metrics.sessions
        sessions[self.id] = self._count_sessions
        try:
            async with self._manager.run():
                task_status.started()
                await self._left.wait()
                with anyio.move_on_after(self._host.config.limits.call_seconds):
                    await self._quiet()
        finally:
            sessions.pop(self.id, None)
            self.is_over.set()

    def _count_sessions(self) -> int:
        return len(self._manager._server_instances)  # noqa: SLF001 - nothing else counts them

    def leave(self) -> None:
        """Take no further request; what runs goes on under the rules it began with."""
        self._left.set()
        self.end_streams()

    def end_streams(self) -> None:
        """End what only waits for messages."""
        self.server.listening.close()
        for exchange in tuple(self._open):
            if exchange.is_listening:
                exchange.cancel()

    async def review(self) -> None:
        """End the streams of who would not be let in any more."""
        if not self.is_on:
            self.end_streams()
        for exchange in tuple(self._open):
            visitor = exchange.visitor
            if visitor is None or not exchange.is_held_open:
                continue
            if not await self._gatekeeper.still_admits(visitor, self.settings):
                exchange.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        exchange: Exchange = scope[EXCHANGE]
        self._open.add(exchange)
        exchange.server = self.id
        try:
            refused = await self._admit(scope, exchange)
            if refused is None:
                await self._answer(scope, receive, send)
            else:
                await refused(scope, receive, send)
        finally:
            self._open.discard(exchange)
            if not self._open:
                self._is_quiet.set()

    async def _admit(self, scope: Scope, exchange: Exchange) -> Response | None:
        if self._left.is_set() or not self.is_on:
            return refusal(404, "The server is off.")
        admitted = await self._gatekeeper.admit(bearer_of(scope), self.settings)
        if isinstance(admitted, Response):
            return self._slowed(scope, admitted)
        if wait := self._throttle.actors.take(admitted.caller.actor.id):
            return too_many(_OFTEN, wait)
        exchange.visitor = admitted
        scope["user"] = admitted.caller
        return None

    def _slowed(self, scope: Scope, refused: Response) -> Response:
        """Who showed no good token is told so a while, then to wait."""
        if refused.status_code != HTTPStatus.UNAUTHORIZED:
            return refused
        address = (scope.get("client") or ("",))[0]
        wait = self._throttle.strangers.take(address)
        return too_many(_STRANGER, wait) if wait else refused

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        actor = scope["user"].actor.id
        if not self._throttle.crowd.enter(actor):
            await too_many(_CROWD, 1)(scope, receive, send)
            return
        exchange: Exchange = scope[EXCHANGE]
        exchange.expire_after(self._host.config.limits.request_seconds)
        try:
            await self._app(scope, hurried(receive, BODY_SECONDS), send)
        except SlowBody:
            await refusal(408, "The body did not arrive in time.")(scope, receive, send)
        finally:
            exchange.note_end()
            self._throttle.crowd.leave(actor)

    async def _quiet(self) -> None:
        while self._open:
            self._is_quiet.clear()
            await self._is_quiet.wait()


def _manager(server: HostServer, limits: LimitSettings) -> StreamableHTTPSessionManager:
    return StreamableHTTPSessionManager(
        server,
        max_request_body_size=max(BODY_BYTES, 2 * limits.input_bytes),
        max_sessions=limits.http_sessions,
        session_idle_timeout=limits.http_session_seconds,
    )


def _actor_of(ctx: Context) -> Actor:
    caller: Caller = _request_of(ctx).user
    return caller.actor


def _request_of(ctx: Context) -> Request:
    return cast("Request", ctx.request)  # over HTTP there always is one


def _session_of(sessions: Sessions, ctx: Context, actor: Actor) -> str:
    if era_of(ctx.protocol_version) != MODERN:
        return str(_request_of(ctx).headers["mcp-session-id"])
    meta: Mapping[str, Any] = ctx.meta or {}
    if NAME_KEY in meta:
        return sessions.named(actor, meta[NAME_KEY])
    return sessions.of_client(actor, client_name(ctx))
