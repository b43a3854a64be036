"""The database pack: rows of one SQLite database, read, changed and put back."""

from abilities_database.catalogue import CATEGORY, register_readers, register_writers
from abilities_database.database import find_database
from abilities_database.settings import check_version, read_settings
from abilities_host import Declaration, RegistryView, hookimpl


@hookimpl
def declare_pack() -> Declaration:
    """Claim the one namespace of the pack."""
    return Declaration(namespaces=("database",))


@hookimpl
def register_categories(registry: RegistryView) -> None:
    """Register the one category of the pack."""
    registry.register_category(
        CATEGORY,
        label="Database",
        description="Tables and rows of one SQLite database.",
    )


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    """Find the database, look at its tables, register what may be done.

    Nothing without a table of settings: most hosts have no such database.
    """
    if not registry.settings:
        return
    check_version()
    settings = read_settings(registry.settings)
    database = find_database(
        settings, registry.folder, registry.protects, registry.overlap
    )
    database.learn()
    register_readers(registry, database)
    if not settings.read_only:
        register_writers(registry, database)
