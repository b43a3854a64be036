"""Stopping: a signal ends the process in time, with its last write recorded."""

import asyncio
import gc
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Final, Self

SECONDS: Final = 0.9
NEW_OBJECTS: Final = 10_000  # before the garbage collector looks for cycles


class Stopping:
    """Takes SIGINT and SIGTERM while it is entered; only in the main thread.

    A signal ends what is served. Whatever hangs then, in a thread, in a pack or in
    a pipe that nobody reads, the process is gone 0.9 s later.

    Attributes:
        code: 128 and the number of the signal; 0 as long as none came.
        stop: what a signal calls on the loop; None while there is nothing to record,
            so that the process may end at once.
    """

    def __init__(self) -> None:
        self.code = 0
        self.stop: Callable[[], object] | None = None
        self._loop: Final = asyncio.get_running_loop()
        self._before: Final[dict[signal.Signals, Any]] = {}

    def __enter__(self) -> Self:
        # Python's own handlers run even while a pack blocks the loop; the loop's don't.
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._stop)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self.code:
            # The interpreter would look through everything once more before it ends,
            # which takes longer than all the rest.
            keep_what_stays()

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        self.code = 128 + number
        if self.stop is None:
            os._exit(self.code)
        end_after(SECONDS, self.code)
        self._loop.call_soon_threadsafe(self.stop)


def keep_what_stays() -> None:
    """Tell the garbage collector that what is there now stays until the end.

    Packs and abilities do; with thousands of them it would look through them all again
    and again while calls wait. What calls make has gone when they end, but for a few
    cycles: it looks for those when some thousand objects are new, and not some hundred,
    which are those of a few calls under way.
    """
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)


def end_after(seconds: float, code: int) -> None:
    """End the process later, whatever it is doing then.

    Args:
        seconds: from now.
        code: what it exits with.
    """
    timer = threading.Timer(seconds, os._exit, [code])
    timer.daemon = True
    timer.start()
