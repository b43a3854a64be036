"""Tools whose results are content blocks, straight and behind the dispatcher."""

from pathlib import Path
from typing import Any

import pytest
from server.shelf_pack import PIXEL
from server.world import READ, Mode, connected, described, pack

import abilities_dispatcher
from abilities_host.hooks.packs import local_pack

IMAGE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}


def plain(result: Any) -> list[Any]:
    blocks = result.content
    return [b.model_dump(by_alias=True, exclude_none=True, mode="json") for b in blocks]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_image_comes_as_an_image_also_behind_the_dispatcher(
    tmp_path: Path, mode: Mode
) -> None:
    meta = {**READ, "mcp": {"content": True}}
    look = described(lambda: ["Look:", IMAGE], input_schema=None, meta=meta)
    data = described(lambda: [IMAGE], input_schema=None, meta=READ)
    packs = pack(("test/look", look), ("test/data", data))
    dispatcher = local_pack("dispatcher", abilities_dispatcher)
    dispatcher.identity = "abilities-host/dispatcher"
    config = "[server]\ncompact = true\n"

    async with connected(tmp_path / "whole", mode, packs) as (client, _):
        straight = await client.call_tool("test_look", {})
    async with connected(
        tmp_path / "compact", mode, packs, dispatcher, config=config
    ) as (
        client,
        _,
    ):
        given = [
            await client.call_tool("dispatcher_call-tool", {"name": name})
            for name in ("test/look", "test/data")
        ]

    content = [{"type": "text", "text": "Look:"}, IMAGE]
    assert plain(straight) == plain(given[0]) == content
    assert straight.structured_content is given[0].structured_content is None
    assert [block["type"] for block in plain(given[1])] == ["text"]
