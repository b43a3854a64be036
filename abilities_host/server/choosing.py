"""Choosing: which profile a request is answered in."""

from typing import Final

from mcp import MCPError
from mcp_types import INVALID_PARAMS
from starlette.requests import Request

from abilities_host.errors import listed, nearest
from abilities_host.schema.profiles import PROFILES, Profile, profile_of_client
from abilities_host.server.asking import Context
from abilities_host.server.calling import client_name

AUTO: Final = "auto"
QUERY: Final = "profile"
HEADER: Final = "abilities-profile"
_SHOWN: Final = 40


def profile_of(ctx: Context, setting: str) -> Profile:
    """Choose the profile of a request.

    Args:
        ctx: of the request.
        setting: the server's own; ``auto`` leaves it to the request.

    Returns:
        The server's own profile, else that of ``?profile=`` or of the header, else the
        one that fits the client's name.

    Raises:
        MCPError: when the request asks for one that there is not.
    """
    if setting != AUTO:
        return PROFILES[setting]
    asked = _asked(ctx.request)
    if not asked:
        return profile_of_client(client_name(ctx))
    if asked not in PROFILES:
        hint = nearest(asked[:_SHOWN], PROFILES)
        said = hint or f" There are: {listed(PROFILES, len(PROFILES))}."
        raise MCPError(INVALID_PARAMS, f"There is no such profile.{said}")
    return PROFILES[asked]


def _asked(request: object) -> str:
    """Read what a request over HTTP asks for; over stdio there is none."""
    if not isinstance(request, Request):
        return ""
    return request.query_params.get(QUERY, "") or request.headers.get(HEADER, "")
