"""A pack with a client family of its own; also written into a folder as a file."""

from collections.abc import Mapping
from typing import Any

from abilities_host import Client, Profile, RegistryView, hookimpl

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"$top": {"type": "string"}},
    "additionalProperties": False,
}


@hookimpl
def client_profiles() -> list[Profile]:
    """Describe clients whose later versions take less."""
    return [
        Profile(
            name="acme-2",
            clients="Acme Desktop 2",
            names=(Client("acme", ">=2"),),
            property_key="^[a-zA-Z0-9_.-]{1,64}$",
            tool_name_limit=30,
            adds_server_name=True,
        )
    ]


@hookimpl
def register_categories(registry: RegistryView) -> None:
    """Register the one category."""
    registry.register_category("family", label="Family", description="For tests.")


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    """Register an ability whose names the family does not take."""
    registry.register_ability(
        "family/put-something-on-a-shelf",
        label="Put",
        description="Gives back what it was given.",
        category="family",
        input_schema=SCHEMA,
        output_schema={"type": "object", "additionalProperties": True},
        execute_callback=_put,
        permission_callback=lambda: True,
        meta={"annotations": {"readonly": True}},
    )


def _put(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return dict(arguments)
