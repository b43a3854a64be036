"""Facts: what the host says of itself, cut to what each ability promises."""

from collections.abc import Mapping
from typing import Any

from abilities_host import Call


async def get_site_info(arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """Tell what this host is.

    Args:
        arguments: `fields`, the names wanted; none for all.
        call: the running call.

    Returns:
        Field to fact.
    """
    site = call.describe_host()["site"]
    return {name: site[name] for name in arguments["fields"] or site}


async def get_user_info(call: Call) -> dict[str, Any]:
    """Tell who calls.

    Args:
        call: the running call.

    Returns:
        The actor's id, kind and scopes, its session and its client.
    """
    user = call.describe_host()["user"]
    return {**user, "session": call.session, "client": call.client}


async def get_environment_info(call: Call) -> dict[str, Any]:
    """Tell what the host runs on.

    Args:
        call: the running call.

    Returns:
        Versions, and each pack with its state.
    """
    return dict(call.describe_host()["environment"])
