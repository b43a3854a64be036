"""Lane: where the plain functions of a pack run, one at a time, in threads."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any, Final

from abilities_host.threads import run_in_thread


class StillRunning(RuntimeError):
    """Raised when an earlier call of a plain function has not returned."""

    def __init__(self) -> None:
        super().__init__("an earlier call of this function has not returned yet")


class Lane:
    """Runs functions that may block; never two, whatever becomes of one.

    A thread that was given up makes every later call fail at once until it returns.
    """

    def __init__(self) -> None:
        self._turn: Final = asyncio.Lock()
        self._given_up: asyncio.Future[Any] | None = None

    async def run(self, function: Callable[[], Any]) -> Any:
        """Run a function in a thread, and await what it gives if that is to be awaited.

        Args:
            function: what to run.

        Returns:
            Its answer.

        Raises:
            StillRunning: when an earlier one hangs.
            BaseException: whatever it raises.
        """
        async with self._turn:
            answer = await self._in_thread(function)
        return await answer if inspect.isawaitable(answer) else answer

    async def _in_thread(self, function: Callable[[], Any]) -> Any:
        if self._given_up is not None and not self._given_up.done():
            raise StillRunning
        future = run_in_thread(function)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            self._given_up = future
            future.add_done_callback(_forget)
            raise


def _forget(future: "asyncio.Future[Any]") -> None:
    """Read the answer of a thread nobody waits for, so that nothing is reported."""
    if not future.cancelled():
        future.exception()
