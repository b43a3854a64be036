"""The memory pack: what agents shall know of a project, once a human approved it."""

from contextlib import AbstractAsyncContextManager

from abilities_host import (
    Declaration,
    Module,
    ProposedWrite,
    RegistryView,
    Site,
    Veto,
    hookimpl,
)
from abilities_memory.catalogue import register_memory
from abilities_memory.opening import open_memory, open_patterns
from abilities_memory.unenforced import stop_unenforced


@hookimpl
def declare_pack() -> Declaration:
    """Claim the one namespace of the pack."""
    return Declaration(namespaces=("memory",))


@hookimpl
def modules() -> list[Module]:
    """Leave it to the operator whether patterns are looked for."""
    return [
        Module(
            "patterns",
            label="Patterns",
            description="Proposes guidance for what goes wrong again and again.",
            default_active=True,
            open=open_patterns,
        )
    ]


@hookimpl
def register_categories(registry: RegistryView) -> None:
    """Register the one category of the pack."""
    registry.register_category(
        "memory",
        label="Memory",
        description="What people approved, what agents propose, and what was done.",
    )


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    """Register the three abilities."""
    register_memory(registry)


@hookimpl
async def before_write(write: ProposedWrite) -> Veto | None:
    """Stop what an approved rule covers when no healthy pack enforces rules."""
    return await stop_unenforced(write)


@hookimpl
def open_pack(site: Site) -> AbstractAsyncContextManager[None]:
    """Open the memory and offer it."""
    return open_memory(site)
