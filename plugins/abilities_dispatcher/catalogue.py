"""Catalogue: the tools as a client lists them, in as few bytes as they take."""

from typing import Any, Final

from abilities_dispatcher.calling import call_tool
from abilities_dispatcher.listing import list_tools
from abilities_dispatcher.lookup import get_tool_schema
from abilities_host import RegistryView

CATEGORY: Final = "dispatcher"

# The target's own limit ends a call; this one must only never come before it.
_ROUTE_SECONDS: Final = 24 * 3600.0

_LIST_INPUT: Final = {
    "type": "object",
    "properties": {
        "search": {"type": "string", "maxLength": 200},
        "category": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50},
        "after": {"type": "string"},
    },
}
_SCHEMA_INPUT: Final = {
    "type": "object",
    "properties": {
        "names": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "maxItems": 50,
        }
    },
    "required": ["names"],
}
# Clients send the object as text, and null or [] for none: they are understood.
_CALL_INPUT: Final = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "arguments": {"type": ["object", "string", "array", "null"], "maxItems": 0},
    },
    "required": ["name"],
}


def register_finders(registry: RegistryView) -> None:
    """Register what finds and describes tools.

    Args:
        registry: the pack's view of the registry.
    """
    registry.register_ability(
        "dispatcher/list-tools",
        label="List tools",
        description="Finds tools, best first. Go on with after = next.",
        input_schema=_LIST_INPUT,
        execute_callback=list_tools,
        **_route(readonly=True, destructive=False, idempotent=True),
    )
    registry.register_ability(
        "dispatcher/get-tool-schema",
        label="Get tool schemas",
        description="Gives each tool's description and inputSchema.",
        input_schema=_SCHEMA_INPUT,
        execute_callback=get_tool_schema,
        **_route(readonly=True, destructive=False, idempotent=True),
    )


def register_callers(registry: RegistryView) -> None:
    """Register what runs a tool: any, or only one that reads.

    Args:
        registry: the pack's view of the registry.
    """
    registry.register_ability(
        "dispatcher/read-tool",
        label="Call reading tool",
        description="Runs a tool that only reads, as dispatcher_call-tool does.",
        input_schema=_CALL_INPUT,
        execute_callback=call_tool,
        time_limit=_ROUTE_SECONDS,
        **_route(readonly=True, destructive=False),
    )
    registry.register_ability(
        "dispatcher/call-tool",
        label="Call tool",
        description="Runs a tool; arguments is an object that fits its inputSchema.",
        input_schema=_CALL_INPUT,
        execute_callback=call_tool,
        time_limit=_ROUTE_SECONDS,
        **_route(readonly=False),
    )


def allow() -> bool:
    """Allow everybody who may read; what a tool needs, its own gate asks."""
    return True


def _route(**annotations: bool) -> dict[str, Any]:
    return {
        "category": CATEGORY,
        "permission_callback": allow,
        "requires": "read",
        "meta": {"annotations": annotations},
        "is_route": True,
    }
