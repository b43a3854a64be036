"""Catalogue: the abilities of the pack, as they are registered."""

from typing import Any

from abilities_core import schemas
from abilities_core.facts import get_environment_info, get_site_info, get_user_info
from abilities_host import RegistryView


def register_site(registry: RegistryView) -> None:
    """Register what tells of the host.

    Args:
        registry: the pack's view of the registry.
    """
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


def register_user(registry: RegistryView) -> None:
    """Register what tells of the caller.

    Args:
        registry: the pack's view of the registry.
    """
    registry.register_ability(
        "core/get-user-info",
        label="Get user information",
        description="Tells who is calling, with which scopes, session and client.",
        category="user",
        output_schema=schemas.USER_OUTPUT,
        execute_callback=get_user_info,
        **_reads(is_shown=False),
    )


def register_environment(registry: RegistryView) -> None:
    """Register what tells of the software.

    Args:
        registry: the pack's view of the registry.
    """
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
