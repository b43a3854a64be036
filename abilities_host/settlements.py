"""Settlements: the ends of runs that happen whatever becomes of their callers."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


class Settlements:
    """Tasks handed over by calls; the host waits for them before it stops.

    A cancelled scope cancels at every further await, so a cancelled call cannot
    record its own end. It hands that end over in one synchronous step instead.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ending = asyncio.Event()

    def __len__(self) -> int:
        return len(self._tasks)

    def hand_over(self, coroutine: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Start the end of a run in a task of its own.

        Args:
            coroutine: what must happen; it keeps its own time limits.

        Returns:
            The task; shield it when waiting for it.
        """
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def pause(self, seconds: float) -> bool:
        """Wait before another try, no longer than the host runs.

        Args:
            seconds: longest wait.

        Returns:
            Whether the host stops: the next try is the last.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ending.wait()
        return self._ending.is_set()

    async def drain(self, seconds: float) -> int:
        """Wait for what was handed over; nothing is cancelled, pauses end.

        Args:
            seconds: longest wait.

        Returns:
            How many were still under way.
        """
        self._ending.set()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=seconds)
        return len(self._tasks)
