"""Running: the calls of one server, which can be ended all at once with an answer."""

from collections.abc import Awaitable
from typing import Any, Final

import anyio

from abilities_host.server.answers import refusal

_STOPPED: Final = (
    "The host stopped while this ran. It is not known what was changed: read the facts "
    "before you try again."
)

Result = dict[str, Any]


class RunningCalls:
    """The calls that a server runs."""

    def __init__(self) -> None:
        self._scopes: Final[set[anyio.CancelScope]] = set()

    async def run(self, call: Awaitable[Result | None]) -> Result | None:
        """Run one.

        Args:
            call: gives a finished result.

        Returns:
            The result; one that says so if the server ended the call.
        """
        with anyio.CancelScope() as scope:
            self._scopes.add(scope)
            try:
                return await call
            finally:
                self._scopes.discard(scope)
        return refusal("host_stopping", _STOPPED)

    def cancel(self) -> None:
        """End all; their clients are told."""
        for scope in tuple(self._scopes):
            scope.cancel()
