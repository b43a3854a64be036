"""Settings that another process changes hold for live sessions of both eras."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from acceptance.over_http import HttpSite
from acceptance.world import PATIENCE, Mode, Site, make_site
from mcp import Client, MCPError

COMPACT = {
    "dispatcher_list-tools",
    "dispatcher_get-tool-schema",
    "dispatcher_call-tool",
}
TEAM = '\n\n[[servers]]\nid = "team"\ninclude = ["files/*"]\n'

Hear = Callable[[], Awaitable[None]]

each = pytest.mark.parametrize(
    "mode", [pytest.param("legacy", marks=pytest.mark.long), "auto"]
)
ways = pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("legacy", Site),
        ("auto", HttpSite),
        pytest.param("legacy", HttpSite, marks=pytest.mark.long),
        pytest.param("auto", Site, marks=pytest.mark.long),
    ],
)


@asynccontextmanager
async def hearing(
    site: Site, mode: Mode
) -> AsyncIterator[tuple[Client, Callable[[], Awaitable[None]]]]:
    """Connect a client, with what waits until it has been told of a change."""
    heard = anyio.Event()

    async def note(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            heard.set()

    async def until_told() -> None:
        nonlocal heard
        with anyio.fail_after(PATIENCE):
            await heard.wait()
        heard = anyio.Event()

    async with site.client(mode, message_handler=note) as client:
        if mode == "legacy":
            yield client, until_told
            return
        async with client.listen(tools_list_changed=True) as changes:
            told = aiter(changes)

            async def next_one() -> None:
                with anyio.fail_after(PATIENCE):
                    await anext(told)

            yield client, next_one


async def names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


async def until_names(client: Client, wanted: Callable[[set[str]], bool]) -> set[str]:
    with anyio.fail_after(PATIENCE):
        while not wanted(found := await names(client)):
            await anyio.sleep(0.02)
    return found


@ways
async def test_clients_are_told_and_list_what_was_set(
    tmp_path: Path, mode: Mode, kind: type[Site]
) -> None:
    site = make_site(tmp_path, kind=kind)
    async with hearing(site, mode) as (client, until_told):
        full = await names(client)
        await site.run("set", "server.compact", "on")
        await until_told()
        compact = await until_names(client, lambda found: found == COMPACT)
        await site.run("unset", "server.compact")
        await until_told()
        again = await until_names(client, lambda found: found == full)
        await site.run("disable", "--pack", "files")
        await until_told()
        without = await until_names(client, lambda found: found != full)

    assert (compact, again) == (COMPACT, full)
    assert full - without == {name for name in full if name.startswith("files_")}


async def test_a_server_that_is_disabled_ends_live_sessions_and_comes_back(
    tmp_path: Path,
) -> None:
    site = make_site(tmp_path, TEAM, kind=HttpSite)
    assert isinstance(site, HttpSite)
    async with site.served() as server:
        async with site.client_of(server, "legacy") as client:
            assert "desk_steps" in await names(client)
            await site.run("servers", "disable", "default")
            await refused(client)
        await site.run("servers", "enable", "default")
        async with site.client_of(server, "legacy") as client:
            assert "desk_steps" in await names(client)


async def refused(client: Client) -> None:
    """Wait until a live session is served no more."""
    with anyio.fail_after(PATIENCE):
        while await answers(client):
            await anyio.sleep(0.02)


async def answers(client: Client) -> bool:
    """Answer whether a session is served; what the SDK raises depends on the moment."""
    try:
        await client.list_tools()
    except (MCPError, httpx2.HTTPError):
        return False
    return True


async def test_a_server_that_the_store_switched_off_is_not_started_over_stdio(
    tmp_path: Path,
) -> None:
    site = make_site(tmp_path)
    await site.run("servers", "disable", "default")
    process = await anyio.run_process(site.command("stdio"), check=False, input=b"")

    assert process.returncode == 4
    assert b"enabled is false" in process.stderr


@each
async def test_words_profile_and_context_hold_for_who_connects_next(
    tmp_path: Path, mode: Mode
) -> None:
    site = make_site(tmp_path, kind=HttpSite)
    assert isinstance(site, HttpSite)
    async with site.served() as server:
        for words in (("context", "Be kind."), ("server.title", "Ours")):
            await site.run("set", *words)
        with anyio.fail_after(PATIENCE):
            while True:
                async with site.client_of(server, mode) as client:
                    info, text = client.server_info, client.instructions or ""
                if "Be kind." in text and info is not None and info.title == "Ours":
                    break
                await anyio.sleep(0.02)
