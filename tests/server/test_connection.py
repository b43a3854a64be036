"""A connection over a socket: the head of a request has a size and a time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp
from uvicorn.server import ServerState

from abilities_host.server.connection import BoundedConnection


class Impatient(BoundedConnection):
    head_bytes = 1_000
    head_seconds = 0.05


class Patient(BoundedConnection):
    head_bytes = 1_000
    head_seconds = 600.0


async def echo(scope: Any, receive: Any, send: Any) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(f"{len(body)}")(scope, receive, send)


@asynccontextmanager
async def connected(
    kind: type[BoundedConnection], app: ASGIApp = echo
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    config = uvicorn.Config(app, log_config=None, ws="none")
    config.load()
    state = ServerState()
    server = await asyncio.get_running_loop().create_server(
        lambda: kind(config=config, server_state=state, app_state={}), "127.0.0.1", 0
    )
    port = server.sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        with anyio.fail_after(10):
            yield reader, writer
    finally:
        writer.close()
        server.close()
        while state.connections:
            await anyio.sleep(0.01)


HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n"


async def test_requests_with_long_bodies_follow_one_another() -> None:
    async with connected(Patient) as (reader, writer):
        for _ in range(2):
            writer.write(HEAD + b"\r\n" + b"x" * 5_000)
            answer = await reader.readuntil(b"5000")
            assert answer.startswith(b"HTTP/1.1 200 OK")


async def test_blanks_around_a_header_are_no_part_of_it() -> None:
    seen: list[Any] = []

    async def note(scope: Any, receive: Any, send: Any) -> None:
        seen.append(dict(scope["headers"])[b"x"])
        await echo(scope, receive, send)

    async with connected(Patient, note) as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX: \t a b \t \r\n\r\n")
        await reader.readuntil(b"\r\n\r\n0")

    assert seen == [b"a b"]


async def test_who_asks_nothing_is_left_without_a_word() -> None:
    async with connected(Impatient) as (reader, _):
        assert await reader.read() == b""


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        pytest.param(Patient, HEAD + b"X: " + b"x" * 2_000, id="long"),
        pytest.param(Patient, b"POST /" + b"x" * 2_000, id="long-path"),
        pytest.param(Impatient, HEAD, id="slow"),
        pytest.param(Impatient, HEAD + b"\r\n" + b"x" * 5_000 + HEAD, id="second"),
        pytest.param(Patient, b"garbage\r\n\r\n", id="garbage"),
    ],
)
async def test_a_head_without_end_is_refused_and_the_connection_closed(
    kind: type[BoundedConnection], sent: bytes
) -> None:
    async with connected(kind) as (reader, writer):
        writer.write(sent)
        answer = await reader.read()

    refusal = answer[answer.rindex(b"HTTP/1.1") :]
    assert refusal.startswith(b"HTTP/1.1 400 Bad Request")
    assert b"\r\ncache-control: no-store\r\n" in refusal
