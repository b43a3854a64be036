"""Asking the host in the suite's own bytes, which a client would mend or refuse."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import h11
from conformance.asked import Headers

READ_BYTES: Final = 65_536


class Relayed:
    """An answer of the host.

    Args:
        connection: on which the request was sent.
        reader: what comes back.
    """

    def __init__(
        self, connection: h11.Connection, reader: asyncio.StreamReader
    ) -> None:
        self._connection: Final = connection
        self._reader: Final = reader

    async def start(self) -> h11.Response:
        """Wait for status and headers."""
        event = await self._next()
        assert isinstance(event, h11.Response)
        return event

    async def lines(self) -> AsyncIterator[bytes]:
        """Give the body, as many whole lines at a time as there are."""
        rest = b""
        while isinstance(event := await self._next(), h11.Data):
            lines, end, rest = (rest + bytes(event.data)).rpartition(b"\n")
            if end:
                yield lines + end
        yield rest

    async def _next(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        while (event := self._connection.next_event()) is h11.NEED_DATA:
            self._connection.receive_data(await self._reader.read(READ_BYTES))
        return event


@asynccontextmanager
async def relayed(
    place: tuple[str, int], target: str, method: str, headers: Headers, body: bytes
) -> AsyncIterator[Relayed]:
    """Send a request on a connection of its own.

    Args:
        place: address and port.
        target: path.
        method: of HTTP.
        headers: as they came; those that frame the body are added.
        body: the whole of it.

    Yields:
        The answer.
    """
    connection = h11.Connection(h11.CLIENT)
    # It only reads: what it would send is not what the suite sent.
    request = h11.Request(method=method, target=target, headers=[("host", "unused")])
    connection.send(request)
    connection.send(h11.EndOfMessage())
    framing = [(b"content-length", b"%d" % len(body)), (b"connection", b"close")]
    head = [b"%s: %s\r\n" % each for each in [*headers, *framing]]
    first = f"{method} {target} HTTP/1.1\r\n".encode()
    reader, writer = await asyncio.open_connection(*place)
    try:
        writer.write(b"".join([first, *head, b"\r\n", body]))
        yield Relayed(connection, reader)
    finally:
        writer.close()
