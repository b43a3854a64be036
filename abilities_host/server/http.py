"""The application for clients that connect over HTTP, both eras at one address."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Final

import anyio
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from abilities_host.calls import Actor
from abilities_host.config.servers import MCP_ROUTE
from abilities_host.host import Host
from abilities_host.requestlog.log import RequestLog
from abilities_host.server.annex import Annex
from abilities_host.server.builder import HostServer
from abilities_host.server.endpoint import Endpoint
from abilities_host.server.entrance import Entrance
from abilities_host.server.exchange import EXCHANGE, Exchange
from abilities_host.server.fleet import Fleet
from abilities_host.server.gatekeeper import Gatekeeper, machine_token, verified
from abilities_host.server.guards import refusal
from abilities_host.server.names import LOOPBACK, NamesGuard
from abilities_host.server.pages import Document, Pages, no_document
from abilities_host.server.proxies import Proxies
from abilities_host.server.rates import Throttle

PATH: Final = MCP_ROUTE
ANSWER_SECONDS: Final = 0.1

Verify = Callable[[str], Actor | None]


class HttpApp:
    """An ASGI application; enter `running` around it where nobody runs its lifespan.

    Args:
        host: the running host.
        gatekeeper: says who calls.
        names: host names it is reached by.
        document: gives what a path under ``/.well-known`` says, None for nothing.
        requests: counts and keeps what is asked.
        annex: what is served beside the servers.

    Attributes:
        fleet: the servers that are served.
    """

    def __init__(
        self,
        host: Host,
        gatekeeper: Gatekeeper,
        names: tuple[str, ...],
        *,
        document: Document = no_document,
        requests: RequestLog | None = None,
        annex: Annex | None = None,
    ) -> None:
        self._host: Final = host
        self._annex: Final = annex
        self._requests: Final = requests or RequestLog()
        self._pages: Final = Pages(host, gatekeeper, document, self._requests)
        throttle = Throttle(lambda: host.config.limits)
        self.fleet: Final = Fleet(
            host,
            lambda one: Endpoint(host, one, gatekeeper, throttle, self._requests),
        )
        self._limit: Final = host.config.limits.http_requests
        self._router: Final = Starlette(
            routes=self._pages.routes, lifespan=lambda _app: self.running()
        )
        guarded = NamesGuard(self._route, lambda: host.config.http, names)
        self._app: Final = Proxies(guarded, lambda: host.config.http.trusted_proxies)
        self._exchanges: Final[set[Exchange]] = set()
        self._is_quiet: Final = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = scope[EXCHANGE] = Exchange(scope, send, self._tell)
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
        # Past the router, which takes as long as a call: it knows no server.
        endpoint = None
        if scope["type"] == "http":
            path = _path_of(scope)
            if self._annex is not None and self._annex.takes(scope, path):
                return self._annex.app(scope, receive, send)
            endpoint = self.fleet.find(path)
        return (endpoint or self._router)(scope, receive, send)

    @property
    def server(self) -> HostServer:
        """The first server."""
        return self.fleet.first.server

    @property
    def is_on(self) -> bool:
        """Whether no kill switch keeps the first server from answering."""
        return self.fleet.first.is_on

    def running(self) -> AbstractAsyncContextManager[None]:
        """Be able to serve for as long as it is entered; once."""
        return self.fleet.running()

    async def stop(self, seconds: float) -> None:
        """End what is open: streams at once, running calls after a moment.

        Args:
            seconds: how long running calls may still end by themselves.
        """
        self._host.is_stopping = True
        for endpoint in self.fleet.endpoints:
            endpoint.end_streams()
        await self._quiet_within(seconds)
        for endpoint in self.fleet.endpoints:
            endpoint.server.calls.cancel()
        await self._quiet_within(ANSWER_SECONDS)
        for exchange in self._exchanges:
            exchange.cancel()

    def _tell(self, status: int, server: str) -> None:
        self._requests.refused(status, server=server)

    async def _quiet_within(self, seconds: float) -> None:
        self._is_quiet.clear()
        self._note_quiet()
        with anyio.move_on_after(seconds):
            await self._is_quiet.wait()

    def _note_quiet(self) -> None:
        if not self._exchanges:
            self._is_quiet.set()


def build_app(
    host: Host,
    *,
    token: str = "",
    verify: Verify | None = None,
    names: tuple[str, ...] = LOOPBACK,
) -> HttpApp:
    """Serve a host over Streamable HTTP, at ``/mcp``, with ``/healthz`` beside it.

    Args:
        host: the running host.
        token: the one token, of the actor `[actors.http]`.
        verify: gives the actor of a token, in place of the one token.
        names: host names that a client may use, with brackets for IPv6.

    Returns:
        An ASGI application.

    Raises:
        ValueError: when nothing says who may call.
    """
    if verify is None and not token:
        msg = "build_app needs a token or verify: nobody may call without a token."
        raise ValueError(msg)
    check = verified(verify) if verify else machine_token(token, _actor(host))
    return HttpApp(host, Gatekeeper([check]), names)


def serve_host(
    host: Host,
    base: str,
    *,
    token: str = "",
    requests: RequestLog | None = None,
    names: tuple[str, ...] = (),
    annex: Annex | None = None,
) -> HttpApp:
    """Serve every server of a host to whom its configuration lets in.

    Args:
        host: the running host.
        base: how clients reach it, such as ``https://abilities.example.org``.
        token: the one token of this machine; empty for none.
        requests: counts and keeps what is asked.
        names: names it is reached by besides those of ``[http]`` and of this machine.
        annex: what is served beside the servers.

    Returns:
        An ASGI application.

    Raises:
        StartRefused: when what ``[http.issuer]`` says cannot be used safely.
    """
    requests = requests or RequestLog()
    entrance = Entrance(host, base, token=token, tell=requests.token_refused)
    return HttpApp(
        host,
        entrance.gatekeeper,
        (*LOOPBACK, *names),
        document=entrance.document,
        requests=requests,
        annex=annex,
    )


def _actor(host: Host) -> Callable[[], Actor]:
    return lambda: host.config.actors.http.actor("agent")


def _path_of(scope: Scope) -> str:
    root, path = scope.get("root_path", ""), scope["path"]
    return path.removeprefix(root) if root and path.startswith(root) else str(path)
