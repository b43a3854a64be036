"""Servers: this host and its peers, each started the way its users start it."""

import socket
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from abilities_host.testing import write_config
from benchmarks.bench import Bench
from benchmarks.pack import FILE
from benchmarks.process import Process, started
from benchmarks.row import HERE
from benchmarks.stdio_client import StdioClient
from benchmarks.wire import MODERN

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
        with started(arguments, bench.folder / "errors.log") as process:
            client = StdioClient(process, version)
            client.open()
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
    text = f'plugins_dir = "packs"\n[plugins]\nblocked = {blocked}\n[server]\n'
    config = write_config(folder, text + f"compact = {str(word == 'compact').lower()}")
    packs = folder / "packs"
    packs.mkdir(mode=0o700)
    (packs / "bench.py").write_text(FILE.format(abilities=abilities), encoding="utf-8")
    (packs / "bench.py").chmod(0o600)
    yield config


def http(bench: Bench, who: str, abilities: int) -> Listening:
    """Give a server that listens, started once for the whole run.

    Args:
        bench: the run.
        who: a peer.
        abilities: how many it has.

    Returns:
        It accepts connections.
    """
    return bench.keep(f"http-{who}-{abilities}", lambda: _http(bench, who, abilities))


def _http(bench: Bench, who: str, abilities: int) -> AbstractContextManager[Listening]:
    return _peer_http(bench, who, abilities)


@contextmanager
def _peer_http(bench: Bench, who: str, abilities: int) -> Iterator[Listening]:
    port = free_port()
    arguments = ["-m", MODULES[who], "--abilities", str(abilities)]
    log = bench.folder / "errors.log"
    with started([*arguments, "--port", str(port)], log) as process:
        wait_for(port, process)
        yield Listening(process, port)


def free_port() -> int:
    """Find a port that nobody listens at."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port


def wait_for(port: int, process: Process) -> None:
    """Wait until a server accepts connections.

    Args:
        port: where it will listen.
        process: of the server.

    Raises:
        TimeoutError: when it has ended, or takes too long.
    """
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    msg = f"no server listens at {port}; errors.log may say why"
    raise TimeoutError(msg)
