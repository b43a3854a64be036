"""Running: the calls of one server, which can be ended all at once with an answer."""

import asyncio
from collections.abc import Awaitable
from typing import Any, Final, cast

from abilities_host.server.answers import refusal

_STOPPED: Final = (
    "The host stopped while this ran. It is not known what was changed: read the facts "
    "before you try again."
)

Result = dict[str, Any]


class RunningCalls:
    """The calls that a server runs."""

    def __init__(self) -> None:
        self._running: Final[set[asyncio.Task[Any]]] = set()
        self._stopped: Final[set[asyncio.Task[Any]]] = set()

    async def run(self, call: Awaitable[Result | None]) -> Result | None:
        """Run one.

        Args:
            call: gives a finished result.

        Returns:
            The result; one that says so if the server ended the call.
        """
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._running.add(task)
        try:
            return await call
        except asyncio.CancelledError:
            if task not in self._stopped:
                raise
            return refusal("host_stopping", _STOPPED, "unknown")
        finally:
            self._running.discard(task)
            if task in self._stopped:
                self._stopped.discard(task)
                task.uncancel()

    def cancel(self) -> None:
        """End all; their clients are told."""
        # A cancel scope for each call would cost as much as the call itself.
        for task in tuple(self._running - self._stopped):
            self._stopped.add(task)
            task.cancel()
