"""Deadline: run a coroutine to an end that is known beforehand."""

import asyncio
from collections.abc import Coroutine, Generator
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

GRACE_SECONDS = 0.2


async def until(deadline: float, coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that must have answered by a point in loop time.

    One that never suspends costs no timer; see `start`. The coroutine stays in this
    task: context variables and cancel scopes work.

    Args:
        deadline: loop time in seconds.
        coroutine: what to run.

    Returns:
        Its answer.

    Raises:
        TimeoutError: when the answer did not come in time, or came after the
            coroutine had swallowed its cancellation. One that goes on swallowing is
            dropped 0.2 s later.
    """
    is_over, answer = start(coroutine)
    return answer if is_over else await finish(deadline, coroutine, answer)


def start(coroutine: Coroutine[Any, Any, Any]) -> tuple[bool, Any]:
    """Step a coroutine once, before any timer is armed.

    Args:
        coroutine: what to run.

    Returns:
        True and its answer; or False and what `finish` needs to go on.
    """
    try:
        return False, coroutine.send(None)
    except StopIteration as done:
        return True, done.value


async def finish(
    deadline: float, coroutine: Coroutine[Any, Any, T], waiting_on: Any
) -> T:
    """Run the rest of a coroutine that `start` has begun; see `until`.

    Args:
        deadline: loop time in seconds.
        coroutine: what was begun.
        waiting_on: what `start` gave.

    Returns:
        Its answer.

    Raises:
        TimeoutError: as `until`.
    """
    time = asyncio.get_running_loop().time
    last = deadline + GRACE_SECONDS
    async with asyncio.timeout_at(last), asyncio.timeout_at(deadline) as limit:
        answer: T = await _Rest(coroutine, waiting_on, lambda: time() >= last)
    if limit.expired():
        raise TimeoutError
    return answer


class _Rest:
    """What is left of a coroutine that has been stepped once."""

    __slots__ = ("_coroutine", "_is_over", "_waiting_on")

    def __init__(
        self, coroutine: Coroutine[Any, Any, Any], waiting_on: Any, is_over: Any
    ) -> None:
        self._coroutine = coroutine
        self._waiting_on = waiting_on
        self._is_over = is_over

    def __await__(self) -> Generator[Any, Any, Any]:
        waiting_on: Any = self._waiting_on
        while True:
            try:
                sent = yield waiting_on
            except GeneratorExit:
                self._coroutine.close()
                raise
            except BaseException as error:  # noqa: BLE001 - handed on, not handled
                step, value = self._coroutine.throw, error
            else:
                step, value = self._coroutine.send, sent  # type: ignore[assignment]  # two ways to go on
            try:
                waiting_on = step(value)
            except StopIteration as done:
                return done.value
            if self._is_over():
                with suppress(RuntimeError):  # it even refused to be closed
                    self._coroutine.close()
                raise TimeoutError
