"""The core pack: what the host is, who calls it, and what it runs on."""

from typing import Any

from abilities_core import schemas
from abilities_core.facts import (
    get_environment_info,
    get_site_info,
    get_user_info,
)
from abilities_host import Declaration, RegistryView, hookimpl


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
    registry.register_ability(
        "core/get-site-info",
        label="Get site information",
        description=(
            "Tells what this host is for, whether writes are recorded, and what is "
            "switched off. Name fields to get only those."
        ),
        category="site",
        input_schema=schemas.SITE_INPUT,
        output_schema=schemas.SITE_OUTPUT,
        execute_callback=get_site_info,
        **_reads(is_shown=True),
    )
    registry.register_ability(
        "core/get-user-info",
        label="Get user information",
        description="Tells who is calling, with which scopes, session and client.",
        category="user",
        output_schema=schemas.USER_OUTPUT,
        execute_callback=get_user_info,
        **_reads(is_shown=False),
    )
    registry.register_ability(
        "core/get-environment-info",
        label="Get environment information",
        description="Tells the versions of the host, of Python and of each pack.",
        category="site",
        output_schema=schemas.ENVIRONMENT_OUTPUT,
        execute_callback=get_environment_info,
        **_reads(is_shown=True),
    )


def allow() -> bool:
    """Allow everybody who has the scope; the scope is checked first."""
    return True


def _reads(*, is_shown: bool) -> dict[str, Any]:
    notes = {"readonly": True, "destructive": False, "idempotent": True}
    return {
        "permission_callback": allow,
        "requires": "read",
        "meta": {"annotations": notes, "show_in_rest": is_shown},
    }
