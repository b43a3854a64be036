"""The server for clients that connect over HTTP, both eras at one address."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, cast

import anyio
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from abilities_host.calls import Actor
from abilities_host.host import Host
from abilities_host.server.asking import Context
from abilities_host.server.builder import HostServer, build_server
from abilities_host.server.calling import client_name
from abilities_host.server.eras import MODERN, era_of
from abilities_host.server.exchange import Exchange, SlowBody, hurried
from abilities_host.server.guards import (
    LOOPBACK,
    Caller,
    NamesGuard,
    OneToken,
    bearer_of,
    caller_of,
    refusal,
    unauthorised,
)
from abilities_host.server.handshake import Handshakes
from abilities_host.server.sessions import NAME_KEY, Sessions
from abilities_host.server.spec import ServerSpec

PATH: Final = "/mcp"
BODY_BYTES: Final = 4 << 20
BODY_SECONDS: Final = 30.0
ANSWER_SECONDS: Final = 0.1

Verify = Callable[[str], Actor | None]


class HttpApp:
    """An ASGI application; enter `running` around it where nobody runs its lifespan.

    Args:
        host: the running host.
        server: what is served.
        verify: gives the actor of a token, None for a token that nobody has.
        names: host names it is reached by.

    Attributes:
        server: what is served.
    """

    def __init__(
        self, host: Host, server: HostServer, verify: Verify, names: tuple[str, ...]
    ) -> None:
        limits = host.config.limits
        self._host: Final = host
        self.server: Final = server
        self._manager: Final = StreamableHTTPSessionManager(
            server,
            max_request_body_size=max(BODY_BYTES, 2 * limits.input_bytes),
            max_sessions=limits.http_sessions,
            session_idle_timeout=limits.http_session_seconds,
        )
        self._limit: Final = limits.http_requests
        protocol = AuthContextMiddleware(Handshakes(self._manager.handle_request))
        self._endpoint: Final = _Endpoint(protocol, verify, is_on=lambda: self.is_on)
        routes = [Route(PATH, self._endpoint), Route("/healthz", self._health)]
        self._router: Final = Starlette(
            routes=routes, lifespan=lambda _app: self.running()
        )
        self._app: Final = NamesGuard(self._route, names)
        self._exchanges: Final[set[Exchange]] = set()
        self._is_quiet: Final = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = Exchange(scope, send)
        if len(self._exchanges) >= self._limit:
            busy = refusal(503, "Too many requests at once. Try again in a moment.")
            await busy(scope, receive, exchange.send)
            return
        self._exchanges.add(exchange)
        try:
            await exchange.run(self._app, receive)
        finally:
            self._exchanges.discard(exchange)
            self._note_quiet()

    def _route(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        # Past the router, which takes as long as a call: it would find the same.
        is_call = scope["type"] == "http" and scope["path"] == PATH
        is_direct = is_call and not scope.get("root_path")
        return (self._endpoint if is_direct else self._router)(scope, receive, send)

    @property
    def is_on(self) -> bool:
        """Whether no kill switch says otherwise."""
        view = self._host.server_view(self.server.spec.id)
        return view.enabled and not self._host.config.kill_switch

    def running(self) -> AbstractAsyncContextManager[None]:
        """Be able to serve for as long as it is entered; once."""
        return self._manager.run()

    async def stop(self, seconds: float) -> None:
        """End what is open: streams at once, running calls after a moment.

        Args:
            seconds: how long running calls may still end by themselves.
        """
        self._host.is_stopping = True
        self.server.listening.close()
        for exchange in self._exchanges:
            if exchange.is_listening:
                exchange.cancel()
        await self._quiet_within(seconds)
        self.server.calls.cancel()
        await self._quiet_within(ANSWER_SECONDS)
        for exchange in self._exchanges:
            exchange.cancel()

    async def _quiet_within(self, seconds: float) -> None:
        self._is_quiet.clear()
        self._note_quiet()
        with anyio.move_on_after(seconds):
            await self._is_quiet.wait()

    def _note_quiet(self) -> None:
        if not self._exchanges:
            self._is_quiet.set()

    async def _health(self, _request: Request) -> Response:
        if self._host.is_stopping:
            return JSONResponse({"ok": False}, status_code=503)
        return JSONResponse({"ok": True})


def build_app(
    host: Host,
    spec: ServerSpec | None = None,
    *,
    token: str = "",
    verify: Verify | None = None,
    names: tuple[str, ...] = LOOPBACK,
) -> HttpApp:
    """Serve a host over Streamable HTTP, at ``/mcp``, with ``/healthz`` beside it.

    Args:
        host: the running host.
        spec: what the server is; by default what the configuration says.
        token: the one token, of the actor `[actors.http]`.
        verify: gives the actor of a token, in place of the one token.
        names: host names that a client may use, with brackets for IPv6.

    Returns:
        An ASGI application.

    Raises:
        ValueError: when neither `token` nor `verify` is given.
    """
    if verify is None and not token:
        msg = "build_app needs a token or verify: nobody may call without a token."
        raise ValueError(msg)
    spec = spec or ServerSpec.from_host(host)
    sessions = Sessions(spec.id)
    server = build_server(
        host,
        spec,
        authenticate=_actor_of,
        session=lambda ctx, actor: _session_of(sessions, ctx, actor),
    )
    return HttpApp(host, server, verify or _one_token(host, token), names)


class _Endpoint:
    """The route of the protocol: is it on, who calls, and over to the SDK."""

    def __init__(
        self, app: ASGIApp, verify: Verify, *, is_on: Callable[[], bool]
    ) -> None:
        self._app: Final = app
        self._verify: Final = verify
        self._is_on: Final = is_on

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._is_on():
            await refusal(404, "The server is off.")(scope, receive, send)
            return
        shown = bearer_of(scope)
        actor = self._verify(shown) if shown else None
        if shown is None or actor is None:
            await unauthorised(was_shown=bool(shown))(scope, receive, send)
            return
        scope["user"] = caller_of(actor, shown)
        try:
            await self._app(scope, hurried(receive, BODY_SECONDS), send)
        except SlowBody:
            await refusal(408, "The body did not arrive in time.")(scope, receive, send)


def _one_token(host: Host, token: str) -> Verify:
    known = OneToken(token.encode())

    def verify(shown: str) -> Actor | None:
        # Asked each time, so that changed scopes hold at once.
        actor = host.config.actors.http.actor("agent")
        return actor if known.matches(shown) else None

    return verify


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
