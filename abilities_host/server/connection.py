"""Connection: what a client may send, and for how long, before it is known."""

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_REFUSAL = (
    "HTTP/1.1 400 Bad Request\r\n"
    "content-type: text/plain; charset=utf-8\r\n"
    "content-length: {length}\r\n"
    "cache-control: no-store\r\n"
    "x-accel-buffering: no\r\n"
    "connection: close\r\n\r\n{message}"
)


class BoundedConnection(HttpToolsProtocol):
    """A connection whose request line and headers are bounded, in size and in time.

    Nobody has shown a token yet when they arrive.
    """

    head_bytes: ClassVar[int] = 1 << 16
    head_seconds: ClassVar[float] = 10.0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._is_in_head = True
        self._received = 0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._arm()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._disarm()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Count from here."""
        super().on_message_begin()
        self._is_in_head, self._received = True, 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header without the blanks around it; they are no part of it."""
        super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        """Stop counting: the size and the time of a body are the application's."""
        self._is_in_head = False
        self._disarm()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        """Read on, or end the connection at a limit."""
        super().data_received(data)
        if not self._is_in_head or self.transport.is_closing():
            return
        self._received += len(data)
        if self._received > self.head_bytes:
            self._give_up()
        elif self._timer is None:
            self._arm()

    def send_400_response(self, msg: str) -> None:
        """Refuse in a way that nobody keeps, and end the connection."""
        text = _REFUSAL.format(length=len(msg), message=msg)
        self.transport.write(text.encode("ascii"))
        self.transport.close()

    def _arm(self) -> None:
        self._timer = self.loop.call_later(self.head_seconds, self._give_up)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        if self.transport.is_closing():
            return
        if not self._received:
            # Nobody asked: a client would take the refusal for its next answer.
            self.transport.close()
            return
        self.send_400_response("The request's head is too long or came too slowly.")
