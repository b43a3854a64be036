"""UnknownProfile: a server's profile that neither the host nor a pack has."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import NamedTuple

from abilities_host.config.settings import HostConfig
from abilities_host.errors import nearest
from abilities_host.schema.profiles import AUTO, Profile


class UnknownProfile(NamedTuple):
    """What a server is set to and cannot be.

    Attributes:
        sentence: which server, which name, and what happens.
        fix: what mends it.
    """

    sentence: str
    fix: str


def unknown_profiles(
    config: HostConfig, profiles: Mapping[str, Profile]
) -> list[UnknownProfile]:
    """Find the servers that are set to a profile that there is not.

    Args:
        config: the effective configuration.
        profiles: of the host, by name.

    Returns:
        One for each such server, in the order of the configuration.
    """
    return [
        _unknown(server.id, server.profile, profiles)
        for server in config.all_servers
        if server.profile not in (AUTO, *profiles)
    ]


def _unknown(server: str, name: str, profiles: Mapping[str, Profile]) -> UnknownProfile:
    sentence = (
        f"The profile of the server {server!r} is {name!r}, and there is none of this "
        f"name, so it is treated like {AUTO}.{nearest(name, profiles)}"
    )
    meant = (get_close_matches(name, profiles, n=1) or [AUTO])[0]
    fix = f'abilities config shows where it is said; write profile = "{meant}" there'
    return UnknownProfile(sentence, fix)
