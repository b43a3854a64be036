"""Servers: this host and its peers, each started the way its users start it."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.pack import FILE
from benchmarks.process import Process, pin, started
from benchmarks.row import HERE
from benchmarks.stdio_client import StdioClient
from benchmarks.wire import MODERN

from abilities_host.config import load_config
from abilities_host.testing import write_config

LOWLEVEL = "lowlevel"
MCPSERVER = "MCPServer"
FASTMCP = "FastMCP"
FLOOR = "ASGI + orjson"

MODULES = {
    LOWLEVEL: "benchmarks.peers.lowlevel",
    MCPSERVER: "benchmarks.peers.mcpserver",
    FASTMCP: "benchmarks.peers.fastmcp_server",
    FLOOR: "benchmarks.peers.floor",
}

OURS = ("abilities-host/core", "abilities-host/files")
DISPATCHER = "abilities-host/dispatcher"
START_SECONDS = 300.0
LONG_REGISTRATION = "[limits]\nhook_seconds = 300\n"
"""No pack that registers 10,000 abilities is set aside for being slow at it."""


@dataclass(frozen=True, slots=True)
class Listening:
    """A server that listens.

    Attributes:
        process: of the server.
        port: on this machine's loopback.
        token: what it asks of its clients; empty for none.
    """

    process: Process
    port: int
    token: str = ""


def stdio(
    bench: Bench,
    who: str,
    abilities: int,
    *,
    version: str = MODERN,
    is_compact: bool = False,
) -> StdioClient:
    """Give a client of a server over stdio, started once for the whole run.

    Args:
        bench: the run.
        who: this host or a peer.
        abilities: how many it has.
        version: of the protocol; a server over stdio speaks one.
        is_compact: this host lists its three tools only.

    Returns:
        A client that has shaken hands.
    """
    key = f"stdio-{who}-{abilities}-{version}-{is_compact}"

    @contextmanager
    def start() -> Iterator[StdioClient]:
        arguments = stdio_arguments(bench, who, abilities, is_compact=is_compact)
        with started(arguments, bench.log) as process:
            client = StdioClient(process, version)
            client.open()
            pin(process.pid, first=True)
            yield client

    return bench.keep(key, start)


def stdio_arguments(
    bench: Bench, who: str, abilities: int, *, is_compact: bool = False
) -> list[str]:
    """Give what starts a server over stdio, after the interpreter's name."""
    if who != HERE:
        return ["-m", MODULES[who], "--abilities", str(abilities)]
    config = site(bench, abilities, is_compact=is_compact)
    return ["-m", "abilities_host", "stdio", "--config", str(config)]


def site(bench: Bench, abilities: int, *, is_compact: bool = False) -> Path:
    """Give the configuration of a host that has this many abilities."""
    word = "compact" if is_compact else "full"
    return bench.keep(
        f"site-{word}-{abilities}",
        lambda: _site(bench.folder / f"{word}-{abilities}", abilities, word),
    )


@contextmanager
def _site(folder: Path, abilities: int, word: str) -> Iterator[Path]:
    blocked = [*OURS, *([] if word == "compact" else [DISPATCHER])]
    config = write_config(
        folder,
        f'plugins_dir = "packs"\n[plugins]\nblocked = {blocked}\n[server]\n'
        f"compact = {str(word == 'compact').lower()}\n{LONG_REGISTRATION}",
    )
    packs = folder / "packs"
    packs.mkdir(mode=0o700)
    (packs / "bench.py").write_text(FILE.format(abilities=abilities), encoding="utf-8")
    (packs / "bench.py").chmod(0o600)
    yield config


def http(bench: Bench, who: str, abilities: int) -> Listening:
    """Give a server that listens, started once for the whole run.

    Args:
        bench: the run.
        who: this host or a peer.
        abilities: how many it has.

    Returns:
        It accepts connections.
    """
    return bench.keep(f"http-{who}-{abilities}", lambda: _http(bench, who, abilities))


@contextmanager
def _http(bench: Bench, who: str, abilities: int) -> Iterator[Listening]:
    port, token = free_port(), ""
    if who == HERE:
        config = site(bench, abilities)
        arguments = ["-m", "abilities_host", "serve", "--config", str(config)]
    else:
        arguments = ["-m", MODULES[who], "--abilities", str(abilities)]
    with started([*arguments, "--port", str(port)], bench.log) as process:
        if who == HERE:
            token = token_of(config, process)
        wait_for(port, process)
        pin(process.pid, first=True)
        yield Listening(process, port, token)


def free_port() -> int:
    """Find a port that nobody listens at."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port


def token_of(config: Path, process: Process) -> str:
    """Wait for the token that a host makes at its first start, and read it."""
    path = load_config(config, environ={}, cwd=config.parent).token_path
    _wait(lambda: path.exists() and path.stat().st_size > 0, process)
    return path.read_text(encoding="ascii").strip()


def wait_for(port: int, process: Process) -> None:
    """Wait until a server accepts connections.

    Args:
        port: where it will listen.
        process: of the server.

    Raises:
        TimeoutError: when it has ended, or takes too long.
    """
    _wait(lambda: _accepts(port), process)


def _accepts(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def _wait(is_ready: Callable[[], bool], process: Process) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if is_ready():
            return
        time.sleep(0.02)
    msg = "the server has not started; build/bench.log may say why"
    raise TimeoutError(msg)
