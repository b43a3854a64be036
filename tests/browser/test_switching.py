"""What a person switches in a browser, a connected client sees at once."""

from pathlib import Path

import anyio
import pytest
from browser.visitor import visiting
from browser.world import serving
from cli.at_terminal import SECONDS
from mcp import Client
from playwright.async_api import Browser

pytestmark = pytest.mark.timeout(180)  # a server, a client and a browser

READ = "/admin/tools/files/read"


async def tools(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


async def test_an_ability_switched_off_and_on_is_told_to_a_connected_client(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        serving(tmp_path, "ana") as served,
        served.client() as agent,
        agent.listen(tools_list_changed=True) as changes,
        visiting(browser, served.base) as ana,
    ):
        lists = [await tools(agent)]
        await ana.sign_in()
        await ana.open("/admin/tools")
        await ana.follow("files/read", exact=True)
        with anyio.fail_after(SECONDS):
            await ana.press("Switch off")
            told = [await ana.told()]
            await anext(changes)
            lists.append(await tools(agent))
            await ana.press("Switch on")
            await ana.confirm()
            told.append(await ana.told())
            await anext(changes)
            lists.append(await tools(agent))
    assert told == ["files/read is off now.", "files/read is on now."]
    assert lists[0] - lists[1] == {"files_read"}
    assert lists[1] < lists[0]
    assert lists[2] == lists[0]
