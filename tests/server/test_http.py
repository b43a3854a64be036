"""A host over HTTP: who may call, in which session, and how it ends."""

import asyncio
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from mcp_types import RequestParamsMeta
from server.http_world import (
    ACCEPT,
    GOOD,
    HOST,
    JSON,
    LEGACY,
    PATIENCE,
    TOKEN,
    UNCACHED,
    Request,
    ask,
    client_of,
    initialize,
    message,
    modern_call,
    reconfigure,
    served,
)
from server.world import READ, Mode, described, pack, running
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import Message

from abilities_host import Actor, Call
from abilities_host.hooks.packs import Pack
from abilities_host.server.exchange import SlowBody
from abilities_host.server.http import build_app

MODES: tuple[Mode, ...] = ("auto", "legacy")

both = pytest.mark.parametrize("mode", MODES)


def who_calls() -> tuple[Pack, list[tuple[str, str, str]]]:
    """Make a pack that notes actor, session and client of each call."""
    seen: list[tuple[str, str, str]] = []

    async def note(_arguments: Any, call: Call) -> str:
        seen.append((call.actor.id, call.session, call.client))
        return "noted"

    return pack(("test/note", described(note, meta=READ))), seen


def named(session: Any) -> RequestParamsMeta:
    return cast("RequestParamsMeta", {"abilities/session": session})


async def test_an_application_may_be_mounted_below_a_path(tmp_path: Path) -> None:
    packs = pack(("test/note", described(lambda: "noted", meta=READ)))
    async with served(tmp_path, packs) as (app, _):
        direct = await modern_call("test_note").send_to(app)
        below = Starlette(routes=[Mount("/below", app)])
        request = modern_call("test_note", path="/below/mcp")
        mounted = await request.send_to(below)
        aside = await modern_call("test_note", path="/other").send_to(app)
    texts = [reply.json["result"]["content"] for reply in (direct, mounted)]
    assert texts == [[{"type": "text", "text": "noted"}]] * 2
    assert (direct.status, mounted.status, aside.status) == (200, 200, 404)


async def test_health_says_only_that_it_is_there_and_no_more_when_it_stops(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as (app, _):
        well = await ask(app, "GET", "/healthz", headers=(HOST,))
        await app.stop(0)
        stopping = await ask(app, "GET", "/healthz", headers=(HOST,))

    assert (well.status, well.json) == (200, {"ok": True})
    assert (stopping.status, stopping.json) == (503, {"ok": False})


@pytest.mark.parametrize(
    ("on", "off"),
    [
        ("kill_switch = false", "kill_switch = true"),
        ("[server]\nenabled = true", "[server]\nenabled = false"),
    ],
    ids=["host", "server"],
)
async def test_a_kill_switch_answers_not_found_at_once_and_lets_go_again(
    tmp_path: Path, on: str, off: str
) -> None:
    async with served(tmp_path, config=f"{on}\n") as (app, host):
        statuses = [(await ask(app, body=b"garbage")).status]
        for old, new in ((on, off), (off, on)):
            await reconfigure(host, old, new)
            statuses.append((await ask(app, body=b"garbage")).status)
        health = await ask(app, "GET", "/healthz", headers=(HOST,))

    assert statuses == [400, 404, 400]
    assert health.status == 200


async def test_a_session_is_not_found_for_another_token(tmp_path: Path) -> None:
    actors = {"token-a": Actor("one"), "token-b": Actor("one")}
    tokens = {name: (b"authorization", f"Bearer {name}".encode()) for name in actors}
    noted, seen = who_calls()
    call = message("tools/call", {"name": "test_note", "arguments": {}})

    async with served(tmp_path, noted, verify=actors.get) as (app, _):
        session = await initialize(app, tokens["token-a"])
        started = (HOST, JSON, ACCEPT, LEGACY, session)
        replies = {
            name: await ask(app, headers=(*started, token), body=call)
            for name, token in reversed(tokens.items())
        }
        unknown = await ask(
            app,
            headers=(HOST, JSON, ACCEPT, tokens["token-b"], (b"mcp-session-id", b"x")),
            body=call,
        )

    assert {name: reply.status for name, reply in replies.items()} == {
        "token-a": 200,
        "token-b": 404,
    }
    assert replies["token-b"].body == unknown.body
    assert seen == [("one", session[1].decode(), "test")]


async def test_a_client_with_a_session_of_the_protocol_calls_in_it(
    tmp_path: Path,
) -> None:
    noted, seen = who_calls()
    async with served(tmp_path, noted) as (app, _):
        for _time in range(2):
            async with client_of(app, "legacy") as client:
                await client.call_tool("test_note", {})
                await client.call_tool("test_note", {})

    ids = [session for _, session, _ in seen]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert [actor for actor, _, _ in seen] == ["http"] * 4


async def test_a_client_without_one_calls_in_that_of_its_name_or_in_one_it_names(
    tmp_path: Path,
) -> None:
    noted, seen = who_calls()
    async with served(tmp_path, noted) as (app, _):
        for meta in (None, None, named("mine")):
            async with client_of(app, "auto") as client:
                await client.call_tool("test_note", {}, meta=meta)

    ids = [session for _, session, _ in seen]
    assert ids[0] == ids[1] != ids[2] != "mine"
    assert [actor for actor, _, _ in seen] == ["http"] * 3


async def test_a_session_that_is_no_name_is_refused_before_anything_runs(
    tmp_path: Path,
) -> None:
    noted, seen = who_calls()
    async with served(tmp_path, noted) as (app, _), client_of(app, "auto") as client:
        with pytest.raises(Exception, match="must be a text of 1 to 128 characters"):
            await client.call_tool("test_note", {}, meta=named(5))

    assert seen == []


@both
async def test_changed_scopes_of_the_actor_hold_at_once(
    tmp_path: Path, mode: Mode
) -> None:
    write = pack(("test/write", described(lambda: 1, input_schema=None)))
    config = '[actors.http]\nid = "web"\nscopes = ["read"]\n'
    async with served(tmp_path, write, config=config) as (app, host):
        async with client_of(app, mode) as client:
            before = (await client.list_tools()).tools
        await reconfigure(host, '["read"]', '["read", "write"]')
        async with client_of(app, mode) as client:
            after = (await client.list_tools()).tools

    assert ([tool.name for tool in before], [tool.name for tool in after]) == (
        [],
        ["test_write"],
    )


async def test_sessions_and_requests_at_once_have_a_limit(tmp_path: Path) -> None:
    config = "[limits]\nhttp_sessions = 2\nhttp_requests = 1\n"
    async with served(tmp_path, config=config) as (app, _):
        session = await initialize(app)
        await initialize(app)
        third = await ask(app, body=message("initialize"))
        stream = Request("GET", headers=(*GOOD, LEGACY, session))
        listening = asyncio.ensure_future(stream.send_to(app))
        await stream.started.wait()
        busy = await ask(app, "GET", "/healthz", headers=(HOST,))
        await app.stop(0)
        ended = await listening

    assert (third.status, busy.status, ended.status) == (503, 503, 200)
    assert "Too many requests at once" in busy.json["error"]
    assert {name: busy.value(name) for name in UNCACHED} == UNCACHED
    assert {name: ended.value(name) for name in UNCACHED} == UNCACHED


async def test_a_body_that_does_not_arrive_in_time_is_given_up(tmp_path: Path) -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        raise SlowBody

    async def send(part: Message) -> None:
        sent.append(part)

    scope = Request()._scope  # noqa: SLF001 - a request whose body never comes
    async with served(tmp_path) as (app, _):
        await app(scope, receive, send)

    assert sent[0]["status"] == 408


async def test_stopping_waits_a_moment_for_what_runs_and_cancels_the_rest(
    tmp_path: Path,
) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()
    ends: list[str] = []

    async def finish() -> str:
        begun.set()
        await go_on.wait()
        ends.append("finished")
        return "finished"

    async def hang() -> None:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ends.append("cancelled")

    abilities = pack(
        ("test/finish", described(finish, input_schema=None)),
        ("test/hang", described(hang, input_schema=None)),
    )
    replies = {}
    for name in ("finish", "hang"):
        begun.clear()
        async with served(tmp_path / name, abilities) as (app, _):
            call = modern_call(f"test_{name}")
            calling = asyncio.ensure_future(call.send_to(app))
            await begun.wait()
            grace = PATIENCE if name == "finish" else 0
            stopping = asyncio.ensure_future(app.stop(grace))
            await asyncio.sleep(0)
            go_on.set()
            await stopping
            replies[name] = await calling

    assert ends == ["finished", "cancelled"]
    assert replies["finish"].status == 200
    told = replies["hang"].json["result"]
    assert told["isError"] is True
    assert told["content"][0]["text"].startswith("host_stopping: The host stopped")


async def test_nobody_is_served_without_a_token(tmp_path: Path) -> None:
    async with running(tmp_path) as host:
        with pytest.raises(ValueError, match="needs a token or verify"):
            build_app(host)


async def test_the_token_is_in_no_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    noted, _ = who_calls()
    async with served(tmp_path, noted) as (app, _host):
        for mode in MODES:
            async with client_of(app, mode) as client:
                await client.call_tool("test_note", {})
        wrong = (b"authorization", f"Bearer wrong{TOKEN}".encode())
        await ask(app, headers=(HOST, wrong, JSON, ACCEPT))

    assert caplog.records
    assert TOKEN not in caplog.text
