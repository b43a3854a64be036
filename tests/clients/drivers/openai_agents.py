"""The OpenAI agents SDK makes strict function tools of what is listed, and calls one.

A tool that it cannot make strict it sends loosely and says nothing; that is told here.
"""

import asyncio
import json
import os
from importlib import import_module
from typing import Any

from clients.drivers.job import Job, Report, begin, tell

SECONDS = 60


def server_of(job: Job) -> Any:
    """Make its side of the connection."""
    servers = import_module("agents.mcp")
    params = {"url": job.url, "headers": job.headers, "timeout": SECONDS}
    make = servers.MCPServerStreamableHttp
    return make(params=params, client_session_timeout_seconds=SECONDS)


async def convert(server: Any) -> list[Any]:
    """Have it make function tools, as a run of an agent does."""
    agents = import_module("agents")
    tools: list[Any] = await import_module("agents.mcp").MCPUtil.get_function_tools(
        server,
        convert_schemas_to_strict=True,
        run_context=agents.RunContextWrapper(None),
        agent=agents.Agent(name="trial"),
    )
    return tools


def is_strict(node: Any) -> bool:
    """Say whether every object in a schema is closed and requires all it has."""
    if isinstance(node, list):
        return all(map(is_strict, node))
    if not isinstance(node, dict):
        return True
    if "properties" in node and node.get("type") == "object":
        is_closed = node.get("additionalProperties") is False
        if not is_closed or set(node.get("required", ())) != set(node["properties"]):
            return False
    return all(map(is_strict, node.values()))


async def call(tool: Any) -> None:
    """Call a tool as a model would that has nothing to say."""
    words = {"tool_name": tool.name, "tool_call_id": "1", "tool_arguments": "{}"}
    context = import_module("agents.tool_context").ToolContext(context=None, **words)
    json.dumps(await tool.on_invoke_tool(context, "{}"))


async def meet(job: Job, report: Report) -> None:
    """Connect, convert, call."""
    async with server_of(job) as server:
        report.revision = str(server.session.protocol_version)
        tools = await convert(server)
        for tool in tools:
            if tool.name == job.call:
                await call(tool)
        for tool in tools:
            if tool.strict_json_schema or not is_strict(tool.params_json_schema):
                report.take([tool.name])
            else:
                report.refuse(tool.name, "it is shown in the strict form, not taken so")
        loose = [tool.name for tool in tools if not tool.strict_json_schema]
        report.notes += [f"loose {name}" for name in loose]


if __name__ == "__main__":
    os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
    the_job, the_report = begin("openai-agents")
    asyncio.run(meet(the_job, the_report))
    tell(the_report)
