"""FastMCP's client lists the tools and calls one."""

import asyncio
from importlib import import_module
from typing import Any

from clients.drivers.job import Job, Report, begin, tell


def transport_of(job: Job) -> Any:
    """Make FastMCP's transport."""
    transports = import_module("fastmcp.client.transports")
    if job.transport == "http":
        return transports.StreamableHttpTransport(job.url, headers=job.headers)
    first, *rest = job.command
    return transports.StdioTransport(first, rest, env=job.environment)


async def meet(job: Job, report: Report) -> None:
    """Connect, list, call."""
    make = import_module("fastmcp").Client
    async with make(transport_of(job), mode=job.mode) as client:
        report.revision = client.protocol_version
        tools = [tool.name for tool in await client.list_tools()]
        if job.call in tools:
            await client.call_tool(job.call, {})
        report.take(tools)


if __name__ == "__main__":
    the_job, the_report = begin("fastmcp")
    asyncio.run(meet(the_job, the_report))
    tell(the_report)
