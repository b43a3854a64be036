"""A client that nobody knows is shown no word over which it would lose the listing."""

from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from server.world import Mode, connected, described, pack

both = pytest.mark.parametrize("mode", ["auto", "legacy"])

ODD: dict[str, Any] = {
    "$id": "urn:x",
    "$schema": "http://json-schema.org/draft-04/schema#",
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}},
}
PLAIN: dict[str, Any] = {
    "type": "object",
    "properties": {"any": True, "n": {"type": "integer"}},
    "required": ["n"],
}
WRITTEN_OUT = {**PLAIN, "properties": {"any": {}, "n": {"type": "integer"}}}


async def tools_of(client: Client) -> dict[str, Any]:
    listed = (await client.list_tools()).tools
    return {tool.name: (tool.input_schema, tool.output_schema) for tool in listed}


@both
async def test_odd_words_are_said_in_others_of_arguments_and_of_results(
    tmp_path: Path, mode: Mode
) -> None:
    schemas = {"input_schema": PLAIN, "output_schema": PLAIN}
    odd = pack(("test/odd", described(lambda value: value, **schemas)))

    async with connected(tmp_path, mode, odd) as (client, _):
        tools = await tools_of(client)
        result = await client.call_tool("test_odd", {"any": [None], "n": 1})

    assert tools == {"test_odd": (WRITTEN_OUT, WRITTEN_OUT)}
    assert result.structured_content == {"any": [None], "n": 1}


@both
async def test_one_result_alone_may_be_odd(tmp_path: Path, mode: Mode) -> None:
    arguments = {"type": "object", "properties": {"n": {"type": "integer"}}}
    schemas = {"input_schema": arguments, "output_schema": ODD}
    odd = pack(("test/odd", described(lambda value: value, **schemas)))

    async with connected(tmp_path, mode, odd) as (client, _):
        tools = await tools_of(client)
        result = await client.call_tool("test_odd", {"n": 1})

    [(shown, of_result)] = tools.values()
    assert shown == arguments
    assert of_result["properties"]["n"] == {"type": "integer", "minimum": 0}
    assert of_result.keys().isdisjoint({"$id", "$schema"})
    assert result.structured_content == {"n": 1}
