"""Sessions: which calls of HTTP clients belong together."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

from mcp import MCPError
from mcp_types import INVALID_PARAMS

from abilities_host.calls import Actor

IDLE_SECONDS: Final = 30 * 60.0
REMEMBERED: Final = 10_000
NAME_KEY: Final = "abilities/session"
NAME_LIMIT: Final = 128


class Sessions:
    """The sessions of one server's clients that have no session of the protocol.

    Args:
        server: the server's id.
        limit: how many are remembered; beyond that the one unused for longest ends.
        clock: seconds, growing.
    """

    def __init__(
        self,
        server: str,
        *,
        limit: int = REMEMBERED,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server: Final = server
        self._limit: Final = limit
        self._clock: Final = clock
        self._known: Final = OrderedDict[tuple[str, str], tuple[str, float]]()

    def __len__(self) -> int:
        return len(self._known)

    def of_client(self, actor: Actor, client: str) -> str:
        """Give the session of a client by its name.

        Args:
            actor: who calls.
            client: the client's name; two clients of one actor and name share one.

        Returns:
            An id made here; a new one after 30 minutes without a call.
        """
        key, now = (actor.id, client), self._clock()
        session, used = self._known.pop(key, ("", now))
        if not session or now - used >= IDLE_SECONDS:
            session = secrets.token_hex(8)
        self._known[key] = (session, now)
        if len(self._known) > self._limit:
            self._known.popitem(last=False)
        return session

    def named(self, actor: Actor, name: Any) -> str:
        """Give the session that a caller names itself.

        Args:
            actor: who calls; the same name of another actor is another session.
            name: any JSON value.

        Returns:
            An id made here, always the same for the same actor and name.

        Raises:
            MCPError: for what is no name.
        """
        if not isinstance(name, str) or not 0 < len(name) <= NAME_LIMIT:
            said = f"a text of 1 to {NAME_LIMIT} characters"
            raise MCPError(INVALID_PARAMS, f"_meta[{NAME_KEY!r}] must be {said}.")
        parts = ascii((self._server, actor.id, name))
        return sha256(parts.encode()).hexdigest()[:16]
