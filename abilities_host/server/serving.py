"""Serving: a host over HTTP in a process of its own, until a signal ends it."""

import asyncio
import logging
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from errno import EACCES, EADDRINUSE, EADDRNOTAVAIL
from typing import Final, Literal

import uvicorn

from abilities_host.calls import Recorder
from abilities_host.config import HostConfig, LoadedConfig
from abilities_host.errors import StartRefused
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.opening import open_host
from abilities_host.requestlog.opening import open_request_log
from abilities_host.server.annex import Beside, nothing_beside
from abilities_host.server.exposure import LOCALHOST, check_exposure
from abilities_host.server.http import HttpApp, serve_host
from abilities_host.server.stopping import Stopping, keep_what_stays
from abilities_host.server.tokens import Token, ensure_token
from abilities_host.threads import run_in_thread

PORT: Final = 8765
BACKLOG: Final = 256
GRACE_SECONDS: Final = 0.2
FLUSH_SECONDS: Final = 0.1

log = logging.getLogger(__name__)

_REASONS: Final = {
    EADDRINUSE: "Port {port} is in use. Stop what uses it, or choose another: "
    "abilities serve --port {other}.",
    EACCES: "Port {port} is reserved. Choose one above 1023, such as {standard}.",
    EADDRNOTAVAIL: "This machine has no address {address}.",
}


@dataclass(frozen=True, slots=True)
class Served:
    """What a client needs to connect.

    Attributes:
        url: of the first server.
        token: what the client must show.
        is_on: whether it answers; a kill switch may say no.
        further: urls of the other servers.
    """

    url: str
    token: Token
    is_on: bool
    further: tuple[str, ...] = ()


async def run_http(
    loaded: LoadedConfig,
    *,
    announce: Callable[[Served], None],
    packs: Sequence[Pack] = (),
    finds_packs: bool = True,
    recorder: Recorder | None = None,
    beside: Beside = nothing_beside,
) -> int:
    """Start a host and serve it over HTTP until a signal comes.

    Call it in the main thread of a process of its own.

    Args:
        loaded: the configuration; `[http]` says where.
        announce: is told once how to connect, when clients can.
        packs: further packs, already imported.
        finds_packs: look for installed packs and those of `plugins_dir`.
        recorder: keeps the record of writes.
        beside: gives what is served beside the servers, once the host runs.

    Returns:
        The process's exit code: 128 and the number of the signal.

    Raises:
        AbilitiesError: when the host cannot be started.
    """
    for warning in check_exposure(loaded.config):
        log.warning("%s", warning)
    address = _numbers(loaded.config.http.address)
    opening = open_host(loaded, packs=packs, finds_packs=finds_packs, recorder=recorder)
    # Taken first: a port in use is said at once, and early clients wait in line.
    with _all_listening(address, loaded.config) as listeners, Stopping() as stopping:
        async with opening as host:
            token = await run_in_thread(lambda: ensure_token(loaded.token_path))
            shown = f"[{address}]" if ":" in address else address
            base = _base(loaded.config, shown, listeners[0])
            log_of = open_request_log(loaded, lambda: host.config)
            async with log_of as requests:
                app = serve_host(
                    host,
                    base,
                    token=token.value,
                    requests=requests,
                    names=(shown,),
                    annex=beside(host),
                )
                announce(_served(host, base, token))
                keep_what_stays()
                await _serve(app, listeners, stopping)
    return stopping.code


def _base(config: HostConfig, shown: str, listener: socket.socket) -> str:
    own = f"http://{shown}:{listener.getsockname()[1]}"
    return config.http.public_url or own


def _served(host: Host, base: str, token: Token) -> Served:
    first, *further = host.config.all_servers
    routes = [each.path(is_first=False) for each in further]
    is_on = host.server_view(first.id).enabled and not host.config.kill_switch
    return Served(
        base + first.path(is_first=True),
        token,
        is_on,
        tuple(base + route for route in routes),
    )


def _numbers(address: str) -> str:
    return LOCALHOST if address == "localhost" else address


def fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Give the maker of the fastest event loop there is here.

    Returns:
        uvloop's, or None for asyncio's own where uvloop does not exist.
    """
    try:
        from uvloop import new_event_loop  # noqa: PLC0415 - not on every platform
    except ImportError:
        return None
    return new_event_loop


async def _serve(
    app: HttpApp, listeners: list[socket.socket], stopping: Stopping
) -> None:
    """Serve until a signal; the host's own end comes after the last response."""
    stopped = asyncio.Event()
    server = _Server(app)
    async with app.running():
        stopping.stop = stopped.set
        ending = asyncio.create_task(_end(stopped, app, server))
        try:
            await server.serve(sockets=listeners)
        finally:
            ending.cancel()


async def _end(stopped: asyncio.Event, app: HttpApp, server: "_Server") -> None:
    await stopped.wait()
    await app.stop(GRACE_SECONDS)
    server.should_exit = True


class _Server(uvicorn.Server):
    """Leaves signals to the host, and waits for nobody once all has been answered."""

    def __init__(self, app: HttpApp) -> None:
        # Its own log would hold what clients send; the host has one.
        super().__init__(
            uvicorn.Config(
                app,
                http=_protocol(),
                lifespan="off",
                ws="none",
                access_log=False,
                log_config=None,
                server_header=False,
                # The host itself knows whose forwarded headers are to be believed.
                proxy_headers=False,
                backlog=BACKLOG,
            )
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signal."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close what is open; a client that reads nothing holds nothing up."""
        for server in self.servers:
            server.close()
        for listener in sockets or ():
            listener.close()
        for connection in tuple(self.server_state.connections):
            connection.shutdown()
        if tasks := tuple(self.server_state.tasks):
            await asyncio.wait(tasks, timeout=FLUSH_SECONDS)


def _protocol() -> type[asyncio.Protocol] | Literal["h11"]:
    try:
        from abilities_host.server.connection import BoundedConnection  # noqa: PLC0415 - httptools is not on every platform
    except ImportError:
        return "h11"  # it bounds the size of a head itself
    return BoundedConnection


@contextmanager
def _all_listening(address: str, config: HostConfig) -> Iterator[list[socket.socket]]:
    """Take every port: that of the servers first, then one for the pages alone."""
    ports = [config.http.port]
    if config.admin.enabled and config.admin.port not in (0, config.http.port):
        ports.append(config.admin.port)
    with ExitStack() as stack:
        yield [stack.enter_context(_listening(address, port)) for port in ports]


@contextmanager
def _listening(address: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as listener:
        if os.name == "posix":  # elsewhere it would share the port with others
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, port))
            listener.listen(BACKLOG)
        except (OSError, OverflowError) as error:
            raise _unusable(address, port, error) from error
        yield listener


def _unusable(address: str, port: int, error: Exception) -> StartRefused:
    reason = _REASONS.get(getattr(error, "errno", 0) or 0)
    if reason is None:
        return StartRefused(f"Port {port} of {address} cannot be used: {error}.")
    other = port + 1 if port < 65_535 else PORT  # noqa: PLR2004 - the last port
    return StartRefused(
        reason.format(port=port, address=address, other=other, standard=PORT)
    )
