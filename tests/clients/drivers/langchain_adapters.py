"""LangChain's adapters load the tools, in the earlier era only, and call one."""

import asyncio
from importlib import import_module
from typing import Any

from clients.drivers.job import Job, Report, begin, tell


def connection_of(job: Job) -> dict[str, Any]:
    """Say how to connect."""
    if job.transport == "http":
        return {"transport": "http", "url": job.url, "headers": job.headers}
    first, *rest = job.command
    environment = job.environment
    return {"transport": "stdio", "command": first, "args": rest, "env": environment}


async def meet(job: Job, report: Report) -> None:
    """Connect, load, and write each tool as a model is told of it; call one."""
    make = import_module("langchain_mcp_adapters.client").MultiServerMCPClient
    load = import_module("langchain_mcp_adapters.tools").load_mcp_tools
    convert = import_module("langchain_core.utils.function_calling")
    client = make({"host": connection_of(job)})
    async with client.session("host", auto_initialize=False) as session:
        report.revision = (await session.initialize()).protocolVersion
        for tool in await load(session):
            try:
                convert.convert_to_openai_tool(tool)
                if tool.name == job.call:
                    await tool.ainvoke({})
                report.take([tool.name])
            except Exception as error:
                report.refuse(tool.name, error)


if __name__ == "__main__":
    the_job, the_report = begin("langchain-mcp-adapters")
    asyncio.run(meet(the_job, the_report))
    tell(the_report)
