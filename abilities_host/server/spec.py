"""ServerSpec: what one exposed server is, and what it says of itself."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from abilities_host.config import HostConfig
from abilities_host.host import Host
from abilities_host.loading import DISTRIBUTION
from abilities_host.names import namespace_of

VERSION: Final = version(DISTRIBUTION)
"""Read at import: it looks through the disk, which a running loop must not."""

DESCRIPTION_LIMIT: Final = 200
DISPATCHER: Final = "dispatcher"
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
        is_compact: lists the three tools of the dispatcher and nothing else.
    """

    id: str
    title: str
    version: str
    description: str = ""
    instructions: str = ""
    is_compact: bool = False

    @classmethod
    def from_host(cls, host: Host) -> "ServerSpec":
        """Make the server that the configuration describes.

        Args:
            host: the running host.

        Returns:
            Its one server.
        """
        config = host.config
        return cls(
            id=config.server.id,
            title=config.server.title or config.title,
            version=VERSION,
            description=compose_description(config),
            instructions=config.server.instructions,
            is_compact=config.server.compact,
        )

    def exposes(self, name: str) -> bool:
        """Answer whether an ability is one of this server's tools, if it is active.

        Args:
            name: the ability's name.

        Returns:
            For a compact server only what leads to all others; else all but that.
        """
        if self.is_compact:
            return name in COMPACT_ABILITIES
        return namespace_of(name) != DISPATCHER


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
