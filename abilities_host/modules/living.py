"""Living: one module's start-up and tear-down, in the one task that does both."""

import asyncio
import inspect
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any, Final, Protocol

from abilities_host.errors import PackError
from abilities_host.hooks.implementation import ends_the_task
from abilities_host.hooks.steps import in_time, shown
from abilities_host.modules.news import News
from abilities_host.modules.unit import Unit
from abilities_host.site import Site
from abilities_host.threads import run_in_thread

log = logging.getLogger(__name__)

START: Final = 6
STOP: Final = 2
"""How many times as long as a question a start-up and a tear-down may take."""

_TEXT_LIMIT: Final = 500


class Around(Protocol):
    """What a module's task has to know of everything else."""

    @property
    def news(self) -> News:
        """Where it is told that something has changed."""
        ...

    @property
    def seconds(self) -> float:
        """How long a question to a pack may take."""
        ...

    def may_start(self, unit: Unit) -> bool:
        """Answer whether everything it requires is active and it is wanted."""
        ...

    def may_stop(self, unit: Unit) -> bool:
        """Answer whether it is not wanted and nobody needs it any more."""
        ...

    def site_of(self, unit: Unit) -> Site:
        """Make what it is given."""
        ...

    def changed(self) -> None:
        """Judge and tell anew: some module has become something else."""
        ...


async def live(unit: Unit, around: Around) -> None:
    """Start a module whenever it shall be active, and stop it when not.

    Args:
        unit: the module.
        around: everything else; it ends this task.
    """
    while True:
        await around.news.until(lambda: around.may_start(unit), None)
        try:
            await _run(unit, around)
        except BaseException as error:
            if ends_the_task(error):
                raise
            log.warning("module %s failed", unit.short, exc_info=True)
            if unit.is_wanted:
                unit.unavailable = _reason_of(error, unit, around)
        finally:
            unit.phase = "closed"
        around.changed()


async def obstacle_of(unit: Unit, around: Around) -> str:
    """Ask a module whether it can be started.

    Args:
        unit: the module.
        around: everything else.

    Returns:
        The reason why not, empty when it can.
    """
    if unit.module.is_available is None:
        return ""
    try:
        answer = await _ask(unit, around, "is_available", unit.module.is_available)
    except PackError as error:
        return error.reason
    if answer is True:
        return ""
    if isinstance(answer, str) and answer.strip():
        return answer[:_TEXT_LIMIT]
    return f"is_available returned {answer!r:.80}, not True or the reason why not"


async def _run(unit: Unit, around: Around) -> None:
    unit.phase = "opening"
    unit.unavailable = await obstacle_of(unit, around)
    if unit.unavailable:
        return
    clock = asyncio.get_running_loop().time
    async with (
        asyncio.timeout(START * around.seconds) as limit,
        AsyncExitStack() as stack,
    ):
        await _enter(unit, around, stack)
        limit.reschedule(None)
        unit.phase = "open"
        around.changed()
        try:
            await around.news.until(lambda: around.may_stop(unit), None)
        finally:
            unit.phase = "closing"
            if unit.is_wanted:  # it ended by itself: nobody is let in any more
                around.changed()
        limit.reschedule(clock() + STOP * around.seconds)


async def _enter(unit: Unit, around: Around, stack: AsyncExitStack) -> None:
    if unit.module.open is None:
        return
    site = around.site_of(unit)
    stack.callback(site.withdraw)
    opened = await _ask(unit, around, "open", unit.module.open, site)
    if not isinstance(opened, AbstractAsyncContextManager):
        reason = f"it returned {type(opened).__name__}, not an async context manager"
        raise PackError(unit.pack.identity, "open", reason)
    await stack.enter_async_context(opened)


async def _ask(
    unit: Unit,
    around: Around,
    what: str,
    function: Callable[[Site], Any],
    site: Site | None = None,
) -> Any:
    given = site or around.site_of(unit)
    stage = f"{what} of module {unit.module.slug!r}"
    call = lambda: _call(function, given)  # noqa: E731 - it is called in time
    return await in_time(unit.pack, stage, around.seconds, call)


async def _call(function: Callable[[Site], Any], site: Site) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(site)
    answer = await run_in_thread(lambda: function(site))
    return await answer if inspect.isawaitable(answer) else answer


def _reason_of(error: BaseException, unit: Unit, around: Around) -> str:
    if isinstance(error, PackError):
        return error.reason
    if isinstance(error, TimeoutError) and unit.phase == "opening":
        return f"it did not start within {START * around.seconds:g} s"
    word = "stopped by itself with" if unit.phase == "closing" else "raised"
    return f"it {word} {type(error).__name__}: {shown(error, str)}"
