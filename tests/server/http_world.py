"""What a test of HTTP stands in: a host behind its application, and raw requests."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from server.world import Mode, running
from starlette.types import ASGIApp, Message, Scope

from abilities_host import Actor
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.server.http import HttpApp, build_app

TOKEN = "t0ken-" + "x" * 40
URL = "http://127.0.0.1:8765"
PATIENCE = 10.0

Header = tuple[bytes, bytes]

HOST: Header = (b"host", b"127.0.0.1:8765")
BEARER: Header = (b"authorization", f"Bearer {TOKEN}".encode())
JSON: Header = (b"content-type", b"application/json")
ACCEPT: Header = (b"accept", b"application/json, text/event-stream")
GOOD = (HOST, BEARER, JSON, ACCEPT)
LEGACY: Header = (b"mcp-protocol-version", b"2025-11-25")
MODERN: Header = (b"mcp-protocol-version", b"2026-07-28")
UNCACHED = {b"cache-control": b"no-store", b"x-accel-buffering": b"no"}

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@dataclass(frozen=True)
class Reply:
    """A whole response."""

    status: int
    headers: Sequence[Header]
    body: bytes

    def value(self, name: bytes) -> bytes | None:
        """Give the one value of a header."""
        values = [value for key, value in self.headers if key.lower() == name]
        assert len(values) <= 1, values
        return values[0] if values else None

    @property
    def json(self) -> Any:
        """The body, or the last message of a stream."""
        if self.value(b"content-type") == b"text/event-stream":
            *_, last = (x for x in self.body.splitlines() if x.startswith(b"data: {"))
            return json.loads(last.removeprefix(b"data: "))
        return json.loads(self.body)


class Request:
    """One request to an application, without a socket."""

    def __init__(
        self,
        method: str = "POST",
        path: str = "/mcp",
        *,
        headers: Sequence[Header] = GOOD,
        body: bytes | dict[str, Any] = b"",
    ) -> None:
        path, _, query = path.partition("?")
        self._scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": list(headers),
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 8765),
        }
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self._parts: list[Message] = [{"type": "http.request", "body": raw}]
        self._sent: list[Message] = []
        self.started = asyncio.Event()
        self.gone = asyncio.Event()

    def replace(self, header: Header) -> None:
        """Send another value of a header."""
        kept = [pair for pair in self._scope["headers"] if pair[0] != header[0]]
        self._scope["headers"] = [*kept, header]

    @property
    def parts(self) -> list[bytes]:
        """What of the body has come so far."""
        return [part["body"] for part in self._sent if part.get("body")]

    async def open_at(self, app: ASGIApp) -> None:
        """Send it, and let the response go on for as long as it likes."""
        await app(self._scope, self._receive, self._send)

    async def send_to(self, app: ASGIApp) -> Reply:
        """Send it and read the response to its end."""
        with anyio.fail_after(PATIENCE):
            await app(self._scope, self._receive, self._send)
        start, *parts = self._sent
        assert not parts[-1].get("more_body", False)
        body = b"".join(part.get("body", b"") for part in parts)
        return Reply(start["status"], start["headers"], body)

    async def _receive(self) -> Message:
        if self._parts:
            return self._parts.pop()
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        self._sent.append(message)
        self.started.set()


async def ask(app: HttpApp, *words: str, **options: Any) -> Reply:
    """Send one request; see `Request`."""
    return await Request(*words, **options).send_to(app)


def message(method: str, params: Any = None) -> dict[str, Any]:
    """Write a request of the earlier era."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}


def modern_call(tool: str, path: str = "/mcp") -> Request:
    """Write a call of the later era."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": {}, "_meta": meta}
    headers = (
        *GOOD,
        MODERN,
        (b"mcp-method", b"tools/call"),
        (b"mcp-name", tool.encode()),
    )
    return Request(path=path, headers=headers, body=message("tools/call", params))


async def initialize(app: HttpApp, bearer: Header = BEARER) -> Header:
    """Open a session of the earlier era; give its header."""
    headers = (HOST, bearer, JSON, ACCEPT)
    reply = await ask(app, headers=headers, body=message("initialize", HELLO))
    assert reply.status == 200, reply
    session = reply.value(b"mcp-session-id")
    assert session is not None
    return (b"mcp-session-id", session)


@asynccontextmanager
async def served(
    folder: Path,
    *packs: Pack,
    config: str = "",
    verify: Callable[[str], Actor | None] | None = None,
) -> AsyncIterator[tuple[HttpApp, Host]]:
    """Serve a host, without a socket."""
    async with running(folder, *packs, config=config) as host:
        app = build_app(host, token=TOKEN, verify=verify)
        async with app.running():
            yield app, host


async def reconfigure(host: Host, old: str, new: str) -> None:
    """Change the configuration file and wait until it is in force."""
    before, path = host.loaded, host.loaded.path
    text = await asyncio.to_thread(path.read_text)
    assert old in text
    await asyncio.to_thread(path.write_text, text.replace(old, new))
    with anyio.fail_after(PATIENCE):
        while host.loaded is before:
            await anyio.sleep(0.01)


@asynccontextmanager
async def client_of(
    app: HttpApp, mode: Mode, *, token: str = TOKEN, **options: Any
) -> AsyncIterator[Client]:
    """Connect the SDK's client."""
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app),
        base_url=URL,
        headers={"Authorization": f"Bearer {token}"},
    ) as http:
        transport = streamable_http_client(f"{URL}/mcp", http_client=http)
        async with Client(transport, mode=mode, **options) as client:
            yield client
