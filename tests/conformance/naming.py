"""The names of the suite, which have underscores, and those of the host."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult

from abilities_host.server.asking import Context
from abilities_host.server.builder import HostServer

NAMED: Final = ("tools/call", "prompts/get")
LISTS: Final = ("tools", "prompts")


def as_host(name: str) -> str:
    """Give the host's name: only its first underscore parts two words."""
    head, found, tail = name.partition("_")
    return f"{head}{found}{tail.replace('_', '-')}"


def as_suite(name: str) -> str:
    """Give the suite's name."""
    return name.replace("-", "_")


def rename(server: HostServer) -> None:
    """Have a server speak of its tools and prompts by the suite's names."""
    find = server.get_tool_input_schema
    if find is not None:
        server.get_tool_input_schema = lambda tool: find(as_host(tool))
    server.middleware.insert(0, _rename)


async def _rename(ctx: Context, call_next: CallNext) -> HandlerResult:
    params = dict(ctx.params or {})
    if ctx.method in NAMED and isinstance(params.get("name"), str):
        params["name"] = as_host(params["name"])
    if isinstance(params.get("ref"), Mapping) and "name" in params["ref"]:
        params["ref"] = {**params["ref"], "name": as_host(params["ref"]["name"])}
    asked = ctx if ctx.params is None else replace(ctx, params=params)
    result = await call_next(asked)
    if not isinstance(result, dict):
        return result
    return {
        key: [_renamed(item) for item in value] if key in LISTS else value
        for key, value in result.items()
    }


def _renamed(item: Mapping[str, Any]) -> dict[str, Any]:
    return {**item, "name": as_suite(item["name"])}
