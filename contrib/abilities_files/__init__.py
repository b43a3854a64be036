"""The files pack: list, read, search, write, edit, move and delete under one root."""

from abilities_files.catalogue import CATEGORY, register_readers, register_writers
from abilities_files.settings import find_root, read_settings
from abilities_files.strays import sweep_strays
from abilities_host import Declaration, Module, RegistryView, hookimpl


@hookimpl
def declare_pack() -> Declaration:
    """Claim the one namespace of the pack."""
    return Declaration(namespaces=("files",))


@hookimpl
def modules() -> list[Module]:
    """Leave it to the operator whether whole trees are read for a word."""
    return [
        Module(
            "search",
            label="Search",
            description="Finds text in names and contents of all files.",
            default_active=True,
            abilities=("files/search",),
        )
    ]


@hookimpl
def register_categories(registry: RegistryView) -> None:
    """Register the one category of the pack."""
    registry.register_category(
        CATEGORY,
        label="Files",
        description="Files and folders under one root of the host.",
    )


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    """Find the root, clear up after writes that were cut off, register the rest."""
    settings = read_settings(registry.settings)
    root = find_root(settings, registry.folder, registry.protects)
    sweep_strays(root)
    register_readers(registry, root, settings)
    register_writers(registry, root, settings)
