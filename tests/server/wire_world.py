"""What a test of the wire stands in: a host, and clients of every protocol version."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    ClientCapabilities,
    Implementation,
    InitializedNotification,
    InitializeRequest,
    InitializeRequestParams,
    InitializeResult,
)
from server.http_world import (
    GOOD,
    HELLO,
    TOKEN,
    URL,
    Header,
    Reply,
    ask,
    message,
    served,
)

from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.server.http import HttpApp

EARLIEST: Final = ("2024-11-05", "2025-03-26")
OBJECTS: Final = ("2025-06-18", "2025-11-25")
NEWEST: Final = "2026-07-28"
VERSIONS: Final = (*EARLIEST, *OBJECTS, NEWEST)

EVERY = pytest.mark.parametrize("version", VERSIONS)

_META: Final = {
    "io.modelcontextprotocol/protocolVersion": NEWEST,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass
class Wire:
    """A client without models: what is sent and what comes is JSON.

    Attributes:
        app: what serves it.
        version: of the protocol that was agreed on.
        host: behind it.
    """

    app: HttpApp
    version: str
    host: Host
    _session: tuple[Header, ...] = ()
    _ids: Iterator[int] = field(default_factory=lambda: count(1))

    async def open(self) -> None:
        """Agree on the version, as the earlier era does."""
        if self.version == NEWEST:
            return
        hello = HELLO | {"protocolVersion": self.version}
        reply = await ask(self.app, headers=GOOD, body=message("initialize", hello))
        assert reply.json["result"]["protocolVersion"] == self.version
        session = reply.value(b"mcp-session-id")
        assert session is not None
        self._session = ((b"mcp-session-id", session),)

    async def post(self, method: str, params: Mapping[str, Any], id_: Any) -> Reply:
        """Send a request; give the whole response."""
        named = (b"mcp-name", str(params.get("name", "")).encode())
        marks = ((b"mcp-method", method.encode()), named)
        is_newest = self.version == NEWEST
        headers = (
            *GOOD,
            (b"mcp-protocol-version", self.version.encode()),
            *(marks if is_newest else self._session),
        )
        said = {**params, "_meta": _META} if is_newest else dict(params)
        body = message(method, said) | {"id": id_}
        return await ask(self.app, headers=headers, body=body)

    async def send(
        self, method: str, params: Mapping[str, Any], id_: Any = None
    ) -> dict[str, Any]:
        """Send a request; give the whole answer."""
        id_ = next(self._ids) if id_ is None else id_
        answer: dict[str, Any] = (await self.post(method, params, id_)).json
        return answer

    async def tools(self) -> dict[str, dict[str, Any]]:
        """Give the listed tools by name."""
        answer = await self.send("tools/list", {})
        return {tool["name"]: tool for tool in answer["result"]["tools"]}

    async def call(self, tool: str, arguments: Any = None) -> dict[str, Any]:
        """Call a tool; give its result."""
        given = {} if arguments is None else {"arguments": arguments}
        answer = await self.send("tools/call", {"name": tool, **given})
        result: dict[str, Any] = answer["result"]
        return result

    async def error(self, tool: str, arguments: Any = None) -> dict[str, Any]:
        """Call a tool that must fail; give what it tells programs."""
        result = await self.call(tool, arguments)
        assert result["isError"] is True
        said: dict[str, Any] = result["_meta"]["abilities/error"]
        return said


@asynccontextmanager
async def wired(
    folder: Path, version: str, *packs: Pack, config: str = ""
) -> AsyncIterator[Wire]:
    """Connect a client without models."""
    async with served(folder, *packs, config=config) as (app, host):
        wire = Wire(app, version, host)
        await wire.open()
        yield wire


@asynccontextmanager
async def sdk_session(
    folder: Path, version: str, *packs: Pack
) -> AsyncIterator[ClientSession]:
    """Connect the SDK's client, which checks results, in an earlier version."""
    async with (
        served(folder, *packs) as (app, _),
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=app),
            base_url=URL,
            headers={"Authorization": f"Bearer {TOKEN}"},
        ) as http,
        streamable_http_client(f"{URL}/mcp", http_client=http) as (read, write),
        ClientSession(read, write) as session,
    ):
        hello = await session.send_request(
            InitializeRequest(
                params=InitializeRequestParams(
                    protocol_version=version,
                    capabilities=ClientCapabilities(),
                    client_info=Implementation(name="test", version="1"),
                )
            ),
            InitializeResult,
        )
        session.adopt(hello)
        await session.send_notification(InitializedNotification())
        yield session


def text_in(result: Mapping[str, Any]) -> str:
    """Give the text of a raw result's only block."""
    [block] = result["content"]
    assert block["type"] == "text"
    return str(block["text"])
