"""A bare server of the SDK's lower level: it lists and calls, and checks nothing."""

import asyncio
from typing import Any

import anyio
from benchmarks.heartbeat import Heartbeat
from benchmarks.world import (
    ECHO_SCHEMA,
    NO_ARGUMENTS,
    NUMBER,
    filler_description,
    filler_schema,
    filler_words,
)
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)
from orjson import dumps

Context = ServerRequestContext[Any]


def build(abilities: int) -> Server[Any]:
    """Make the server.

    Args:
        abilities: how many tools, at least three.

    Returns:
        A server with its listing made beforehand and the look-up of schemas that
        spares it a listing for each call.
    """
    tools = _tools(abilities)
    listing = ListToolsResult(tools=tools)
    schemas = {tool.name: tool.input_schema for tool in tools}
    heartbeat = Heartbeat()

    async def list_tools(
        _ctx: Context, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return listing

    async def call_tool(_ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        value: dict[str, Any] = params.arguments or {}
        if params.name == "bench_stall":
            value = {"number": heartbeat.read()}
        elif params.name == "bench_tasks":
            value = {"number": len(asyncio.all_tasks())}
        text = TextContent(type="text", text=dumps(value).decode())
        return CallToolResult(content=[text], structured_content=value)

    return Server(
        "lowlevel",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=schemas.get,
    )


def _tools(abilities: int) -> list[Tool]:
    probes = [
        Tool(name="bench_echo", input_schema=ECHO_SCHEMA, output_schema=ECHO_SCHEMA),
        Tool(name="bench_stall", input_schema=NO_ARGUMENTS, output_schema=NUMBER),
        Tool(name="bench_tasks", input_schema=NO_ARGUMENTS, output_schema=NUMBER),
    ]
    return probes + [
        Tool(
            name=f"bench_filler-{number}",
            title=f"filler-{number}",
            description=filler_description(number),
            input_schema=filler_schema(number),
        )
        for number in filler_words(abilities)
    ]


async def _converse(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def main() -> None:
    """Serve over the transport that is asked for."""
    from benchmarks.peers.serving import parse, serve  # noqa: PLC0415 - as a peer would

    asked = parse()
    server = build(asked.abilities)
    if asked.port:
        serve(server.streamable_http_app(json_response=False), asked.port)
    else:
        anyio.run(_converse, server)


if __name__ == "__main__":
    main()
