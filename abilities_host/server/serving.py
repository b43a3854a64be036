"""Serving: a host over HTTP in a process of its own, until a signal ends it."""

import asyncio
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EACCES, EADDRINUSE, EADDRNOTAVAIL
from ipaddress import ip_address
from typing import Final, Literal

import uvicorn
from starlette.types import ASGIApp

from abilities_host.calls import Recorder
from abilities_host.config import LoadedConfig
from abilities_host.errors import StartRefused
from abilities_host.hooks.packs import Pack
from abilities_host.opening import open_host
from abilities_host.server.guards import LOOPBACK
from abilities_host.server.http import PATH, HttpApp, build_app
from abilities_host.server.stopping import Stopping, keep_what_stays
from abilities_host.server.tokens import Token, ensure_token
from abilities_host.threads import run_in_thread

ADDRESS: Final = "127.0.0.1"
PORT: Final = 8765
BACKLOG: Final = 256
GRACE_SECONDS: Final = 0.2
FLUSH_SECONDS: Final = 0.1

_REASONS: Final = {
    EADDRINUSE: "Port {port} is in use. Stop what uses it, or choose another: "
    "abilities serve --port {other}.",
    EACCES: "Port {port} is reserved. Choose one above 1023, such as {standard}.",
    EADDRNOTAVAIL: "This machine has no address {address}.",
}


Around = Callable[[HttpApp], ASGIApp]


@dataclass(frozen=True, slots=True)
class Served:
    """What a client needs to connect.

    Attributes:
        url: of the server.
        token: what the client must show.
        is_on: whether it answers; a kill switch may say no.
    """

    url: str
    token: Token
    is_on: bool


async def run_http(
    loaded: LoadedConfig,
    *,
    announce: Callable[[Served], None],
    address: str = ADDRESS,
    port: int = PORT,
    packs: Sequence[Pack] = (),
    finds_packs: bool = True,
    recorder: Recorder | None = None,
    around: Around | None = None,
) -> int:
    """Start a host and serve it over HTTP until a signal comes.

    Call it in the main thread of a process of its own.

    Args:
        loaded: the configuration.
        announce: is told once how to connect, when clients can.
        address: of this machine only.
        port: 0 for any that is free.
        packs: further packs, already imported.
        finds_packs: look for installed packs and those of `plugins_dir`.
        recorder: keeps the record of writes.
        around: gives what is served in place of the host's own application; what it
            lets through is not bounded by the host.

    Returns:
        The process's exit code: 128 and the number of the signal.

    Raises:
        AbilitiesError: when the host cannot be started.
    """
    address = _loopback(address)
    opening = open_host(loaded, packs=packs, finds_packs=finds_packs, recorder=recorder)
    # Taken first: a port in use is said at once, and early clients wait in line.
    with _listening(address, port) as listener, Stopping() as stopping:
        async with opening as host:
            token = await run_in_thread(lambda: ensure_token(loaded.token_path))
            shown = f"[{address}]" if ":" in address else address
            app = build_app(host, token=token.value, names=(*LOOPBACK, shown))
            url = f"http://{shown}:{listener.getsockname()[1]}{PATH}"
            announce(Served(url, token, app.is_on))
            keep_what_stays()
            await _serve(app, around(app) if around else app, listener, stopping)
    return stopping.code


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
    app: HttpApp, shown: ASGIApp, listener: socket.socket, stopping: Stopping
) -> None:
    """Serve until a signal; the host's own end comes after the last response."""
    stopped = asyncio.Event()
    server = _Server(shown)
    async with app.running():
        stopping.stop = stopped.set
        ending = asyncio.create_task(_end(stopped, app, server))
        try:
            await server.serve(sockets=[listener])
        finally:
            ending.cancel()


async def _end(stopped: asyncio.Event, app: HttpApp, server: "_Server") -> None:
    await stopped.wait()
    await app.stop(GRACE_SECONDS)
    server.should_exit = True


class _Server(uvicorn.Server):
    """Leaves signals to the host, and waits for nobody once all has been answered."""

    def __init__(self, app: ASGIApp) -> None:
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


def _loopback(address: str) -> str:
    """Without encryption a token must not leave this machine."""
    try:
        is_here = ip_address(address).is_loopback
    except ValueError:
        is_here = address == "localhost"
    if not is_here:
        raise StartRefused(
            f"The address {address!r} can be reached from other machines, or is no "
            "address. Only this machine is served so far: leave --host out, or use "
            "127.0.0.1 or ::1."
        )
    return ADDRESS if address == "localhost" else address


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
