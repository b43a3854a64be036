"""The core pack: what the host is, who calls it, and what it runs on."""

from collections.abc import Sequence

from abilities_core.catalogue import register_environment, register_site, register_user
from abilities_core.families import WINDSURF
from abilities_host import Declaration, Profile, RegistryView, hookimpl


@hookimpl
def declare_pack() -> Declaration:
    """Claim the one namespace of the pack."""
    return Declaration(namespaces=("core",))


@hookimpl
def register_categories(registry: RegistryView) -> None:
    """Register the two categories of the pack."""
    registry.register_category(
        "site", label="Site", description="What this host is and what it runs on."
    )
    registry.register_category(
        "user", label="User", description="Who calls, and what they may do."
    )


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    """Register three abilities that read facts and change nothing."""
    register_site(registry)
    register_user(registry)
    register_environment(registry)


@hookimpl
def client_profiles() -> Sequence[Profile]:
    """Describe a client family that the host does not know by itself."""
    return [WINDSURF]
