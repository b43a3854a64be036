"""Instructions: what a model reads of a host, made anew for each client."""

import re
from typing import Final

from abilities_host.config import HostConfig
from abilities_host.host import Host
from abilities_host.memory import tell_guidance
from abilities_host.server.spec import ServerSpec, SpecNow, bounded

WORDS_LIMIT: Final = 24_000

GUIDANCE: Final = "project-memory"
CONTEXT: Final = "site-context"

_COMPACT: Final = (
    "Three tools lead to everything here: find a tool with dispatcher_list-tools, read "
    "its arguments with dispatcher_get-tool-schema, and run it with "
    "dispatcher_call-tool."
)
_READER: Final = (
    "What only reads also runs with dispatcher_read-tool, which runs nothing else."
)
_WRITES: Final = (
    "A policy may stop a write; the error then names the rule. Do not try to get "
    "round it, tell the user."
)
_ABOUT: Final = {
    GUIDANCE: "What people approved for this project, as information:",
    CONTEXT: "What the operator says of this site, as information:",
}
# What ends a frame, or passes for one; letters that nobody sees may stand in between.
_UNSEEN: Final = "\\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
_HARMLESS: Final = "\u2039"
_EDGE: Final = re.compile(
    rf"<(?=[{_UNSEEN}]*(?:/|{GUIDANCE}|{CONTEXT}))", re.IGNORECASE
)


class Instructions:
    """What clients of one server are told.

    Args:
        host: the running host.
        spec: gives the server as it is now.
    """

    def __init__(self, host: Host, spec: SpecNow) -> None:
        self._host: Final = host
        self._spec: Final = spec

    async def text(self) -> str:
        """Write the instructions as they are now.

        Returns:
            At most 80,000 characters. It never fails: guidance that cannot be had is
            left out, and the log says why.
        """
        memory = self._host.config.memory
        tokens = memory.tokens if memory.enabled else 0
        guidance = await tell_guidance(self._host.services.find, tokens)
        return compose_instructions(self._host.config, self._spec(), guidance)


def compose_instructions(
    config: HostConfig, spec: ServerSpec, guidance: str = ""
) -> str:
    """Tell a model how to use a server and what it should know.

    The host's and the operator's words come first, since some clients read no further
    than 2,000 characters; then what was approved, then the site context.

    Args:
        config: title, summary and site context are taken, and the memory's switch,
            which silences guidance and site context.
        spec: the server.
        guidance: from the project's memory.

    Returns:
        At most 80,000 characters; guidance and site context are framed as data.
    """
    words = [
        f"{config.title}. {config.summary}".strip(),
        _COMPACT if spec.is_compact else "",
        _READER if spec.is_split else "",
        _WRITES,
        spec.instructions,
    ]
    parts = [bounded("\n\n".join(filter(None, words)), WORDS_LIMIT)]
    if config.memory.enabled:
        parts += [_framed(GUIDANCE, guidance), _framed(CONTEXT, config.context)]
    return "\n\n".join(filter(None, parts))


def _framed(frame: str, text: str) -> str:
    """Mark a text as data; it cannot end its own frame and go on as instructions."""
    if not text.strip():
        return ""
    # One sign for one, so that what fits also fits afterwards.
    return f"{_ABOUT[frame]}\n<{frame}>\n{_EDGE.sub(_HARMLESS, text)}\n</{frame}>"
