"""Servers: this host and its peers, each started the way its users start it."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.bench import Bench
from benchmarks.pack import FILE, POLICY_FILE
from benchmarks.process import Process, pin, started
from benchmarks.row import HERE
from benchmarks.stdio_client import StdioClient
from benchmarks.wire import MODERN
from benchmarks.world import POLICIES

from abilities_host.config import load_config
from abilities_host.testing import write_config

LOWLEVEL = "lowlevel"
MCPSERVER = "MCPServer"
FASTMCP = "FastMCP"
NAIVE = "naive composition"
NAIVE_APART = "naive composition, a commit a row"
FLOOR = "ASGI + orjson"

MODULES = {
    LOWLEVEL: "benchmarks.peers.lowlevel",
    MCPSERVER: "benchmarks.peers.mcpserver",
    FASTMCP: "benchmarks.peers.fastmcp_server",
    NAIVE: "benchmarks.peers.naive",
    NAIVE_APART: "benchmarks.peers.naive",
    FLOOR: "benchmarks.peers.floor",
}

Kind = Literal["plain", "compact", "writing"]
"""A host that serves every tool, three tools only, or one with a recorded write too."""

OURS = tuple(
    f"abilities-host/{each}"
    for each in ("core", "database", "files", "memory", "memory_enforcer")
)
DISPATCHER = "abilities-host/dispatcher"
LEDGER = "abilities-host/ledger"
START_SECONDS = 300.0
LONG_REGISTRATION = "[limits]\nhook_seconds = 300\n"
"""No pack that registers 10,000 abilities is set aside for being slow at it."""
LIMITS = f"{LONG_REGISTRATION}calls_per_actor = 64\n"
"""All clients show one token here, and are one actor; peers know no actors."""


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
    kind: Kind = "plain",
) -> StdioClient:
    """Give a client of a server over stdio, started once for the whole run.

    Args:
        bench: the run.
        who: this host or a peer.
        abilities: how many it has.
        version: of the protocol; a server over stdio speaks one.
        kind: of this host.

    Returns:
        A client that has shaken hands.
    """
    key = f"stdio-{who}-{abilities}-{version}-{kind}"

    @contextmanager
    def start() -> Iterator[StdioClient]:
        arguments = stdio_arguments(bench, who, abilities, kind)
        with started(arguments, bench.log) as process:
            client = StdioClient(process, version)
            client.open()
            pin(process.pid, first=True)
            yield client

    return bench.keep(key, start)


def stdio_arguments(
    bench: Bench, who: str, abilities: int, kind: Kind = "plain"
) -> list[str]:
    """Give what starts a server over stdio, after the interpreter's name."""
    if who != HERE:
        return _peer(bench, who, abilities, "stdio")
    config = site(bench, abilities, kind)
    return ["-m", "abilities_host", "stdio", "--config", str(config)]


def _peer(bench: Bench, who: str, abilities: int, transport: str) -> list[str]:
    arguments = ["-m", MODULES[who], "--abilities", str(abilities)]
    if who not in {NAIVE, NAIVE_APART}:
        return arguments
    apart = ["--apart"] if who == NAIVE_APART else []
    path = bench.folder / f"naive-{len(apart)}-{transport}.db"
    return [*arguments, *apart, "--database", str(path)]


def site(bench: Bench, abilities: int, kind: Kind = "plain") -> Path:
    """Give the configuration of a host that has this many abilities."""
    folder = bench.folder / f"{kind}-{abilities}"
    return bench.keep(f"site-{folder.name}", lambda: _site(folder, abilities, kind))


@contextmanager
def _site(folder: Path, abilities: int, kind: Kind) -> Iterator[Path]:
    is_writing = kind == "writing"
    blocked = [*OURS, *([] if kind == "compact" else [DISPATCHER])]
    blocked += [] if is_writing else [LEDGER]
    config = write_config(
        folder,
        f'plugins_dir = "packs"\n[plugins]\nblocked = {blocked}\n'
        'optional = ["memory_enforcer"]\n'
        f"[server]\ncompact = {str(kind == 'compact').lower()}\n"
        f"[ledger]\nrequired = {str(is_writing).lower()}\n"
        f'anchor = "{folder.parent / "anchors" / folder.name}"\n'
        f"{LIMITS}",
    )
    packs = folder / "packs"
    packs.mkdir(mode=0o700)
    _add(packs / "bench.py", FILE.format(abilities=abilities, writes=is_writing))
    for number in range(1, POLICIES if is_writing else 1):  # the first is in the pack
        _add(packs / f"policy_{number}.py", POLICY_FILE)
    yield config


def _add(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)


def http(bench: Bench, who: str, abilities: int, kind: Kind = "plain") -> Listening:
    """Give a server that listens, started once for the whole run.

    Args:
        bench: the run.
        who: this host or a peer.
        abilities: how many it has.
        kind: of this host.

    Returns:
        It accepts connections.
    """
    key = f"http-{who}-{abilities}-{kind if who == HERE else ''}"
    return bench.keep(key, lambda: _http(bench, who, abilities, kind))


@contextmanager
def _http(bench: Bench, who: str, abilities: int, kind: Kind) -> Iterator[Listening]:
    port, token = free_port(), ""
    if who == HERE:
        config = site(bench, abilities, kind)
        arguments = ["-m", "abilities_host", "serve", "--config", str(config)]
    else:
        arguments = _peer(bench, who, abilities, "http")
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
