"""The host as a process, driven by the client of the SDK over each transport."""

import asyncio
from pathlib import Path
from typing import Any

import anyio
import pytest
from acceptance.over_http import HttpSite
from acceptance.world import PATIENCE, Mode, Site, make_site
from mcp import Client, MCPError

both = pytest.mark.parametrize("mode", ["auto", "legacy"])


@pytest.fixture(params=[Site, HttpSite], ids=["stdio", "http"])
def kind(request: pytest.FixtureRequest) -> type[Site]:
    found: type[Site] = request.param
    return found


@pytest.fixture
def site(tmp_path: Path, kind: type[Site]) -> Site:
    return make_site(tmp_path, kind=kind)


async def names(client: Client) -> list[str]:
    listed = await client.list_tools(cache_mode="refresh")
    return [tool.name for tool in listed.tools]


async def text_of(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(getattr(result.content[0], "text", ""))


@both
async def test_files_are_listed_described_written_edited_and_read(
    site: Site, mode: Mode
) -> None:
    file = site.content / "a.txt"

    async with site.client(mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        written = {"path": "a.txt", "text": "one two\n"}
        assert not (await client.call_tool("files_write", written)).is_error
        assert file.read_text() == "one two\n"
        edit = {"path": "a.txt", "edits": [{"old": "two", "new": "three"}]}
        assert not (await client.call_tool("files_edit", edit)).is_error
        read = await client.call_tool("files_read", {"path": "a.txt"})

    assert file.read_text() == "one three\n"
    assert read.structured_content["text"] == "one three\n"
    assert {"core_get-site-info", "files_list", "files_write"} <= set(tools)
    assert "dispatcher_call-tool" not in tools
    assert tools["files_write"].input_schema["required"] == ["path"]
    assert tools["files_read"].annotations is not None
    assert tools["files_read"].annotations.read_only_hint is True
    first, second, _ = site.record()
    ((target, before, after),) = first["changes"]
    assert (first["status"], target, before) == ("ok", "files:a.txt", "MISSING")
    ((_, before_edit, after_edit),) = second["changes"]
    assert before_edit == after != after_edit


@both
async def test_progress_is_heard_and_a_call_given_up_is_cancelled(
    site: Site, mode: Mode
) -> None:
    heard: list[Any] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with site.client(mode) as client:
        await client.call_tool("desk_steps", {}, progress_callback=listen)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "desk_wait", {})
            await site.until_noted("waiting")
            tasks.cancel_scope.cancel()
        await site.until_noted("waited")

    assert heard == [(1, 2, "half"), (2, 2, "done")]
    (ended,) = [run for run in site.record() if run["ability"] == "desk/wait"]
    assert (ended["status"], ended["flags"]) == ("unknown", ["cancelled"])


@both
async def test_a_client_hears_what_another_process_disables_and_is_refused(
    site: Site, mode: Mode
) -> None:
    heard = asyncio.Event()

    async def listen(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            heard.set()

    async with site.client(mode, message_handler=listen) as client:
        assert "files_write" in await names(client)
        if mode == "auto":
            async with client.listen(tools_list_changed=True) as changes:
                await site.run("disable", "files/write")
                with anyio.fail_after(PATIENCE):
                    await anext(aiter(changes))
        else:
            await site.run("disable", "files/write")
            with anyio.fail_after(PATIENCE):
                await heard.wait()

        assert "files_write" not in await names(client)
        for tool in ("files_write", "files_unknown"):
            with pytest.raises(MCPError, match=f"^Unknown tool: {tool}$"):
                await client.call_tool(tool, {"path": "a.txt", "text": "x"})
        lead = {"name": "files/write", "arguments": {"path": "a.txt", "text": "x"}}
        nested = await client.call_tool("desk_lead", lead)

    assert "ability_not_found" in str(nested.content)
    assert list(site.content.iterdir()) == []


@both
async def test_a_veto_names_plugin_and_reason_and_nothing_is_written(
    site: Site, mode: Mode
) -> None:
    async with site.client(mode) as client:
        said = await text_of(
            client, "files_write", {"path": "secret/a.txt", "text": "x"}
        )

    assert said == (
        "write_vetoed: The write 'files/write' was stopped by 'plugins_dir/guard': "
        "The folder secret is not yours."
    )
    assert list(site.content.iterdir()) == []


@both
async def test_a_compact_server_leads_to_everything_with_its_own_checks(
    tmp_path: Path, kind: type[Site], mode: Mode
) -> None:
    site = make_site(tmp_path, "\n\n[server]\ncompact = true\n", kind=kind)

    async def through(client: Client, name: str, **arguments: Any) -> str:
        call = {"name": name, "arguments": arguments}
        return str((await client.call_tool("dispatcher_call-tool", call)).content)

    async with site.client(mode) as client:
        assert await names(client) == [
            "dispatcher_call-tool",
            "dispatcher_get-tool-schema",
            "dispatcher_list-tools",
        ]
        with pytest.raises(MCPError, match="Unknown tool: files_read"):
            await client.call_tool("files_read", {"path": "a.txt"})
        found = await client.call_tool("dispatcher_list-tools", {"search": "write"})
        assert "files/write" in str(found.content)
        await through(client, "files/write", path="a.txt", text="one")
        assert (site.content / "a.txt").read_text() == "one"
        vetoed = await through(client, "files/write", path="secret", text="x")
        assert "stopped by 'plugins_dir/guard'" in vetoed
        assert "ability_invalid_input" in await through(client, "files/read", path=1)
        itself = await through(client, "dispatcher/call-tool", arguments={})
        assert "call it directly" in itself

    vias = {run["ability"]: run["via"] for run in site.record()}
    assert vias["files/write"] == "call-tool"


@both
async def test_what_is_off_is_off_on_every_path_of_a_compact_server(
    tmp_path: Path, kind: type[Site], mode: Mode
) -> None:
    site = make_site(tmp_path, "\n\n[server]\ncompact = true\n", kind=kind)

    async with site.client(mode) as client:
        await site.run("disable", "files/write")
        listed = await client.call_tool("dispatcher_list-tools", {"search": "write"})
        asked = {"names": ["files/write", "files/none", "files/read"]}
        schemas = await client.call_tool("dispatcher_get-tool-schema", asked)
        answers = [
            await text_of(
                client, "dispatcher_call-tool", {"name": name, "arguments": {}}
            )
            for name in ("files/write", "files/none")
        ]

    assert "files/write" not in str(listed.content)
    assert "files/read" in str(schemas.content)
    assert answers[0].replace("write", "none") == answers[1]
    assert "ability_not_found" in answers[0]
    assert schemas.structured_content["unavailable"] == ["files/write", "files/none"]
