from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from server.http_world import HOST, Header, ask, served
from starlette.types import Receive, Scope, Send

from abilities_host.server.proxies import FORWARDED_HOST, Proxies

TRUSTED = ("127.0.0.1/32", "10.0.0.0/8")


async def nothing(*_: Any) -> Any: ...


async def seen_by(
    headers: list[Header],
    peer: str = "127.0.0.1",
    trusted: tuple[str, ...] = TRUSTED,
) -> dict[str, Any]:
    """Give what is behind the proxies sees of a request."""
    seen: dict[str, Any] = {}

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.update(
            client=scope["client"][0],
            scheme=scope["scheme"],
            host=scope.get(FORWARDED_HOST),
            headers=[name for name, _ in scope["headers"]],
        )

    scope = {
        "type": "http",
        "scheme": "http",
        "client": (peer, 5000),
        "headers": headers,
    }
    await Proxies(app, lambda: trusted)(scope, nothing, nothing)
    return seen


def forwarded(**said: str) -> list[Header]:
    return [
        (name.replace("_", "-").encode(), value.encode())
        for name, value in said.items()
    ]


async def test_a_trusted_proxy_says_who_asks_and_how() -> None:
    headers = forwarded(
        x_forwarded_for="203.0.113.9",
        x_forwarded_proto="https",
        x_forwarded_host="abilities.example.org",
        accept="*/*",
    )

    assert await seen_by(headers) == {
        "client": "203.0.113.9",
        "scheme": "https",
        "host": "abilities.example.org",
        "headers": [b"accept"],
    }


@pytest.mark.parametrize("peer", ["203.0.113.1", "11.0.0.1", "::1", "", "unix:"])
async def test_nobody_else_is_believed_and_nothing_of_it_is_passed_on(
    peer: str,
) -> None:
    headers = forwarded(
        x_forwarded_for="198.51.100.1",
        x_forwarded_proto="https",
        x_forwarded_host="evil.example",
        forwarded="for=198.51.100.1;host=evil.example",
        x_real_ip="198.51.100.1",
    )

    assert await seen_by(headers, peer) == {
        "client": peer,
        "scheme": "http",
        "host": None,
        "headers": [],
    }


@pytest.mark.parametrize(
    ("chain", "client"),
    [
        ("198.51.100.1, 203.0.113.9", "203.0.113.9"),
        ("198.51.100.1, 203.0.113.9, 10.1.1.1", "203.0.113.9"),
        ("10.1.1.1, 10.2.2.2", ""),
        ("203.0.113.9, nonsense", ""),
        ("<script>", ""),
        ("::ffff:10.0.0.1, 2001:DB8::1", "2001:db8::1"),
        ("", ""),
    ],
)
async def test_the_client_is_the_last_that_no_trusted_proxy_added(
    chain: str, client: str
) -> None:
    seen = await seen_by(forwarded(x_forwarded_for=chain))

    assert seen["client"] == client


async def test_without_a_trusted_proxy_the_peer_stays_the_client() -> None:
    seen = await seen_by(forwarded(x_forwarded_for="203.0.113.9"), trusted=())

    assert seen["client"] == "127.0.0.1"


@pytest.mark.parametrize(
    ("name", "status"), [("abilities.example.org", 200), ("evil.example", 421)]
)
async def test_the_name_a_proxy_was_asked_for_is_guarded_like_the_host(
    tmp_path: Path, name: str, status: int
) -> None:
    config = """
    [http]
    hosts = ["abilities.example.org"]
    trusted_proxies = ["127.0.0.1"]
    """
    headers = [HOST, (b"x-forwarded-host", name.encode())]
    async with served(tmp_path, config=config) as (app, _):
        reply = await ask(app, "GET", "/healthz", headers=headers)

    assert reply.status == status


@given(st.text(max_size=80), st.text(max_size=40))
async def test_no_forwarded_text_breaks_a_request(chain: str, host: str) -> None:
    headers = [
        (b"x-forwarded-for", chain.encode()),
        (b"x-forwarded-host", host.encode()),
    ]
    seen = await seen_by(headers)

    assert seen["headers"] == []
