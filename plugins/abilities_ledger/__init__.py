"""The ledger pack: writes recorded before they run, proven after, undone on request."""

from contextlib import AbstractAsyncContextManager

from abilities_host import Declaration, RegistryView, Site, hookimpl
from abilities_ledger.catalogue import register_reading
from abilities_ledger.opening import open_ledger
from abilities_ledger.undo_abilities import register_undoing


@hookimpl
def declare_pack() -> Declaration:
    """Claim the one namespace of the pack."""
    return Declaration(namespaces=("ledger",))


@hookimpl
def register_categories(registry: RegistryView) -> None:
    """Register the one category of the pack."""
    registry.register_category(
        "ledger",
        label="Ledger",
        description="What really changed, by whom, and how to put it back.",
    )


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    """Register what reads the record, and what undoes what it holds."""
    register_reading(registry)
    register_undoing(registry)


@hookimpl
def open_pack(site: Site) -> AbstractAsyncContextManager[None]:
    """Open the record, settle what dead hosts left, and offer the services."""
    return open_ledger(site)
