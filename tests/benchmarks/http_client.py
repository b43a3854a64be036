"""A client over sockets: HTTP/1.1 as far as one server needs it, kept alive."""

import asyncio
from typing import Any, Final, Self

from benchmarks.wire import (
    MODERN,
    headers,
    initialize,
    initialized,
    request,
    result_of,
)

LIMIT: Final = 1 << 26
SECONDS: Final = 120.0


class HttpError(Exception):
    """Raised for an answer that is not 200 or 202.

    Attributes:
        status: of HTTP.
        body: its beginning is shown.
    """

    def __init__(self, status: int, body: bytes) -> None:
        self.status = status
        self.body = body
        super().__init__(f"HTTP {status}: {body[:300]!r}")


class Connection:
    """One connection that one request at a time goes over.

    Args:
        port: of a server on this machine.
        token: what the server asks of its clients; empty for none.
        version: of the protocol; an earlier one shakes hands and has a session.
    """

    def __init__(self, port: int, token: str = "", version: str = MODERN) -> None:
        self._port: Final = port
        self._version: Final = version
        self._fields: Final[dict[str, str]] = {"MCP_Protocol_Version": version}
        if token:
            self._fields["Authorization"] = f"Bearer {token}"
        self._number = 0
        self._session = ""
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection(
            "127.0.0.1", self._port, limit=LIMIT
        )
        if self._version != MODERN:
            await self._send("initialize", initialize(0))
            self._fields["Mcp_Session_Id"] = self._session
            await self._send("notifications/initialized", initialized())
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._writer.close()

    async def list_tools(self) -> bytes:
        """Ask for the listing and give the whole answer."""
        return await self._ask("tools/list", {})

    async def call(self, tool: str, arguments: Any) -> Any:
        """Call a tool and give its structured result."""
        params = {"name": tool, "arguments": arguments}
        answer = await self._ask("tools/call", params, tool)
        return result_of(answer)["structuredContent"]

    async def _ask(self, method: str, params: Any, tool: str = "") -> bytes:
        self._number += 1
        body = request(self._number, method, params, self._version)
        return await self._send(method, body, tool)

    async def _send(self, method: str, body: bytes, tool: str = "") -> bytes:
        head = headers(method, tool, **self._fields, Content_Length=str(len(body)))
        self._writer.write(head + b"\r\n" + body)
        async with asyncio.timeout(SECONDS):
            return await self._receive()

    async def _receive(self) -> bytes:
        head = await self._reader.readuntil(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        fields = dict(_field(line) for line in lines[1:] if line)
        body = await self._body(fields)
        status = int(lines[0].split()[1])
        self._session = fields.get(b"mcp-session-id", b"").decode()
        if status not in (200, 202):
            raise HttpError(status, body)
        is_stream = fields.get(b"content-type", b"").startswith(b"text/event-stream")
        return _last_event(body) if is_stream else body

    async def _body(self, fields: dict[bytes, bytes]) -> bytes:
        if fields.get(b"transfer-encoding") != b"chunked":
            return await self._reader.readexactly(int(fields.get(b"content-length", 0)))
        body = b""
        while size := int(await self._reader.readline(), 16):
            body += await self._reader.readexactly(size)
            await self._reader.readline()
        await self._reader.readline()
        return body


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name.lower(), value.strip()


def _last_event(body: bytes) -> bytes:
    """Give the answer at the end of a stream, after what was told before it."""
    lines = [line for line in body.splitlines() if line.startswith(b"data:")]
    return lines[-1].removeprefix(b"data:").strip() if lines else b""
