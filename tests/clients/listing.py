"""Listing: what a host shows, by the client of the protocol's own SDK."""

import asyncio

import httpx2
from clients.catalogue import EVERY
from clients.row import Shown
from clients.world import PATIENCE, Place
from clients.zoo_pack import PREFIX
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from abilities_host.schema.profiles import GENERIC


def show_each(place: Place) -> dict[str, Shown]:
    """List the tools in every profile.

    Args:
        place: where the host is.

    Returns:
        Profile to what is shown; of our packs that is always what all clients should
        get, also where a profile would leave something out.
    """
    listed = asyncio.run(_list_each(place))
    own = frozenset(name for name in listed[GENERIC.name] if not is_zoo(name))
    return {
        profile: Shown(own, frozenset(filter(is_zoo, names)))
        for profile, names in listed.items()
    }


def is_zoo(tool: str) -> bool:
    """Say whether a tool is one of the zoo."""
    return tool.startswith(PREFIX)


async def _list_each(place: Place) -> dict[str, list[str]]:
    return {profile: await _list(place, profile) for profile in EVERY}


async def _list(place: Place, profile: str) -> list[str]:
    headers = {"Authorization": f"Bearer {place.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
        url = f"{place.url}?profile={profile}"
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport) as client:
            return [tool.name for tool in (await client.list_tools()).tools]
