"""ServerSpec: what one exposed server is, and what it says of itself."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from abilities_host.config import HostConfig, ServerSettings
from abilities_host.errors import StartRefused, listed, nearest
from abilities_host.host import Host
from abilities_host.loading import DISTRIBUTION
from abilities_host.names import namespace_of

VERSION: Final = version(DISTRIBUTION)
"""Read at import: it looks through the disk, which a running loop must not."""

DESCRIPTION_LIMIT: Final = 200
DISPATCHER: Final = "dispatcher"
READER: Final = "dispatcher/read-tool"
COMPACT_ABILITIES: Final = (
    "dispatcher/list-tools",
    "dispatcher/get-tool-schema",
    "dispatcher/call-tool",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec:
    """One exposed server.

    Attributes:
        id: id of the server, known to the deny-list.
        title: what a client shows.
        version: of the host.
        description: at most 200 characters; it goes with every result.
        instructions: more for the model, after the host's own words.
        profile: its own, or ``auto`` to leave it to the request.
        is_compact: lists the tools of the dispatcher and nothing else.
        is_split: lists one more of them, which only reads.
    """

    id: str
    title: str
    version: str
    description: str = ""
    instructions: str = ""
    profile: str = "auto"
    is_compact: bool = False
    is_split: bool = False

    @classmethod
    def from_host(cls, host: Host, server: str = "") -> "ServerSpec":
        """Make a server that the configuration describes.

        Args:
            host: the running host.
            server: its id; empty for the first.

        Returns:
            It, as the configuration says now.

        Raises:
            StartRefused: when there is none of that id.
        """
        return cls.of(host.config, settings_of(host.config, server))

    @classmethod
    def of(cls, config: HostConfig, settings: ServerSettings) -> "ServerSpec":
        """Make a server from what the configuration says of it."""
        return cls(
            id=settings.id,
            title=settings.title or config.title,
            version=VERSION,
            description=compose_description(config),
            instructions=settings.instructions,
            profile=settings.profile,
            is_compact=settings.compact != "off",
            is_split=settings.compact == "split",
        )

    def exposes(self, name: str) -> bool:
        """Answer whether an ability is one of this server's tools, if it is active.

        Args:
            name: the ability's name.

        Returns:
            For a compact server only what leads to all others; else all but that.
        """
        if self.is_compact:
            return name in COMPACT_ABILITIES or (self.is_split and name == READER)
        return namespace_of(name) != DISPATCHER


SpecNow = Callable[[], ServerSpec]
"""Gives a server as the configuration says now."""


def following(host: Host, server: str = "") -> SpecNow:
    """Follow what the configuration says of a server.

    Args:
        host: the running host.
        server: its id; empty for the first.

    Returns:
        Gives the server as it is now; one that is there no more as it was last.

    Raises:
        StartRefused: when there is none of that id.
    """
    loaded, spec = host.loaded, ServerSpec.from_host(host, server)

    def now() -> ServerSpec:
        nonlocal loaded, spec
        if host.loaded is not loaded:
            loaded = host.loaded
            found = [each for each in host.config.all_servers if each.id == spec.id]
            spec = ServerSpec.of(host.config, found[0]) if found else spec
        return spec

    return now


def settings_of(config: HostConfig, server: str = "") -> ServerSettings:
    """Find what the configuration says of a server.

    Args:
        config: the configuration.
        server: its id; empty for the first.

    Returns:
        Its settings.

    Raises:
        StartRefused: when there is none of that id, with the nearest.
    """
    known = {each.id: each for each in config.all_servers}
    if not server:
        return config.server
    if server not in known:
        hint = nearest(server, known) or f" There are: {listed(known)}."
        raise StartRefused(f"There is no server {server!r}.{hint}")
    return known[server]


def compose_description(config: HostConfig) -> str:
    """Say in a line what the server is for.

    Args:
        config: the summary is taken. The site context is not: what goes with every
            result could not be silenced with the rest of it.

    Returns:
        At most 200 characters; empty when none was written.
    """
    return bounded(" ".join(config.summary.split()), DESCRIPTION_LIMIT)


def bounded(text: str, limit: int) -> str:
    """Cut a text that is too long, and show it.

    Args:
        text: any text.
        limit: characters at most, at least 1.

    Returns:
        The text, or its beginning and ``…``.
    """
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
