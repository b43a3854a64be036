"""A pack in a file: what leads to other abilities, and is never itself in question."""

from collections.abc import Mapping
from typing import Any

from abilities_host import Call, RegistryView, hookimpl


async def lead(arguments: Mapping[str, Any], call: Call) -> Any:
    outcome = await call.execute(arguments["name"], arguments.get("arguments"))
    error = outcome.error
    if error is None:
        return outcome.result
    told = {"code": error.code, "message": error.message, "details": error.details}
    return {**told, "status": outcome.status, "retryable": outcome.retryable}


@hookimpl
def register_categories(registry: RegistryView) -> None:
    registry.register_category("open", label="Open", description="Leads elsewhere.")


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    for word, is_read in (("way", True), ("way-to-write", False)):
        registry.register_ability(
            f"open/{word}",
            label="Lead",
            description="Leads elsewhere.",
            category="open",
            input_schema={"type": "object", "additionalProperties": True},
            execute_callback=lead,
            permission_callback=lambda: True,
            meta={"annotations": {"readonly": is_read, "destructive": False}},
        )
