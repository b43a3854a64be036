"""Notifier: runs the operator's command when something waits for a human."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

import orjson

log = logging.getLogger(__name__)

SECONDS: Final = 10.0
"""How long the command may take."""

LAST_SECONDS: Final = 1.0
"""How long a host that stops waits for it: a single call may be all it was for."""

IDS: Final = 200
"""Ids that are told at once; the count is of all that wait."""


class Notifier:
    """Tells the operator; one command at a time, later news together.

    Args:
        command: gives program and arguments as they are set now, empty for none.
        seconds: after which it is killed, with whatever it started.
    """

    def __init__(
        self, command: Callable[[], Sequence[str]], *, seconds: float = SECONDS
    ) -> None:
        self._command: Final = command
        self._seconds: Final = seconds
        self._ids: list[str] = []
        self._waiting = 0
        self._is_news: Final = asyncio.Event()
        self._is_told: Final = asyncio.Event()
        self._is_told.set()

    def tell(self, ids: Sequence[str], waiting: int) -> None:
        """Have it told soon; returns at once.

        Args:
            ids: of what is new.
            waiting: how many wait in all.
        """
        self._ids = [*self._ids, *ids][-IDS:]
        self._waiting = waiting
        self._is_told.clear()
        self._is_news.set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the commands while the host runs."""
        task = asyncio.create_task(self._run(), name="memory-notify")
        try:
            yield
        finally:
            await self._end(task)

    async def _end(self, task: asyncio.Task[None]) -> None:
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_told.wait(), LAST_SECONDS)
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _run(self) -> None:
        while True:
            await self._is_news.wait()
            self._is_news.clear()
            news = {"ids": self._ids, "waiting": self._waiting}
            self._ids = []
            try:
                if command := self._command():
                    await self._hand(command, orjson.dumps(news) + b"\n")
            except TimeoutError:
                log.warning("[memory] notify was killed after %g s", self._seconds)
            except (OSError, ValueError) as error:
                log.warning("[memory] notify could not be run: %s", error)
            if not self._is_news.is_set():
                self._is_told.set()

    async def _hand(self, command: Sequence[str], told: bytes) -> None:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(self._seconds):
                await process.communicate(told)
        finally:
            if process.returncode is None:
                _kill(process)
                await process.wait()
        if process.returncode:
            log.warning("[memory] notify ended with %s", process.returncode)


def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill it and what it started: a script is seldom what hangs itself."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
