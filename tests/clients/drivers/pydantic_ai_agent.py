"""An agent of Pydantic AI calls every tool with arguments made from its schema.

Its test model knows nothing of what a tool is for, so the host may well refuse. A
refusal with a code of the host is an answer; what the host did not foresee is none.
The model makes no values for lists of types, so it is told the first of each.
"""

import asyncio
import logging
import re
from dataclasses import replace
from importlib import import_module
from typing import Any

from clients.drivers.job import Job, Report, begin, shortly, tell

SECONDS = 60
CODED = re.compile(r"([a-z_]+): ")
UNFORESEEN = frozenset({"callback_failed", "invalid_output"})


class Watch:
    """Sees each call that the agent makes, and lets the agent go on.

    Attributes:
        refused: the host's words where it refused; empty when it did not.
        is_called: whether a call reached the host at all.
    """

    def __init__(self) -> None:
        self.refused = ""
        self.is_called = False

    async def __call__(self, _context: Any, call: Any, name: str, given: Any) -> Any:
        """Make the call."""
        failed = import_module("pydantic_ai").ToolFailed
        self.is_called, self.refused = True, ""
        try:
            return await call(name, given)
        except failed as error:
            self.refused = str(error.message)
            return self.refused

    def judge(self) -> str:
        """Say what was wrong with the answer, empty for nothing."""
        if not self.is_called:
            return "the agent did not call it"
        code = CODED.match(self.refused)
        if not self.refused or (code and code[1] not in UNFORESEEN):
            return ""
        return shortly(self.refused)


def toolset_of(job: Job, watch: Watch) -> Any:
    """Connect as agents do."""
    transports = import_module("fastmcp.client.transports")
    transport = transports.StreamableHttpTransport(job.url, headers=job.headers)
    client = import_module("fastmcp").Client(transport, mode=job.mode)
    make = import_module("pydantic_ai.mcp").MCPToolset
    return make(client, tool_error_behavior="failed", process_tool_call=watch)


def of_one_type(schema: Any) -> Any:
    """Give a schema with the first type of each list of types."""
    if isinstance(schema, list):
        return [of_one_type(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: of_one_type(each) for key, each in schema.items()}
    kinds = [kind for kind in schema.get("type", ()) if kind != "null"]
    is_list = isinstance(schema.get("type"), list)
    return {**made, "type": kinds[0]} if is_list and kinds else made


def model_for(tool: str) -> Any:
    """Make a model that calls one tool with arguments made from its schema."""
    model = import_module("pydantic_ai.models.test").TestModel(call_tools=[tool])
    make = model.gen_tool_args

    def make_simply(told: Any) -> Any:
        schema = of_one_type(told.parameters_json_schema)
        return make(replace(told, parameters_json_schema=schema))

    model.gen_tool_args = make_simply
    return model


async def run_agent(toolset: Any, tool: str) -> None:
    """Have an agent call one tool."""
    make = import_module("pydantic_ai").Agent
    agent = make(model_for(tool), toolsets=[toolset], retries=0)
    async with asyncio.timeout(SECONDS):
        await agent.run("go")


async def meet(job: Job, report: Report) -> None:
    """Call one tool after the other."""
    watch = Watch()
    async with toolset_of(job, watch) as toolset:
        report.revision = toolset.client.protocol_version
        for tool in [tool.name for tool in await toolset.client.list_tools()]:
            watch.is_called = False
            try:
                await run_agent(toolset, tool)
            except Exception as error:
                report.refuse(tool, error)
                continue
            if fault := watch.judge():
                report.refuse(tool, fault)
            else:
                report.take([tool])
                report.notes += [f"refused {tool}"] if watch.refused else []


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    the_job, the_report = begin("pydantic-ai-slim")
    asyncio.run(meet(the_job, the_report))
    tell(the_report)
