"""Handshake: a session whose opening was refused does not stay open."""

from typing import Final

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SESSION: Final = b"mcp-session-id"
_READ: Final = 1 << 18


class Handshakes:
    """Closes sessions that the SDK opens for a handshake and then refuses in words.

    It keeps one whenever the status is 200, and errors of the protocol have that too.

    Args:
        app: the SDK's.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if SESSION in dict(scope["headers"]):
            await self._app(scope, receive, send)
            return
        heard = _Heard(send)
        await self._app(scope, receive, heard.send)
        if heard.session and heard.is_error:
            headers = [(SESSION, heard.session)]
            closing = {**scope, "method": "DELETE", "headers": headers}
            await self._app(closing, _say_nothing, _hear_nothing)


class _Heard:
    """Listens to the response that opens a session."""

    def __init__(self, send: Send) -> None:
        self.session = b""
        self._send: Final = send
        self._body: Final = bytearray()

    @property
    def is_error(self) -> bool:
        """Whether the last message of the stream is an error."""
        lines = [x for x in self._body.splitlines() if x.startswith(b"data: {")]
        try:
            return bool(lines) and "error" in orjson.loads(lines[-1][len(b"data: ") :])
        except orjson.JSONDecodeError:  # it was longer than what is listened to
            return False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.session = dict(message["headers"]).get(SESSION, b"")
        elif self.session and len(self._body) < _READ:
            self._body.extend(message.get("body", b""))
        await self._send(message)


async def _say_nothing() -> Message:
    return {"type": "http.request"}


async def _hear_nothing(_message: Message) -> None:
    """A client has its answer already."""
