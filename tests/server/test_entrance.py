"""Who is let in over HTTP: tokens of the store, of this machine, and nobody."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from server.http_world import (
    ACCEPT,
    GOOD,
    HELLO,
    HOST,
    JSON,
    LEGACY,
    TOKEN,
    Header,
    Request,
    ask,
    initialize,
    message,
    modern_call,
    reconfigure,
)
from server.world import READ, described, pack, running

from abilities_host import Call
from abilities_host.host import Host
from abilities_host.requestlog.log import RequestLog
from abilities_host.server.gatekeeper import Gatekeeper
from abilities_host.server.http import HttpApp, serve_host
from abilities_host.tokens import Tokens

BASE = "http://127.0.0.1:8765"
TWO = '[[servers]]\nid = "team"\n'


def who(_: Any, call: Call) -> dict[str, Any]:
    return {"id": call.actor.id, "scopes": sorted(call.actor.scopes)}


@asynccontextmanager
async def entered(
    folder: Path, config: str = ""
) -> AsyncIterator[tuple[HttpApp, Host, Tokens, RequestLog]]:
    """Serve a host as `abilities serve` does, without a socket."""
    asks = pack(("test/who", described(who, meta=READ)))
    async with running(folder, asks, config=config) as host:
        requests = RequestLog()
        app = serve_host(host, BASE, token=TOKEN, requests=requests)
        async with app.running():
            yield app, host, Tokens(host._store), requests  # noqa: SLF001 - as the command line does


def bearer(token: str) -> Header:
    return (b"authorization", f"Bearer {token}".encode())


async def status(app: HttpApp, token: str, path: str = "/mcp") -> int:
    headers = (HOST, bearer(token), JSON, ACCEPT)
    reply = await ask(app, "POST", path, headers=headers, body=message("ping"))
    return reply.status  # 400 is the protocol's: it was let in


async def test_a_token_of_the_store_is_an_actor_with_its_scopes(
    tmp_path: Path,
) -> None:
    config = '[roles]\nauditor = ["read", "ledger:read"]\n'
    async with entered(tmp_path, config) as (app, host, tokens, _):
        made = await tokens.create("ci", scopes=("x:y",), role="auditor", by="me")
        call = modern_call("test_who")
        call.replace(bearer(made.value))
        before = (await call.send_to(app)).json
        await reconfigure(host, '"ledger:read"', '"notes:read"')
        again = modern_call("test_who")
        again.replace(bearer(made.value))
        after = (await again.send_to(app)).json

    assert json.loads(before["result"]["content"][0]["text"]) == {
        "id": "ci",
        "scopes": ["ledger:read", "read", "x:y"],
    }
    assert json.loads(after["result"]["content"][0]["text"])["scopes"] == [
        "notes:read",
        "read",
        "x:y",
    ]


async def test_a_token_is_refused_once_it_has_ended_for_whatever_reason(
    tmp_path: Path,
) -> None:
    async with entered(tmp_path, TWO) as (app, host, tokens, requests):
        soon = int(time.time() * 1e6) + 60_000_000
        past = soon - 120_000_000
        revoked = await tokens.create("revoked", role="agent", by="me")
        rotated = await tokens.create("rotated", role="agent", by="me")
        bound = await tokens.create("bound", role="agent", server="team", by="me")
        lasting = await tokens.create("lasting", role="agent", expires_at=soon, by="me")
        earlier = Tokens(host._store, clock=lambda: past - 60_000_000)  # noqa: SLF001 - as above
        over = await earlier.create("over", role="agent", expires_at=past, by="me")
        before = [await status(app, one.value) for one in (revoked, rotated, lasting)]
        await tokens.revoke("revoked", "me")
        fresh = await tokens.rotate("rotated", "me")
        after = {
            "revoked": await status(app, revoked.value),
            "rotated": await status(app, rotated.value),
            "fresh": await status(app, fresh.value),
            "expired": await status(app, over.value),
            "elsewhere": await status(app, bound.value),
            "at home": await status(app, bound.value, "/mcp/team"),
            "unknown": await status(app, "abl_00000000_" + "x" * 43),
            "machine": await status(app, TOKEN),
        }
        refused = {
            sample[2][0]: sample[3]
            for sample in requests.metrics.tokens_refused.family().samples
        }

    assert before == [400, 400, 400]
    assert after == {
        "revoked": 401,
        "rotated": 401,
        "fresh": 400,
        "expired": 401,
        "elsewhere": 401,
        "at home": 400,
        "unknown": 401,
        "machine": 400,
    }
    assert refused == {"revoked": 2, "expired": 1, "wrong audience": 1, "unknown": 1}


async def test_a_session_is_of_no_use_to_another_token(tmp_path: Path) -> None:
    async with entered(tmp_path) as (app, _, tokens, _log):
        one = await tokens.create("one", role="agent", by="me")
        two = await tokens.create("two", role="agent", by="me")
        session = await initialize(app, bearer(one.value))
        statuses = [
            (
                await ask(
                    app,
                    headers=(HOST, bearer(token), JSON, ACCEPT, LEGACY, session),
                    body=message("tools/list"),
                )
            ).status
            for token in (one.value, two.value, TOKEN)
        ]

    assert statuses == [200, 404, 404]


@pytest.mark.parametrize("what", ["revoke", "rotate"])
async def test_an_open_stream_ends_soon_after_its_token(
    tmp_path: Path, what: str
) -> None:
    async with entered(tmp_path) as (app, _, tokens, _log):
        made = await tokens.create("ci", role="agent", by="me")
        session = await initialize(app, bearer(made.value))
        headers = (HOST, bearer(made.value), ACCEPT, LEGACY, session)
        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                stream = Request("GET", headers=headers)
                tasks.start_soon(stream.send_to, app)
                await stream.started.wait()
                await getattr(tokens, what)("ci", "me")
                # The group is left once the stream has ended.
        again = await ask(app, headers=headers, body=message("tools/list"))

    assert again.status == 401


async def test_without_a_token_nobody_enters_unless_the_host_is_open(
    tmp_path: Path,
) -> None:
    hello = message("initialize", HELLO)
    statuses = []
    for auth in ("token", "none"):
        folder = tmp_path / auth
        folder.mkdir()
        config = f'[http]\nauth = "{auth}"\n'
        async with entered(folder, config) as (app, *_):
            nobody = await ask(app, headers=(HOST, JSON, ACCEPT), body=hello)
            wrong = (HOST, bearer("wrong"), JSON, ACCEPT)
            stranger = await ask(app, headers=wrong, body=hello)
            statuses.append((auth, nobody.status, stranger.status))

    assert statuses == [("token", 401, 401), ("none", 200, 401)]


def test_without_a_check_there_is_no_gatekeeper() -> None:
    with pytest.raises(ValueError, match="nobody may call without a token"):
        Gatekeeper([])


@pytest.mark.parametrize(
    "place",
    [
        ("POST", f"/mcp?token={TOKEN}", (HOST, JSON, ACCEPT)),
        ("POST", f"/mcp?access_token={TOKEN}", (HOST, JSON, ACCEPT)),
        ("POST", "/mcp", (HOST, JSON, ACCEPT, (b"cookie", f"token={TOKEN}".encode()))),
        ("POST", "/mcp", (HOST, JSON, ACCEPT, (b"x-api-key", TOKEN.encode()))),
        ("POST", "/mcp", (*GOOD, bearer(TOKEN))),
        ("POST", "/mcp", (HOST, JSON, (b"authorization", TOKEN.encode()))),
    ],
    ids=["query", "oauth query", "cookie", "key", "two", "no scheme"],
)
async def test_a_token_is_taken_from_the_one_header_only(
    tmp_path: Path, place: tuple[str, str, tuple[Header, ...]]
) -> None:
    method, path, headers = place
    async with entered(tmp_path) as (app, *_):
        reply = await ask(app, method, path, headers=headers, body=message("ping"))

    assert reply.status == 401
    assert TOKEN.encode() not in reply.body


async def test_metrics_are_for_operators(tmp_path: Path) -> None:
    async with entered(tmp_path) as (app, _, tokens, _log):
        operator = await tokens.create("ops", role="operator", by="me")
        agent = await tokens.create("agent", role="agent", by="me")
        replies = [
            await ask(app, "GET", "/metrics", headers=(HOST, *shown))
            for shown in ((), (bearer(agent.value),), (bearer(operator.value),))
        ]

    assert [reply.status for reply in replies] == [401, 403, 200]
    assert replies[-1].value(b"content-type") == (
        b"text/plain; version=0.0.4; charset=utf-8"
    )
    assert b"abilities_tokens_refused_total" in replies[-1].body


async def test_readiness_is_another_thing_than_health(tmp_path: Path) -> None:
    async with entered(tmp_path, "kill_switch = true\n") as (app, *_):
        off = [
            (await ask(app, "GET", path, headers=[HOST])).json
            for path in ("/healthz", "/readyz")
        ]
    other = tmp_path / "other"
    other.mkdir()
    async with entered(other) as (app, host, *_):
        ready = (await ask(app, "GET", "/readyz", headers=[HOST])).json
        for file in other.glob("abilities.db*"):
            await anyio.to_thread.run_sync(file.unlink)
        with anyio.fail_after(10):
            while (await ask(app, "GET", "/readyz", headers=[HOST])).status == 200:
                await anyio.sleep(0.02)
        token = await status(app, "abl_00000000_" + "x" * 43)
        host.is_stopping = True

    assert off == [{"ok": True}, {"ok": False}]
    assert (ready, token) == ({"ok": True}, 503)


async def test_without_an_issuer_nothing_is_well_known(tmp_path: Path) -> None:
    async with entered(tmp_path) as (app, *_):
        reply = await ask(
            app, "GET", "/.well-known/oauth-protected-resource", headers=[HOST]
        )

    assert (reply.status, reply.json) == (404, {"error": "Not found."})
