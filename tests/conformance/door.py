"""The door before `abilities serve`: what the suite expects of a server under test.

It shows the token, which the suite does not know, speaks of the fixtures by the suite's
names, and leads what the host does not offer to the server beside it. Everything else
goes through as it is.
"""

import asyncio
import json
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import anyio
import uvicorn
from conformance.asked import SESSION, Asked, Headers, part, read_request, start
from conformance.library import Library
from conformance.naming import as_host, to_host, to_suite
from conformance.relay import Relayed, relayed
from starlette.types import Receive, Scope, Send

EARLY: Final = "test_input_required_result_elicitation"
NAME: Final = b"mcp-name"


class Door:
    """Takes the place of the host's own address.

    Args:
        url: of the host's server.
        token: what it asks for.
        library: what answers beside it.
    """

    def __init__(self, url: str, token: str, library: Library) -> None:
        parts = urlsplit(url)
        self._place: Final = (str(parts.hostname), parts.port or 80)
        self._path: Final = parts.path
        self._shown: Final = (b"authorization", f"Bearer {token}".encode())
        self._library: Final = library

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        asked = await read_request(scope, receive)
        if self._library.is_asked(asked):
            await self._library.answer(asked, receive, send)
            return
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_when_gone, receive, tasks.cancel_scope)
            await self._forward(asked, send)
            tasks.cancel_scope.cancel()

    async def _forward(self, asked: Asked, send: Send) -> None:
        body = await self._ask_first(asked) if _is_early(asked) else asked.body
        async with self._host(asked, body) as answer:
            begun = await answer.start()
            if asked.message.get("method") == "initialize":
                self._library.remember(dict(begun.headers).get(SESSION, b""), asked)
            await send(start(begun.status_code, begun.headers))
            async for lines in answer.lines():
                await send(part(to_suite(lines)))
            await send(part(b"", is_last=True))

    def _host(self, asked: Asked, body: bytes) -> AbstractAsyncContextManager[Relayed]:
        headers = [*_named(asked.headers), self._shown]
        method = asked.scope["method"]
        return relayed(self._place, self._path, method, headers, to_host(body))

    async def _ask_first(self, asked: Asked) -> bytes:
        """Put the question that the suite has answered already.

        The host takes no answer to a question that it never put, and one scenario
        answers at once, to see that keys which nobody asked for are ignored.
        """
        params = {**asked.message["params"]}
        given = params.pop("inputResponses")
        content = json.dumps({**asked.message, "params": params}).encode()
        async with self._host(asked, content) as answer:
            await answer.start()
            text = b"".join([lines async for lines in answer.lines()])
        (line,) = (one for one in text.splitlines() if b"requestState" in one)
        state = json.loads(line.removeprefix(b"data:"))["result"]["requestState"]
        params |= {"inputResponses": given, "requestState": state}
        return json.dumps({**asked.message, "params": params}).encode()


def _is_early(asked: Asked) -> bool:
    params: dict[str, Any] = asked.message.get("params") or {}
    is_answered = "user_name" in (params.get("inputResponses") or {})
    return params.get("name") == EARLY and is_answered and "requestState" not in params


def _named(headers: Headers) -> Headers:
    return [
        (key, as_host(value.decode()).encode() if key == NAME else value)
        for key, value in headers
    ]


async def _cancel_when_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


class _Server(uvicorn.Server):
    """Says where it listens once it does."""

    async def startup(self, sockets: Any = None) -> None:
        """Start, and write the address to standard output."""
        await super().startup(sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        print(f"http://127.0.0.1:{port}/mcp", flush=True)  # noqa: T201 - who started this reads it


async def serve(url: str, token: str) -> None:
    """Serve until a signal.

    Args:
        url: of the host's server.
        token: what it asks for.
    """
    library = Library()
    config = uvicorn.Config(
        Door(url, token, library),
        port=0,
        lifespan="off",
        log_level="error",
        server_header=False,
    )
    async with library.running():
        await _Server(config).serve()


if __name__ == "__main__":
    address, file = sys.argv[1:]
    asyncio.run(serve(address, Path(file).read_text(encoding="utf-8").strip()))
