"""Choosing: which profile a request is answered in."""

from collections.abc import Mapping
from typing import Final

from mcp import MCPError
from mcp_types import INVALID_PARAMS
from starlette.requests import Request

from abilities_host.errors import listed, nearest
from abilities_host.schema.profiles import AUTO, Profile, profile_of_client
from abilities_host.server.asking import Context
from abilities_host.server.calling import client_name, client_version

QUERY: Final = "profile"
HEADER: Final = "abilities-profile"
_SHOWN: Final = 40


def profile_of(ctx: Context, setting: str, profiles: Mapping[str, Profile]) -> Profile:
    """Choose the profile of a request.

    Args:
        ctx: of the request.
        setting: the server's own; ``auto`` leaves it to the request.
        profiles: of the host, by name.

    Returns:
        See `choose`.

    Raises:
        MCPError: when the request asks for one that there is not.
    """
    query, header = _asked(ctx.request)
    client = client_name(ctx), client_version(ctx)
    return choose(profiles, setting=setting, query=query, header=header, client=client)


def choose(
    profiles: Mapping[str, Profile],
    *,
    setting: str = AUTO,
    query: str = "",
    header: str = "",
    client: tuple[str, str] = ("", ""),
) -> Profile:
    """Choose a profile: the first that is said, else the one that fits the client.

    Args:
        profiles: of the host, by name.
        setting: the server's own; ``auto``, or one that there is not, says nothing.
        query: ``?profile=`` of the request, empty for none.
        header: likewise ``Abilities-Profile``.
        client: name and version from its handshake, empty where it does not say.

    Returns:
        The server's own, that of the query or else of the header, or the client's.

    Raises:
        MCPError: when the request asks for one that there is not.
    """
    if setting in profiles:
        return profiles[setting]
    asked = query or header
    if not asked:
        return profile_of_client(*client, profiles)
    if asked not in profiles:
        hint = nearest(asked[:_SHOWN], profiles)
        said = hint or f" There are: {listed(profiles, len(profiles))}."
        raise MCPError(INVALID_PARAMS, f"There is no such profile.{said}")
    return profiles[asked]


def _asked(request: object) -> tuple[str, str]:
    """Read what a request over HTTP asks for; over stdio there is none."""
    if not isinstance(request, Request):
        return "", ""
    return request.query_params.get(QUERY, ""), request.headers.get(HEADER, "")
