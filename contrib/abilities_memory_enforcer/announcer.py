"""Announcer: tells the packs of new tickets while the write is answered already."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from abilities_memory_enforcer.tickets import Tickets

log = logging.getLogger(__name__)


class Announcer:
    """Tells of what waits, without making whoever asked wait for it.

    Args:
        tickets: the queue.
        announce: given ids and how many wait.
    """

    def __init__(
        self,
        tickets: Tickets,
        announce: Callable[[tuple[str, ...], int], Awaitable[None]],
    ) -> None:
        self._tickets: Final = tickets
        self._announce: Final = announce
        self._new: list[str] = []
        self._task: asyncio.Task[None] | None = None

    def tell(self, id_: str) -> None:
        """Tell of a ticket soon, together with others that come meanwhile."""
        self._new.append(id_)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._tell_all(), name="tickets")

    async def close(self) -> None:
        """Stop telling."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _tell_all(self) -> None:
        try:
            while self._new:
                ids, self._new = tuple(self._new), []
                await self._announce(ids, await self._tickets.count())
        except Exception:
            log.exception("new tickets were not announced")
