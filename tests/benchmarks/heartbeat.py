"""Heartbeat: the longest time for which an event loop did nothing else."""

import asyncio
import time

TICK = 0.001


class Heartbeat:
    """Beats on the running loop from the first reading on."""

    def __init__(self) -> None:
        self._worst = 0.0
        self._last = 0.0

    def read(self) -> float:
        """Give the longest stall since the last reading, and begin anew.

        Returns:
            Milliseconds beyond the time between two beats; 0 at the first reading.
        """
        worst, self._worst = self._worst, 0.0
        if not self._last:
            self._beat(time.perf_counter())
        return worst * 1e3

    def _beat(self, last: float) -> None:
        self._last = time.perf_counter()
        self._worst = max(self._worst, self._last - last - TICK)
        asyncio.get_running_loop().call_later(TICK, self._beat, self._last)
