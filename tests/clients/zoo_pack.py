"""A pack whose abilities take and give what the zoo of awkward schemas describes."""

import re
from functools import partial
from typing import Any, Final

from schema.zoo import ZOO

from abilities_host import RegistryView, hookimpl

NAMESPACE: Final = "zoo"
PREFIX: Final = f"{NAMESPACE}_"
"""With this the tools of the zoo begin, in every profile."""


def ability_name(title: str) -> str:
    """Give the name of an animal as an ability."""
    return f"{NAMESPACE}/{re.sub('[^a-z0-9]+', '-', title.lower()).strip('-')}"


def give(value: Any, _arguments: Any = None) -> Any:
    """Give a value that the animal accepts, whatever came."""
    return value


@hookimpl
def register_categories(registry: RegistryView) -> None:
    """Register the one category."""
    registry.register_category(NAMESPACE, label="Zoo", description="Awkward schemas.")


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    """Register one ability for each animal."""
    for title, animal in ZOO.items():
        registry.register_ability(
            ability_name(title),
            label=title,
            description=f"Takes and gives {title}.",
            category=NAMESPACE,
            input_schema=animal.schema,
            output_schema=animal.schema,
            execute_callback=partial(give, animal.values[0]),
            permission_callback=lambda: True,
            meta={"annotations": {"readonly": True}},
        )
