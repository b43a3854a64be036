"""Implementation: one pack's hook function, called the same whether plain or async."""

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

from pluggy import HookImpl

from abilities_host.hooks.lane import Lane


def ends_the_task(error: BaseException) -> bool:
    """Tell the end of this task from an error of the pack it runs.

    Args:
        error: what came out of a pack's code.

    Returns:
        True for the caller's cancellation, a deadline's, and the interpreter's end.
    """
    if isinstance(error, KeyboardInterrupt | GeneratorExit):
        return True
    task = asyncio.current_task()
    is_cancelled = task is not None and task.cancelling() > 0
    return isinstance(error, asyncio.CancelledError) and is_cancelled


class Implementation:
    """A hook function of one pack.

    A plain ``def`` may block, so it runs in a thread; one at a time for each pack, and
    a thread that was given up makes every later call fail at once until it returns.

    Args:
        pack: identity of the pack.
        implementation: pluggy's record.
        trace: told the pack and the answer or error of each call.
    """

    def __init__(
        self,
        pack: str,
        implementation: HookImpl,
        trace: Callable[[str, object], None],
    ) -> None:
        self.pack: Final = pack
        self._trace: Final = trace
        self._function: Callable[..., Any] = implementation.function
        self._names: Final = implementation.argnames
        self._is_async: Final = inspect.iscoroutinefunction(self._function)
        self._lane: Final = Lane()

    async def __call__(self, arguments: Mapping[str, Any]) -> Any:
        """Call the function with the arguments it takes.

        Args:
            arguments: of the hook, by name.

        Returns:
            Its answer.

        Raises:
            StillRunning: when an earlier call hangs.
            BaseException: whatever the function raises.
        """
        given = [arguments[name] for name in self._names]
        try:
            answer = await self._run(given)
        except BaseException as error:
            self._trace(self.pack, error)
            raise
        self._trace(self.pack, answer)
        return answer

    async def _run(self, given: list[Any]) -> Any:
        if self._is_async:
            return await self._function(*given)
        return await self._lane.run(lambda: self._function(*given))
