"""The server of the protocol library that stands beside the host."""

from typing import Final

import httpx2
from conformance.asked import SESSION, Asked, Headers, in_session
from conformance.protocol import build_library, is_for_library
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Message, Receive, Send

READY: Final = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
ANYWHERE: Final = "http://127.0.0.1/mcp"


class Library:
    """Answers what the host does not offer; enter `running` around it.

    A client of the earlier era has a session with the host. It gets one here as well
    once it asks for something, opened with the words that opened the other.
    """

    def __init__(self) -> None:
        self._manager: Final = StreamableHTTPSessionManager(build_library())
        self._greetings: Final[dict[bytes, Asked]] = {}
        self._sessions: Final[dict[bytes, bytes]] = {}
        self.running: Final = self._manager.run

    def remember(self, session: bytes, greeting: Asked) -> None:
        """Note how a session with the host was opened."""
        self._greetings[session] = greeting

    def is_asked(self, asked: Asked) -> bool:
        """Whether a request is for this server, or answers what it asked."""
        is_answer = bool(asked.message) and "method" not in asked.message
        return is_for_library(asked.message) or (
            is_answer and asked.session in self._sessions
        )

    async def answer(self, asked: Asked, receive: Receive, send: Send) -> None:
        """Answer a request."""
        unread = [asked.body]

        async def read() -> Message:
            if not unread:
                return await receive()
            return {"type": "http.request", "body": unread.pop(), "more_body": False}

        async def write(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = in_session(message["headers"], asked.session)
                message = {**message, "headers": headers}
            await send(message)

        own = await self._session(asked.session)
        scope = {**asked.scope, "headers": in_session(asked.headers, own)}
        await self._manager.handle_request(scope, read, write)

    async def _session(self, known: bytes) -> bytes:
        if known in self._greetings and known not in self._sessions:
            greeting = self._greetings[known]
            opened = await self._post(greeting.headers, greeting.body)
            session = opened.headers[SESSION.decode()].encode()
            await self._post(in_session(greeting.headers, session), READY)
            self._sessions[known] = session
        return self._sessions.get(known, b"")

    async def _post(self, headers: Headers, body: bytes) -> httpx2.Response:
        transport = httpx2.ASGITransport(self._manager.handle_request)
        async with httpx2.AsyncClient(transport=transport) as client:
            return await client.post(ANYWHERE, headers=headers, content=body)
