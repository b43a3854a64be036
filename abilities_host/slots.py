"""Slots: how many calls run at once, in all and for one actor."""

import asyncio
from collections import deque

from abilities_host.errors import HostBusy

_Place = tuple[str, "asyncio.Future[None]"]


class Slots:
    """A counted number of places with a bounded, fair queue before them.

    Args:
        calls: places in all.
        per_actor: places for one actor.
        queue: calls that may wait.
        seconds: longest wait.
    """

    def __init__(
        self, *, calls: int, per_actor: int, queue: int, seconds: float
    ) -> None:
        self._calls = calls
        self._per_actor = per_actor
        self._queue = queue
        self._seconds = seconds
        self._running: dict[str, int] = {}
        self._total = 0
        self._waiting = deque[_Place]()

    def resize(self, *, calls: int, per_actor: int, queue: int, seconds: float) -> None:
        """Change how many there are; who has a place or waits already keeps it.

        Args:
            calls: places in all.
            per_actor: places for one actor.
            queue: calls that may wait.
            seconds: longest wait of those that come from now on.
        """
        self._calls = calls
        self._per_actor = per_actor
        self._queue = queue
        self._seconds = seconds
        self._admit()

    def try_take(self, actor: str) -> bool:
        """Take a place if one is free and nobody waits.

        Args:
            actor: id of who calls.

        Returns:
            Whether a place was taken; give it back with `leave`.
        """
        if self._waiting:
            return False
        running = self._running.get(actor, 0)
        if self._total >= self._calls or running >= self._per_actor:
            return False
        self._total += 1
        self._running[actor] = running + 1
        return True

    async def wait(self, actor: str) -> None:
        """Wait for a place; give it back with `leave`.

        Args:
            actor: id of who calls.

        Raises:
            HostBusy: when the queue is full or the wait was too long.
        """
        if len(self._waiting) >= self._queue:
            raise HostBusy("waiting calls", self._queue)
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((actor, place))
        self._admit()
        try:
            async with asyncio.timeout(self._seconds):
                await place
        except BaseException as error:
            self._give_up(actor, place)
            if isinstance(error, TimeoutError):
                raise HostBusy("calls", self._calls) from None
            raise

    def leave(self, actor: str) -> None:
        """Give a place back.

        Args:
            actor: id of who took it.
        """
        self._total -= 1
        running = self._running[actor] - 1
        if running:
            self._running[actor] = running
        else:
            del self._running[actor]
        if self._waiting:
            self._admit()

    def _give_up(self, actor: str, place: "asyncio.Future[None]") -> None:
        if place.done() and not place.cancelled():  # it came just now: pass it on
            self.leave(actor)
        else:
            self._waiting = deque(item for item in self._waiting if item[1] != place)

    def _admit(self) -> None:
        """Give free places to those who wait, in order, skipping busy actors."""
        waiting, self._waiting = self._waiting, deque()
        left = deque[_Place]()
        for actor, place in waiting:
            if place.done():
                continue
            if self.try_take(actor):
                place.set_result(None)
            else:
                left.append((actor, place))
        self._waiting = left
