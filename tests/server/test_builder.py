"""Both eras through the SDK's own client, in memory."""

import asyncio
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp.server.auth.middleware.auth_context import auth_context_var
from server.world import (
    READ,
    Mode,
    connected,
    described,
    pack,
    running,
    server_of,
    text_of,
)

from abilities_host import Actor
from abilities_host.server.builder import build_server
from abilities_host.server.guards import caller_of

both = pytest.mark.parametrize("mode", ["auto", "legacy"])


async def names(client: Client) -> list[str]:
    listed = await client.list_tools(cache_mode="refresh")
    return [tool.name for tool in listed.tools]


def echo(arguments: Any) -> Any:
    return arguments


@both
async def test_a_client_lists_and_calls(tmp_path: Path, mode: Mode) -> None:
    echoes = pack(("test/echo", described(echo)), ("test/look", described(echo)))

    async with connected(tmp_path, mode, echoes) as (client, _):
        result = await client.call_tool("test_echo", {"a": [1, None]})

        assert await names(client) == ["test_echo", "test_look"]
        assert client.server_capabilities.tools is not None
        assert client.server_capabilities.tools.list_changed
        assert client.instructions is not None
        assert not result.is_error
        assert result.structured_content == {"a": [1, None]}
        assert [c.model_dump()["text"] for c in result.content] == ['{"a":[1,null]}']


@both
async def test_off_unknown_and_not_visible_look_the_same(
    tmp_path: Path, mode: Mode
) -> None:
    some = pack(
        ("test/off", described(echo)),
        ("test/secret", described(echo, requires="test:secret")),
        ("test/on", described(echo)),
    )

    async with connected(tmp_path, mode, some) as (client, host):
        await host.toggles.set("test/off", state=False, by="cli")
        assert await names(client) == ["test_on"]
        for tool in ("test_off", "test_secret", "test_unknown", "x" * 500):
            with pytest.raises(MCPError) as refused:
                await client.call_tool(tool, {"a": 1})
            assert (refused.value.code, refused.value.message) == (
                -32602,
                f"Unknown tool: {tool[:128]}",
            )


async def test_a_change_is_told_to_clients_of_the_later_era(tmp_path: Path) -> None:
    async with connected(tmp_path, "auto", pack(("test/one", described(echo)))) as (
        client,
        host,
    ):
        async with client.listen(tools_list_changed=True) as changes:
            await host.toggles.set("test/one", state=False, by="cli")
            with anyio.fail_after(10):
                await anext(aiter(changes))
        assert await names(client) == []


async def test_a_change_is_told_to_clients_of_the_earlier_era(tmp_path: Path) -> None:
    heard = asyncio.Event()

    async def listen(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            heard.set()

    async with connected(
        tmp_path,
        "legacy",
        pack(("test/one", described(echo))),
        message_handler=listen,
    ) as (client, host):
        await asyncio.to_thread(host.registry.unregister_ability, "test/one")
        with anyio.fail_after(10):
            await heard.wait()
        assert await names(client) == []


async def test_a_server_that_has_ended_listens_to_no_more_changes(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, pack(("test/one", described(echo)))) as host:
        async with Client(server_of(host)):
            pass
        host.registry.unregister_ability("test/one")

        assert host._listeners == []  # noqa: SLF001 - a leak shows nowhere else


@both
async def test_a_compact_server_lists_three_tools_and_calls_no_other(
    tmp_path: Path, mode: Mode
) -> None:
    route = {"is_route": True, "meta": READ}
    dispatcher = pack(
        *(
            (f"dispatcher/{name}", described(echo, **route))
            for name in ("list-tools", "get-tool-schema", "call-tool", "other")
        ),
        name="dispatcher",
    )
    dispatcher.identity = "abilities-host/dispatcher"
    others = pack(("test/one", described(echo)))
    config = "[server]\ncompact = true\n"

    async with connected(tmp_path, mode, dispatcher, others, config=config) as (
        client,
        _,
    ):
        assert await names(client) == [
            "dispatcher_call-tool",
            "dispatcher_get-tool-schema",
            "dispatcher_list-tools",
        ]
        for tool in ("test_one", "dispatcher_other"):
            with pytest.raises(MCPError, match=f"Unknown tool: {tool}"):
                await client.call_tool(tool, {})


@both
@pytest.mark.parametrize("config", ["kill_switch = true", "[server]\nenabled = false"])
async def test_a_server_that_is_off_has_nothing_to_list_or_call(
    tmp_path: Path, mode: Mode, config: str
) -> None:
    one = pack(("test/one", described(echo)))

    async with connected(tmp_path, mode, one, config=config) as (client, _):
        assert await names(client) == []
        with pytest.raises(MCPError, match="Unknown tool: test_one"):
            await client.call_tool("test_one", {})


@both
async def test_a_cursor_is_refused_because_the_listing_is_one_page(
    tmp_path: Path, mode: Mode
) -> None:
    async with connected(tmp_path, mode) as (client, _):
        with pytest.raises(MCPError, match="one page"):
            await client.list_tools(cursor="2")


@both
async def test_who_cannot_be_told_apart_gets_an_error_without_its_text(
    tmp_path: Path, mode: Mode
) -> None:
    def authenticate(_ctx: Any) -> Actor:
        msg = "the token is hunter2"
        raise RuntimeError(msg)

    async with running(tmp_path, pack(("test/one", described(echo)))) as host:
        server = build_server(host, authenticate=authenticate)
        async with Client(server, mode=mode) as client:
            said = await text_of(client, "test_one", {})
            with pytest.raises(MCPError) as refused:
                await client.list_tools()

    assert said.startswith("server_failed: The server failed.")
    assert refused.value.message.startswith("The listing failed")
    assert "hunter2" not in said + refused.value.message


async def test_the_schema_of_a_tool_is_looked_up_without_a_listing_by_who_sees_it(
    tmp_path: Path,
) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    one = pack(("test/one", described(echo, input_schema=schema)))

    async with running(tmp_path, one) as host:
        look_up = server_of(host).get_tool_input_schema
        assert look_up is not None
        nobody = look_up("test_one")
        seen = {}
        for scopes in ((), ("read", "write")):
            actor = Actor("ann", "agent", frozenset(scopes))
            asking = auth_context_var.set(caller_of(actor, "token"))
            seen[scopes] = [look_up(f"test_{each}") for each in ("one", "none")]
            auth_context_var.reset(asking)

    assert nobody is None
    assert seen == {(): [None, None], ("read", "write"): [schema, None]}
