"""Several servers of one host over HTTP, and what happens when they change."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from server.http_world import (
    GOOD,
    LEGACY,
    Request,
    ask,
    initialize,
    message,
    modern_call,
    reconfigure,
    served,
)
from server.world import described, pack

import abilities_dispatcher
from abilities_host import Actor
from abilities_host.hooks.packs import local_pack
from abilities_host.server.http import HttpApp

TWO = """
[[servers]]
id = "team"
title = "The team"
include = ["test/read", "dispatcher/*"]
"""


def read(arguments: Any) -> str:
    return "read"


def packs() -> Sequence[Any]:
    both = [("test/read", described(read)), ("test/other", described(read))]
    return [pack(*both)]


async def tools_at(app: HttpApp, path: str) -> list[str] | int:
    """List over a fresh request of the later era; the status where that is no list."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    headers = (
        *GOOD,
        (b"mcp-protocol-version", b"2026-07-28"),
        (b"mcp-method", b"tools/list"),
    )
    body = message("tools/list", {"_meta": meta})
    reply = await ask(app, "POST", path, headers=headers, body=body)
    if reply.status != 200:
        return reply.status
    return sorted(tool["name"] for tool in reply.json["result"]["tools"])


async def until(app: HttpApp, path: str, wanted: list[str] | int) -> None:
    with anyio.fail_after(10):
        while await tools_at(app, path) != wanted:
            await anyio.sleep(0.01)


async def test_each_server_has_its_own_route_and_its_own_tools(tmp_path: Path) -> None:
    async with served(tmp_path, *packs(), config=TWO) as (app, _):
        seen = {
            path: await tools_at(app, path)
            for path in ("/mcp", "/mcp/team", "/mcp/team/", "/mcp/other", "/team")
        }

    assert seen == {
        "/mcp": ["test_other", "test_read"],
        "/mcp/team": ["test_read"],
        "/mcp/team/": ["test_read"],
        "/mcp/other": 404,
        "/team": 404,
    }


async def test_what_a_server_leaves_out_it_does_not_run(tmp_path: Path) -> None:
    async with served(tmp_path, *packs(), config=TWO) as (app, _):
        other = await modern_call("test_other", "/mcp/team").send_to(app)
        first = await modern_call("test_other").send_to(app)

    assert other.json["error"]["message"] == "Unknown tool: test_other"
    assert first.json["result"]["content"][0]["text"] == "read"


async def test_a_server_added_to_the_file_answers_and_one_taken_away_no_more(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, *packs(), config="\n# servers\n") as (app, host):
        await reconfigure(host, "# servers", TWO)
        await until(app, "/mcp/team", ["test_read"])
        await reconfigure(host, TWO.strip(), "# servers")
        await until(app, "/mcp/team", 404)

        assert await tools_at(app, "/mcp") == ["test_other", "test_read"]


async def test_a_server_that_moves_keeps_its_sessions(tmp_path: Path) -> None:
    moved = TWO.replace('title = "The team"', 'route = "/team/mcp"')
    async with served(tmp_path, *packs(), config=TWO) as (app, host):
        await reconfigure(host, TWO.strip(), moved.strip())
        await until(app, "/team/mcp", ["test_read"])

        assert await tools_at(app, "/mcp/team") == 404
        assert [each.id for each in app.fleet.endpoints] == ["default", "team"]


async def test_a_session_of_one_server_is_none_of_another(tmp_path: Path) -> None:
    async with served(tmp_path, *packs(), config=TWO) as (app, _):
        session = await initialize(app)
        headers = (*GOOD, LEGACY, session)
        here = await ask(app, headers=headers, body=message("tools/list"))
        there = await ask(
            app, "POST", "/mcp/team", headers=headers, body=message("tools/list")
        )

    assert (here.status, there.status) == (200, 404)


async def test_a_kill_switch_of_one_server_ends_its_live_sessions_and_streams_only(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, *packs(), config=TWO) as (app, host):
        session = await initialize(app)
        stream = Request("GET", headers=(*GOOD, LEGACY, session))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stream.send_to, app)
            await stream.started.wait()
            text = "[server]\nenabled = false\n"
            await reconfigure(host, "\n[[servers]]", f"\n{text}\n[[servers]]")
            # The stream ends by itself: the group is left once it has.
        refused = await ask(
            app, headers=(*GOOD, LEGACY, session), body=message("tools/list")
        )
        team = await tools_at(app, "/mcp/team")

    assert (refused.status, team) == (404, ["test_read"])


async def test_a_required_scope_keeps_others_out_with_the_scope_named(
    tmp_path: Path,
) -> None:
    text = '[[servers]]\nid = "team"\nrequires = "team"\n'
    async with served(tmp_path, *packs(), config=text) as (app, _):
        reply = await ask(app, "POST", "/mcp/team", body=message("initialize", {}))

    assert reply.status == 403
    assert reply.value(b"www-authenticate") == (
        b'Bearer error="insufficient_scope", scope="team"'
    )


async def test_inside_the_process_an_unknown_server_exposes_nothing(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, *packs(), config=TWO) as (_, host):
        actor = Actor("ann")
        outcome = await host.execute("test/read", actor=actor, server="nobody")
        listed = await host.list_abilities(actor, "nobody")

    assert (outcome.code, listed) == ("ability_not_found", ())


@pytest.mark.parametrize(
    ("compact", "tools"),
    [
        (
            "true",
            [
                "dispatcher_call-tool",
                "dispatcher_get-tool-schema",
                "dispatcher_list-tools",
            ],
        ),
        (
            '"split"',
            [
                "dispatcher_call-tool",
                "dispatcher_get-tool-schema",
                "dispatcher_list-tools",
                "dispatcher_read-tool",
            ],
        ),
    ],
)
async def test_compact_mode_changes_while_clients_are_connected(
    tmp_path: Path, compact: str, tools: list[str]
) -> None:
    dispatcher = local_pack("dispatcher", abilities_dispatcher)
    dispatcher.identity = "abilities-host/dispatcher"
    text = "[server]\n# compact\n"
    async with served(tmp_path, *packs(), dispatcher, config=text) as (app, host):
        before = await tools_at(app, "/mcp")
        await reconfigure(host, "# compact", f"compact = {compact}")
        after = await tools_at(app, "/mcp")

    assert (before, after) == (["test_other", "test_read"], tools)
