"""The doors: how a request reaches the host, and what comes back as plain JSON."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, cast

import anyio
from matrix.world import World
from mcp.server.stdio import stdio_server
from server.http_world import (
    ACCEPT,
    HELLO,
    JSON,
    LEGACY,
    MODERN,
    PATIENCE,
    Header,
    Reply,
    ask,
    message,
)

from abilities_host import original_name
from abilities_host.server.answers import failure
from abilities_host.server.builder import build_server

Answer = dict[str, Any]
META: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Session(Protocol):
    """A client's session with one server."""

    async def ask(self, method: str, params: Mapping[str, Any]) -> Answer:
        """Ask once; give the whole answer."""
        ...


@dataclass
class Refused:
    """A session that never came to be: every request has the refusal."""

    answer: Answer

    async def ask(self, _method: str, _params: Mapping[str, Any]) -> Answer:
        return self.answer


def refusal_of(reply: Reply) -> Answer:
    """Give what a response says that is none of the protocol."""
    said = (reply.value(b"www-authenticate") or b"").decode()
    words = {word for word in _CHALLENGES if word in said}
    words |= {reply.json["code"]} if "code" in reply.json else set()
    status = " ".join([str(reply.status), *sorted(words)])
    return {"http": status, "body": reply.body.decode(), "challenge": said}


_CHALLENGES: Final = ("invalid_token", "insufficient_scope")


# --- HTTP ----------------------------------------------------------------------


@dataclass
class HttpSession:
    """A session over HTTP, of either era.

    Attributes:
        world: what is asked.
        server: id of the server.
        marks: headers of the era or of the session.
        meta: what goes with every request.
    """

    world: World
    server: str
    marks: tuple[Header, ...]
    meta: Mapping[str, Any] | None = None

    async def ask(self, method: str, params: Mapping[str, Any]) -> Answer:
        reply = await self.post(method, params)
        is_protocol = reply.status == 200 or b'"jsonrpc"' in reply.body
        return cast("Answer", reply.json) if is_protocol else refusal_of(reply)

    async def post(self, method: str, params: Mapping[str, Any]) -> Reply:
        """Ask once; give the whole response."""
        shown, said = self.world.shown, dict(params)
        if self.meta is not None:
            said["_meta"] = {**self.meta, **said.get("_meta", {})}
        named = str(params.get("name", params.get("uri", "")))
        modern = ((b"mcp-method", method.encode()), (b"mcp-name", named.encode()))
        headers = (
            (b"host", shown.host),
            (b"authorization", f"Bearer {shown.tokens[self.server]}".encode()),
            *(JSON, ACCEPT, *self.marks, *shown.others),
            *(modern if self.meta is not None else ()),
        )
        path = "/mcp" if self.server == "first" else f"/mcp/{self.server}"
        body = message(method, said)
        return await ask(self.world.app, "POST", path, headers=headers, body=body)


async def open_http(world: World, server: str, *, is_modern: bool) -> Session:
    """Open a session over HTTP; the later era has none to open."""
    if is_modern:
        return HttpSession(world, server, (MODERN,), META)
    fresh = HttpSession(world, server, ())
    reply = await fresh.post("initialize", HELLO)
    if reply.status != 200:
        return Refused(refusal_of(reply))
    session = reply.value(b"mcp-session-id")
    assert session is not None
    return HttpSession(world, server, (LEGACY, (b"mcp-session-id", session)))


# --- stdio ---------------------------------------------------------------------


@dataclass
class Line:
    """Both ends of standard input and output, as the SDK reads and writes them."""

    typed: "asyncio.Queue[str]" = field(default_factory=asyncio.Queue)
    heard: "asyncio.Queue[Answer]" = field(default_factory=asyncio.Queue)

    async def __aiter__(self) -> AsyncIterator[str]:
        while True:
            yield await self.typed.get()

    async def write(self, text: str) -> None:
        said = json.loads(text)
        if "id" in said:  # the rest are notices of changes
            self.heard.put_nowait(said)

    async def flush(self) -> None:
        pass


@dataclass
class StdioSession:
    """A session over the lines of standard input and output, in this process."""

    line: Line
    meta: Mapping[str, Any] | None = None

    async def ask(self, method: str, params: Mapping[str, Any]) -> Answer:
        said = dict(params)
        if self.meta is not None:
            said["_meta"] = {**self.meta, **said.get("_meta", {})}
        self.line.typed.put_nowait(json.dumps(message(method, said)))
        with anyio.fail_after(PATIENCE):
            return await self.line.heard.get()


async def open_stdio(world: World, server: str, *, is_modern: bool) -> Session:
    """Serve a client over lines, for as long as the world lasts."""
    line = Line()
    world.tasks.start_soon(_serve, world, server, line)
    session = StdioSession(line, META if is_modern else None)
    if not is_modern:
        hello = await session.ask("initialize", HELLO)
        assert "result" in hello, hello
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        line.typed.put_nowait(json.dumps(told))
    return session


async def _serve(world: World, server: str, line: Line) -> None:
    built = build_server(
        world.host, server, authenticate=lambda _ctx: world.host.actor("stdio")
    )
    file = cast("anyio.AsyncFile[str]", line)
    async with stdio_server(file, file) as (read, write):
        await built.run(read, write, built.create_initialization_options())


# --- inside the process --------------------------------------------------------


@dataclass
class Inside:
    """Whoever embeds the host: it asks past every server."""

    world: World

    async def ask(self, method: str, params: Mapping[str, Any]) -> Answer:
        host = self.world.host
        actor = host.actor("cli")
        if method == "tools/list":
            found = await host.list_abilities(actor)
            return {"result": {"tools": [ability.name for ability in found]}}
        name = original_name(params["name"]) or params["name"]
        outcome = await host.execute(name, params["arguments"], actor=actor)
        if not outcome.is_ok:
            return {"result": failure(outcome)}
        return {"result": {"structuredContent": outcome.result}}


async def open_inside(world: World, _server: str) -> Session:
    """Open nothing: a call is a call."""
    return Inside(world)


Open = Callable[[World, str], Awaitable[Session]]


def _of(open_: Callable[..., Awaitable[Session]], *, is_modern: bool) -> Open:
    return lambda world, server: open_(world, server, is_modern=is_modern)


DOORS: Final[Mapping[str, Open]] = {
    "http, earlier era": _of(open_http, is_modern=False),
    "http, later era": _of(open_http, is_modern=True),
    "stdio, earlier era": _of(open_stdio, is_modern=False),
    "stdio, later era": _of(open_stdio, is_modern=True),
    "in process": open_inside,
}
"""What is asked in this process; the command line is another door."""
