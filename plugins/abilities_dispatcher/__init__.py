"""The dispatcher pack: a few tools that lead to all the others."""

from abilities_dispatcher.catalogue import (
    CATEGORY,
    register_callers,
    register_finders,
)
from abilities_host import Declaration, RegistryView, hookimpl


@hookimpl
def declare_pack() -> Declaration:
    """Claim the one namespace of the pack."""
    return Declaration(namespaces=("dispatcher",))


@hookimpl
def register_categories(registry: RegistryView) -> None:
    """Register the one category of the pack."""
    registry.register_category(
        CATEGORY, label="Dispatcher", description="Tools that lead to other tools."
    )


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    """Register the tools."""
    register_finders(registry)
    register_callers(registry)
