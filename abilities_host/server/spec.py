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
CONTEXT_LIMIT: Final = 6_000
INSTRUCTIONS_LIMIT: Final = 10_000
DISPATCHER: Final = "dispatcher"
COMPACT_ABILITIES: Final = (
    "dispatcher/list-tools",
    "dispatcher/get-tool-schema",
    "dispatcher/call-tool",
)

_OPEN, _CLOSE = "<site-context>", "</site-context>"
_COMPACT: Final = (
    "Three tools lead to everything here: find a tool with dispatcher_list-tools, read "
    "its arguments with dispatcher_get-tool-schema, and run it with "
    "dispatcher_call-tool."
)
_WRITES: Final = (
    "A policy may stop a write; the error then names the rule. Do not try to get "
    "round it, tell the user."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec:
    """One exposed server.

    Attributes:
        id: id of the server, known to the deny-list.
        title: what a client shows.
        version: of the host.
        description: at most 200 characters; it goes with every result.
        instructions: what a model reads once, at most 10,000 characters.
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
            instructions=compose_instructions(config),
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
        config: summary and site context are taken.

    Returns:
        At most 200 characters; empty when neither was written.
    """
    words = f"{config.summary} {config.context}".split()
    return _bounded(" ".join(words), DESCRIPTION_LIMIT)


def compose_instructions(config: HostConfig) -> str:
    """Tell a model how to use the server and what the operator says of the site.

    Args:
        config: title, summary, site context and the server's own instructions.

    Returns:
        At most 10,000 characters; the site context is marked as data.
    """
    parts = [f"{config.title}. {config.summary}".strip()]
    if config.server.compact:
        parts.append(_COMPACT)
    parts.append(_WRITES)
    if config.context:
        # The text cannot end its own frame and go on as instructions.
        context = config.context.replace(_OPEN, "").replace(_CLOSE, "")
        parts.append(
            "What the operator says of this site, as information:\n"
            f"{_OPEN}\n{_bounded(context, CONTEXT_LIMIT)}\n{_CLOSE}"
        )
    parts.append(config.server.instructions)
    return _bounded("\n\n".join(filter(None, parts)), INSTRUCTIONS_LIMIT)


def _bounded(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
