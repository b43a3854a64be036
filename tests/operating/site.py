"""What the page about nginx leads to: a host, nginx before it, and two clients."""

import datetime as dt
import ipaddress
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx2
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from docs.pages import blocks, page
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from operating.programs import program

Mode = Literal["auto", "legacy"]

NAME = "abilities.example.org"
URL = f"https://{NAME}"
PATIENCE = 30.0

_MAIN = """\
{user}
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{site}
}}
"""

DESK = '''
"""A pack that says how far it is, and ends when it is told to."""

import asyncio
from pathlib import Path

from abilities_host import hookimpl

HERE = Path(__file__).parent.parent


async def steps(arguments, call):
    await call.report_progress(1, 2, "begun")
    while not (HERE / arguments["until"]).exists():
        await asyncio.sleep(0.02)
    return "ended"


@hookimpl
def register_categories(registry):
    registry.register_category("desk", label="Desk", description="For tests.")


@hookimpl
def register_abilities(registry):
    registry.register_ability(
        "desk/steps",
        label="Steps",
        description="For tests.",
        category="desk",
        input_schema={"type": "object", "additionalProperties": True},
        execute_callback=steps,
        permission_callback=lambda: True,
    )
'''


@dataclass(frozen=True)
class Served:
    """The host behind nginx, while both run.

    Attributes:
        folder: of the host.
        port: where nginx listens.
        trust: believes the certificate.
        tokens: name to token, as the page makes them.
    """

    folder: Path
    port: int
    trust: ssl.SSLContext
    tokens: dict[str, str]

    def http(
        self, token: str = "", *, come_from: str = "127.0.0.1", **headers: str
    ) -> httpx2.AsyncClient:
        """Make what sends requests to the name of the page, from an address of ours."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            given["Authorization"] = f"Bearer {token}"
        wire = ToLoopback(self, come_from)
        return httpx2.AsyncClient(transport=wire, headers=given, timeout=PATIENCE)

    @asynccontextmanager
    async def client(
        self, name: str, route: str, mode: Mode, **options: Any
    ) -> AsyncIterator[Client]:
        """Connect the SDK's client as one of the two of the page."""
        async with self.http(self.tokens[name]) as http:
            transport = streamable_http_client(f"{URL}{route}", http_client=http)
            async with Client(transport, mode=mode, **options) as client:
                yield client

    def run(self, *words: str) -> Any:
        """Run a command on the host, to a good end."""
        return _run(self.folder, *words)


class ToLoopback(httpx2.AsyncBaseTransport):
    """Sends to this machine what is for the name, and wants its certificate."""

    def __init__(self, served: Served, come_from: str) -> None:
        self._port = served.port
        self._wire = httpx2.AsyncHTTPTransport(
            verify=served.trust, local_address=come_from
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send it where nginx listens."""
        request.url = request.url.copy_with(host="127.0.0.1", port=self._port)
        request.extensions = {**request.extensions, "sni_hostname": NAME}
        return await self._wire.handle_async_request(request)

    async def aclose(self) -> None:
        """Close what is open."""
        await self._wire.aclose()


def block(mark: str) -> str:
    """Give one block of the page."""
    [found] = [
        each.text
        for each in blocks(page("how-to/serve-behind-nginx.md"))
        if each.mark == mark
    ]
    return found


@contextmanager
def serve(folder: Path, *, config: str = "", **replaced: str) -> Iterator[Served]:
    """Do what the page says, with ports and places of this machine."""
    host, own = folder / "host", free_port()
    _run(folder, "init", "--json", str(host), at=None)
    (host / "abilities.toml").write_text(block("file: abilities.toml") + config)
    (host / "plugins" / "desk.py").write_text(DESK)
    tokens = dict(_tokens(host))
    trust = make_certificate(folder)
    served = Served(host, free_port(), trust, tokens)
    _write_site(folder, served.port, own, replaced)
    with _process(folder, *_serve_words(host, own)), _process(folder, *_nginx(folder)):
        wait_until_it_answers(served)
        yield served


def _write_site(folder: Path, port: int, own: int, replaced: dict[str, str]) -> None:
    text = block("file: nginx")
    written = {
        "listen 443": f"listen 127.0.0.1:{port}",
        "listen [::]:443": f"listen [::1]:{port}",
        "127.0.0.1:8765": f"127.0.0.1:{own}",
        f"/etc/letsencrypt/live/{NAME}": str(folder),
        **replaced,
    }
    for before, after in written.items():
        assert before in text
        text = text.replace(before, after)
    user = "user root;" if os.getuid() == 0 else ""
    main = _MAIN.format(user=user, folder=folder, site=text)
    (folder / "nginx.conf").write_text(main)


def _serve_words(host: Path, port: int) -> list[str]:
    words = ["serve", "--port", str(port), "--config", str(host / "abilities.toml")]
    return [sys.executable, "-m", "abilities_host", *words]


def _nginx(folder: Path) -> list[str]:
    found = program("nginx")
    assert found is not None
    return [found, "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def _tokens(host: Path) -> Iterator[tuple[str, str]]:
    for line in block("commands: tokens").splitlines():
        word, *words = line.split()
        assert word == "abilities"
        yield words[2], _run(host, *words, "--json")["token"]


def _run(folder: Path, *words: str, at: str | None = "abilities.toml") -> Any:
    tail = ["--config", str(folder / at)] if at else []
    done = subprocess.run(
        [sys.executable, "-m", "abilities_host", *words, *tail],
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
    return json.loads(done.stdout) if "--json" in words else None


@contextmanager
def _process(folder: Path, *command: str) -> Iterator[None]:
    """Run a program until the end, and end it as systemd does."""
    with (folder / f"{Path(command[0]).name}.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


def wait_until_it_answers(served: Served) -> None:
    """Ask for its health until it has some."""
    deadline = time.monotonic() + PATIENCE
    while not _answers(served):
        assert time.monotonic() < deadline, [
            log.read_text() for log in served.folder.parent.glob("*.log")
        ]
        time.sleep(0.05)


def _answers(served: Served) -> bool:
    try:
        said = exchange(served, f"GET /healthz HTTP/1.0\r\nHost: {NAME}\r\n\r\n")
    except OSError:
        return False
    return re.match(rb"HTTP/1.1 200 ", said) is not None


def exchange(served: Served, sent: str) -> bytes:
    """Send bytes over TLS, and read until the other end closes."""
    place = ("127.0.0.1", served.port)
    with (
        socket.create_connection(place, timeout=PATIENCE) as plain,
        served.trust.wrap_socket(plain, server_hostname=NAME) as wire,
    ):
        wire.sendall(sent.encode())
        said = b""
        while more := wire.recv(65536):
            said += more
        return said


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def make_certificate(folder: Path) -> ssl.SSLContext:
    """Write a certificate that signs itself; give what believes it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)])
    names: list[x509.GeneralName] = [
        x509.DNSName(NAME),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    ]
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    (folder / "fullchain.pem").write_bytes(pem)
    (folder / "privkey.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return ssl.create_default_context(cadata=pem.decode())
