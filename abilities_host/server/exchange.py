"""Exchange: one request and how far its response is."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from abilities_host.deadline import until
from abilities_host.server.gatekeeper import Visitor
from abilities_host.server.guards import refusal

EXCHANGE: Final = "abilities_host.exchange"
"""Where a request's scope has what is known of its response."""

END_SECONDS: Final = 0.1
_REFUSED: Final = 400
_KEPT_NOWHERE: Final = ((b"cache-control", b"no-store"), (b"x-accel-buffering", b"no"))
_LISTENS: Final = (b"mcp-method", b"subscriptions/listen")
_NAMES: Final = frozenset(name for name, _ in _KEPT_NOWHERE)
_STOPPED: Final = (
    "The host stopped while this ran. It is not known what was changed: read the facts "
    "before you try again."
)

_EXPIRED: Final = (
    "The request took longer than limits.request_seconds allows. It is not known what "
    "was changed: read the facts before you try again."
)

Tell = Callable[[int, str], None]
Headers = Iterable[tuple[bytes, bytes]]


class SlowBody(Exception):
    """Raised when a body did not arrive in time."""


class Exchange:
    """One request; no response of it is kept by a cache or held back by a proxy.

    Args:
        scope: of the request.
        send: towards the client.
        tell: is told status and server of a refusal that the log does not have
            otherwise.

    Attributes:
        is_listening: whether it waits for messages of the earlier era, and for
            nothing that runs.
        is_held_open: whether it waits for messages of either era.
        visitor: who asked, once that is known.
        server: id of the server that is asked, empty before that is known.
        is_told: whether the log has the request already, by the protocol's words.
    """

    def __init__(self, scope: Scope, send: Send, tell: Tell) -> None:
        self.is_listening: Final = scope["method"] == "GET"
        self.is_held_open: Final = self.is_listening or _LISTENS in scope["headers"]
        self._scope: Final = scope
        self._send: Final = send
        self._tell: Final = tell
        self._is_started = False
        self._is_stream = False
        self._is_whole = False
        self._task: Final = asyncio.current_task()
        self._is_cancelled = False
        self._why = 503, _STOPPED
        self._timer: asyncio.TimerHandle | None = None
        self.is_told = False
        self.server = ""
        self.visitor: Visitor | None = None

    async def run(self, app: ASGIApp, receive: Receive) -> None:
        """Serve it, in the task that made this.

        Args:
            app: what serves it.
            receive: from the client.
        """
        try:
            await app(self._scope, receive, self.send)
        except asyncio.CancelledError:
            if self._task is None or not self._is_cancelled:
                raise
            self._task.uncancel()
            await self.end(receive)

    def expire_after(self, seconds: float) -> None:
        """End it when it takes too long; a stream may stay.

        Args:
            seconds: from now until it is ended, unless `note_end` was called.
        """
        if not self.is_held_open:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(seconds, self._expire)

    def note_end(self) -> None:
        """Note that it has ended in time."""
        if self._timer is not None:
            self._timer.cancel()

    def _expire(self) -> None:
        self._why = 504, _EXPIRED
        self.cancel()

    def cancel(self) -> None:
        """End it, once; the client is told."""
        # A cancel scope for each request would cost more than the whole of its call.
        if self._task is not None and not self._is_cancelled:
            self._is_cancelled = True
            self._task.cancel()

    async def send(self, message: Message) -> None:
        """Pass a part of the response on."""
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            self._is_started = True
            if message["status"] >= _REFUSED and not self.is_told:
                self._tell(message["status"], self.server)
            self._is_stream = all(name != b"content-length" for name, _ in headers)
            message = {**message, "headers": _marked(headers)}
        elif not message.get("more_body", False):
            self._is_whole = True
        await self._send(message)

    async def end(self, receive: Receive) -> None:
        """Answer after it was cancelled: never as if it had ended well.

        Args:
            receive: from the client.
        """
        with anyio.move_on_after(END_SECONDS):  # nobody may be reading
            if not self._is_started:
                await refusal(*self._why)(self._scope, receive, self.send)
            elif self._is_stream and not self._is_whole:
                await self._send({"type": "http.response.body", "body": b""})


def hurried(receive: Receive, seconds: float) -> Receive:
    """Give a body only so long to arrive.

    Args:
        receive: from the client.
        seconds: for the whole body.

    Returns:
        The same, raising `SlowBody` when the time is over.
    """
    deadline = asyncio.get_running_loop().time() + seconds
    is_whole = False

    async def receive_in_time() -> Message:
        nonlocal is_whole
        if is_whole:
            return await receive()
        try:
            message = await until(deadline, _read(receive))
        except TimeoutError:
            raise SlowBody from None
        is_whole = not message.get("more_body", False)
        return message

    return receive_in_time


async def _read(receive: Receive) -> Message:
    return await receive()


def _marked(headers: Headers) -> list[tuple[bytes, bytes]]:
    kept = [pair for pair in headers if pair[0].lower() not in _NAMES]
    return [*kept, *_KEPT_NOWHERE]
