"""A client over sockets: HTTP/1.1 as far as one server needs it, kept alive."""

import asyncio
from typing import Any, Final, Protocol, Self

from benchmarks.wire import (
    MODERN,
    PATH,
    headers,
    initialize,
    initialized,
    request,
    result_of,
)

LISTEN: Final = "subscriptions/listen"
_CHANGES: Final = {"notifications": {"toolsListChanged": True}}
OK: Final = 200
ACCEPTED: Final = 202
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


class Listener(Protocol):
    """Is told of every request of a connection."""

    def sent(self, method: str) -> None:
        """Note that a request goes out."""

    def heard(self, method: str, status: int) -> None:
        """Note that a whole answer, or the head of a stream, has come."""


class Silent:
    """Where nobody counts."""

    def sent(self, method: str) -> None:
        """Do nothing."""

    def heard(self, method: str, status: int) -> None:
        """Do nothing."""


class Connection:
    """One connection that one request at a time goes over.

    Args:
        port: of a server on this machine.
        token: what the server asks of its clients; empty for none.
        version: of the protocol; an earlier one shakes hands and has a session.
        path: of the server.
        listener: is told of every request.
        session: of the earlier era, opened elsewhere; empty to open one.
    """

    def __init__(
        self,
        port: int,
        token: str = "",
        version: str = MODERN,
        *,
        path: str = PATH,
        listener: Listener | None = None,
        session: str = "",
    ) -> None:
        self._port: Final = port
        self._version: Final = version
        self._path: Final = path
        self._listener: Final[Listener] = listener or Silent()
        self._fields: Final[dict[str, str]] = {"MCP_Protocol_Version": version}
        if token:
            self._fields["Authorization"] = f"Bearer {token}"
        self._number = 0
        self._session = session
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection(
            "127.0.0.1", self._port, limit=LIMIT
        )
        try:
            await self._shake_hands()
        except BaseException:
            self._writer.close()
            raise
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._writer.close()

    @property
    def session(self) -> str:
        """The session of the earlier era, empty for none."""
        return self._fields.get("Mcp_Session_Id", "")

    async def list_tools(self) -> bytes:
        """Ask for the listing and give the whole answer."""
        return await self.ask("tools/list", {})

    async def ask(self, method: str, params: Any, tool: str = "") -> bytes:
        """Ask for anything and give the whole answer.

        Args:
            method: of the protocol.
            params: without what the era adds.
            tool: the tool that is called, empty for another request.

        Returns:
            One message.

        Raises:
            HttpError: for another status than that of a good answer.
        """
        self._number += 1
        body = request(self._number, method, params, self._version)
        return await self._send(method, body, tool)

    async def listen(self) -> None:
        """Open a stream for messages, which then has the connection for itself.

        Raises:
            HttpError: when it is refused.
        """
        method = LISTEN if self._version == MODERN else "GET"
        if method == LISTEN:
            self._write(LISTEN, request(1, LISTEN, _CHANGES))
        else:
            self._write("", b"", verb="GET")
        async with asyncio.timeout(SECONDS):
            status, fields = await self._head()
        if status != OK:
            body = await self._body(fields)
            self._listener.heard(method, status)
            raise HttpError(status, body)

    async def hear(self, seconds: float) -> bytes:
        """Wait for the next piece of an open stream.

        Args:
            seconds: how long it may be silent.

        Returns:
            What came; empty at the end.

        Raises:
            TimeoutError: when nothing came in time.
        """
        async with asyncio.timeout(seconds):
            return await self._chunk()

    async def call(self, tool: str, arguments: Any) -> Any:
        """Call a tool and give its structured result."""
        params = {"name": tool, "arguments": arguments}
        answer = await self.ask("tools/call", params, tool)
        return result_of(answer)["structuredContent"]

    async def _shake_hands(self) -> None:
        if self._version == MODERN:
            return
        if not self._session:
            await self._send("initialize", initialize(0))
            self._fields["Mcp_Session_Id"] = self._session
            await self._send("notifications/initialized", initialized())
        self._fields["Mcp_Session_Id"] = self._session

    async def _send(self, method: str, body: bytes, tool: str = "") -> bytes:
        self._write(method, body, tool)
        async with asyncio.timeout(SECONDS):
            return await self._receive(method)

    def _write(
        self, method: str, body: bytes, tool: str = "", verb: str = "POST"
    ) -> None:
        fields = {**self._fields, "Content_Length": str(len(body))}
        head = headers(method, tool, verb=verb, path=self._path, **fields)
        self._writer.write(head + b"\r\n" + body)
        self._listener.sent(method or verb)

    async def _receive(self, method: str) -> bytes:
        status, fields = await self._head()
        body = await self._body(fields)
        self._listener.heard(method, status)
        self._session = fields.get(b"mcp-session-id", b"").decode()
        if status not in (OK, ACCEPTED):
            raise HttpError(status, body)
        is_stream = fields.get(b"content-type", b"").startswith(b"text/event-stream")
        return _last_event(body) if is_stream else body

    async def _head(self) -> tuple[int, dict[bytes, bytes]]:
        head = await self._reader.readuntil(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        fields = dict(_field(line) for line in lines[1:] if line)
        return int(lines[0].split()[1]), fields

    async def _body(self, fields: dict[bytes, bytes]) -> bytes:
        if fields.get(b"transfer-encoding") != b"chunked":
            return await self._reader.readexactly(int(fields.get(b"content-length", 0)))
        body = b""
        while part := await self._chunk():
            body += part
        return body

    async def _chunk(self) -> bytes:
        line = await self._reader.readline()
        if not line:
            raise asyncio.IncompleteReadError(b"", None)
        part = await self._reader.readexactly(int(line, 16))
        await self._reader.readline()
        return part


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name.lower(), value.strip()


def _last_event(body: bytes) -> bytes:
    """Give the answer at the end of a stream, after what was told before it."""
    lines = [line for line in body.splitlines() if line.startswith(b"data:")]
    return lines[-1].removeprefix(b"data:").strip() if lines else b""
