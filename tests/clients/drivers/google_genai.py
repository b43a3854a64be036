"""Google's SDK writes each tool as the declaration that it would send to Gemini."""

import asyncio
from importlib import import_module
from typing import Any

from clients.drivers.job import Job, Report, begin, tell

SECONDS = 60


async def list_tools(job: Job, report: Report) -> list[Any]:
    """List with the protocol's own SDK, as programs do that use Google's."""
    client_of = import_module("mcp").Client
    over_http = import_module("mcp.client.streamable_http").streamable_http_client
    http_of = import_module("httpx2").AsyncClient
    async with (
        http_of(headers=job.headers, timeout=SECONDS) as http,
        client_of(over_http(job.url, http_client=http), mode=job.mode) as client,
    ):
        report.revision = client.protocol_version
        return list((await client.list_tools()).tools)


def declare(tool: Any) -> None:
    """Convert a tool, and see that no argument is lost on the way."""
    convert = import_module("google.genai._mcp_utils").mcp_to_gemini_tool
    made = convert(tool).function_declarations[0]
    sent = made.model_dump(exclude_none=True, mode="json")["parameters"]
    names, kept = tool.input_schema.get("properties", {}), sent.get("properties", {})
    if lost := names.keys() - kept.keys():
        msg = f"it loses the arguments {', '.join(sorted(lost))}"
        raise ValueError(msg)
    if set(tool.input_schema.get("required", ())) != set(sent.get("required", ())):
        msg = "it loses which arguments are required"
        raise ValueError(msg)


async def meet(job: Job, report: Report) -> None:
    """List, convert each."""
    for tool in await list_tools(job, report):
        try:
            declare(tool)
            report.take([tool.name])
        except Exception as error:
            report.refuse(tool.name, error)


if __name__ == "__main__":
    the_job, the_report = begin("google-genai")
    asyncio.run(meet(the_job, the_report))
    tell(the_report)
