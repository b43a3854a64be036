"""What a request must show: a name of this machine, no foreign page, the token."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from server.http_world import (
    ACCEPT,
    BEARER,
    GOOD,
    HELLO,
    HOST,
    JSON,
    MODERN,
    TOKEN,
    UNCACHED,
    Header,
    ask,
    message,
    served,
)
from server.world import running
from starlette.types import Message

from abilities_host.server.http import build_app

OK, REFUSED = (200, 200), (421, 403)


def foreign(name: bytes) -> Sequence[Header]:
    return ((b"host", name), *GOOD[1:])


def shown(value: bytes) -> Sequence[Header]:
    return (HOST, (b"authorization", value), JSON, ACCEPT)


@pytest.mark.parametrize(
    ("status", "method", "path", "headers", "body"),
    [
        (200, "GET", "/healthz", (HOST,), b""),
        (405, "POST", "/healthz", GOOD, b""),
        (421, "GET", "/healthz", (), b""),
        (404, "GET", "/", GOOD, b""),
        (401, "GET", "/metrics", (HOST,), b""),
        (405, "POST", "/metrics", GOOD, b""),
        (404, "GET", "/.well-known/oauth-protected-resource", (HOST,), b""),
        (400, "POST", "/mcp/", GOOD, b""),
        (401, "POST", "/mcp", (HOST,), b""),
        (401, "POST", "/mcp", shown(b"Bearer wrong"), b""),
        (401, "POST", "/mcp", shown(b"Bearer " + TOKEN.encode() + b"x"), b""),
        (401, "POST", "/mcp", shown(b"Bearer \xff\xfe"), b""),
        (401, "POST", "/mcp", shown(b"Basic " + TOKEN.encode()), b""),
        (401, "POST", "/mcp", shown(TOKEN.encode()), b""),
        (401, "POST", "/mcp", (*GOOD, BEARER), b""),
        (421, "POST", "/mcp", GOOD[1:], b""),
        (421, "POST", "/mcp", (*GOOD, HOST), b""),
        (421, "POST", "/mcp", foreign(b"example.com"), b""),
        (403, "POST", "/mcp", (*GOOD, (b"origin", b"null")), b""),
        (403, "POST", "/mcp", (*GOOD, (b"origin", b"http://example.com")), b""),
        (405, "PUT", "/mcp", GOOD, b""),
        (405, "GET", "/mcp", (*GOOD, MODERN), b""),
        (400, "POST", "/mcp", (HOST, BEARER, ACCEPT), b"{}"),
        (406, "POST", "/mcp", (HOST, BEARER, JSON), b"{}"),
        (400, "POST", "/mcp", GOOD, b"garbage"),
        (400, "POST", "/mcp", (*GOOD, MODERN), b"garbage"),
        (400, "POST", "/mcp", (*GOOD, (b"mcp-protocol-version", b"1999")), b"{}"),
        (404, "POST", "/mcp", (*GOOD, (b"mcp-session-id", b"x")), b"{}"),
        (413, "POST", "/mcp", GOOD, b"x" * (5 << 20)),
        (200, "POST", "/mcp", GOOD, message("initialize", HELLO)),
    ],
)
async def test_no_response_is_kept_by_a_cache_or_held_back_by_a_proxy(
    tmp_path: Path,
    *,
    status: int,
    method: str,
    path: str,
    headers: Sequence[Header],
    body: bytes | dict[str, Any],
) -> None:
    async with served(tmp_path) as (app, _):
        reply = await ask(app, method, path, headers=headers, body=body)

    assert reply.status == status
    assert {name: reply.value(name) for name in UNCACHED} == UNCACHED
    assert (reply.value(b"www-authenticate") is not None) is (status == 401)


@pytest.mark.parametrize(
    ("authorization", "challenge"),
    [
        (None, b"Bearer"),
        (b"Basic abc", b"Bearer"),
        (b"Bearer wrong", b'Bearer error="invalid_token"'),
    ],
)
async def test_without_the_token_a_client_is_told_how_to_show_it(
    tmp_path: Path, authorization: bytes | None, challenge: bytes
) -> None:
    headers = shown(authorization) if authorization else (HOST, JSON, ACCEPT)
    async with served(tmp_path) as (app, _):
        reply = await ask(app, headers=headers)

    assert (reply.status, reply.value(b"www-authenticate")) == (401, challenge)
    assert "Send the header 'Authorization: Bearer TOKEN'" in reply.json["error"]


@pytest.mark.parametrize(
    ("host", "statuses"),
    [
        ("localhost", OK),
        ("LocalHost:1", OK),
        ("127.0.0.1", OK),
        ("127.0.0.1:65535", OK),
        ("[::1]", OK),
        ("[::1]:8765", OK),
        ("", REFUSED),
        ("localhost:", REFUSED),
        ("localhost:80:80", REFUSED),
        ("localhost.", OK),
        ("localhost.example.com", REFUSED),
        ("example.com:8765", REFUSED),
        ("127.0.0.1.example.com", REFUSED),
        ("127.0.0.1@example.com", REFUSED),
        ("127x0x0x1", REFUSED),
        ("::1", REFUSED),
        ("localhost\n", REFUSED),
        ("localhost, example.com", REFUSED),
    ],
)
async def test_only_names_of_this_machine_are_served_as_host_and_as_origin(
    tmp_path: Path, host: str, statuses: tuple[int, int]
) -> None:
    async with served(tmp_path) as (app, _):
        named = [(b"host", host.encode())]
        as_host = await ask(app, "GET", "/healthz", headers=named)
        origins = [
            (b"origin", f"{scheme}://{host}".encode()) for scheme in ("http", "https")
        ]
        as_origin = await ask(app, "GET", "/healthz", headers=(HOST, *origins))

    assert (as_host.status, as_origin.status) == statuses


async def test_a_web_socket_is_refused_and_the_lifespan_is_served(
    tmp_path: Path,
) -> None:
    events = ["lifespan.shutdown", "lifespan.startup"]
    sent: list[str] = []

    async def receive() -> Message:
        return {"type": events.pop() if events else "websocket.connect"}

    async def send(part: Message) -> None:
        sent.append(part["type"])

    async with running(tmp_path) as host:
        app = build_app(host, token=TOKEN)
        await app({"type": "lifespan", "state": {}}, receive, send)
        web_socket = {"type": "websocket", "path": "/mcp", "headers": list(GOOD)}
        await app(web_socket, receive, send)

    assert sent == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
        "websocket.close",
    ]
