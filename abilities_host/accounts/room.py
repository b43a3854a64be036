"""Room: how many secrets are worked on at once."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from abilities_host.threads import run_in_thread

T = TypeVar("T")

AT_ONCE: Final = 2
"""How many secrets are compared at once; each takes the memory of its cost."""


class Room:
    """Threads for work that takes long on purpose; the others wait."""

    def __init__(self) -> None:
        self._places: Final = asyncio.Semaphore(AT_ONCE)

    async def do(self, work: Callable[[], T]) -> T:
        """Do something in a thread, when there is a place.

        Args:
            work: what is done.

        Returns:
            What it returned.
        """
        async with self._places:
            return await run_in_thread(work)
