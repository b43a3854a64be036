"""Lookup: descriptions and input schemas of tools that the caller names."""

from collections.abc import Mapping
from typing import Any

from abilities_dispatcher.tools import Tools, shown_schema
from abilities_host import Call


async def get_tool_schema(arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """Give what a caller must know to call each tool.

    Args:
        arguments: `names`, 1 to 50 ability names or tool names.
        call: the running call.

    Returns:
        `tools`, each under the name it was asked by; `unavailable`, the names that
        are off, unknown or not visible, which look the same.
    """
    known = Tools(await call.list_abilities())
    tools: dict[str, Any] = {}
    unavailable: list[str] = []
    for name in dict.fromkeys(arguments["names"]):
        ability = known.find(name)
        if ability is None:
            unavailable.append(name)
            continue
        tools[name] = {
            "description": ability.description,
            "inputSchema": shown_schema(ability),
        }
    return {"tools": tools, "unavailable": unavailable}
