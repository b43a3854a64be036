"""Writer: takes records at once and writes them in batches, whatever the disk does."""

import asyncio
import logging
import time
from collections import deque
from contextlib import suppress
from itertools import islice
from typing import Final

from abilities_host.requestlog.errors import RequestLogUnusable
from abilities_host.requestlog.file import RequestFile
from abilities_host.requestlog.record import DROPPED, Counted, Record
from abilities_host.threads import run_in_thread

log = logging.getLogger(__name__)

WAITING: Final = 10_000
BATCH: Final = 1_000
KINDS: Final = 1_000  # different refusals within one flush
FLUSH_SECONDS: Final = 0.5
RETRY_SECONDS: Final = 5.0
PRUNE_SECONDS: Final = 60.0
END_SECONDS: Final = 3.0


class Writer:
    """What waits to be written, bounded; nothing here ever stops a request.

    Args:
        file: where it goes.
        waiting: records that may wait; more are counted as dropped.
        seconds: between two flushes.

    Attributes:
        dropped: records that were not kept since the start.
    """

    def __init__(
        self,
        file: RequestFile,
        *,
        waiting: int = WAITING,
        seconds: float = FLUSH_SECONDS,
    ) -> None:
        self.dropped = 0
        self._file: Final = file
        self._limit: Final = waiting
        self._seconds: Final = seconds
        self._queue: Final[deque[Record]] = deque()
        self._counts: Final[dict[Counted, int]] = {}
        self._untold = 0
        self._is_broken = False
        self._retry_at = 0.0
        self._prune_at = 0.0
        self._stopping: Final = asyncio.Event()
        self._writing: Final = asyncio.Lock()

    def note(self, record: Record) -> None:
        """Take a record; never blocks, never raises.

        Args:
            record: of a request that has ended.
        """
        if len(self._queue) < self._limit:
            self._queue.append(record)
        else:
            self._drop(1)

    def count(self, surface: str, server: str, code: str) -> None:
        """Count what is too much to be kept one by one; never blocks.

        Args:
            surface: where it came.
            server: id, empty for none.
            code: what it was, one of a few.
        """
        key = Counted(int(time.time()), surface, server, code)
        if key in self._counts or len(self._counts) < KINDS:
            self._counts[key] = self._counts.get(key, 0) + 1
        else:
            self._drop(1)

    async def run(self) -> None:
        """Write what waits, again and again, until `stop`."""
        is_over = False
        while not is_over:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._seconds):
                    await self._stopping.wait()
            is_over = self._stopping.is_set()
            if is_over or self._retry_at <= time.monotonic():
                await self.flush()
        await run_in_thread(self._file.close)
        if self._queue:
            log.warning("%d requests were not logged at the end", len(self._queue))

    def stop(self) -> None:
        """Have `run` write what waits once more, and end."""
        self._stopping.set()

    async def flush(self) -> None:
        """Write what waits, and remove what is too old when it is time for that."""
        async with self._writing:
            try:
                await self._write()
            except RequestLogUnusable as error:
                self._tell(error)
            except Exception:
                log.exception("%d requests could not be logged", len(self._queue))
                self._discard()

    async def _write(self) -> None:
        while self._queue or self._counts or self._untold:
            await self._write_batch()
        if self._prune_at <= time.monotonic():
            await self._prune()
        if self._is_broken:
            self._is_broken = False
            log.warning("requests are logged again")

    async def _write_batch(self) -> None:
        batch = [*islice(self._queue, BATCH)]
        counts, untold = self._counts.copy(), self._untold
        records = [*batch, *_added_up(counts, untold)]
        await run_in_thread(lambda: self._file.append(records))
        for _ in batch:
            self._queue.popleft()
        for key, count in counts.items():
            self._counts[key] -= count
            if not self._counts[key]:
                del self._counts[key]
        self._untold -= untold

    async def _prune(self) -> None:
        now = time.time_ns() // 1_000
        has_more = await run_in_thread(lambda: self._file.prune(now))
        self._prune_at = time.monotonic() + (0.0 if has_more else PRUNE_SECONDS)

    def _drop(self, count: int) -> None:
        self.dropped += count
        self._untold += count

    def _discard(self) -> None:
        """One that can never be written must not hold up those behind it."""
        self._drop(len(self._queue) + sum(self._counts.values()))
        self._queue.clear()
        self._counts.clear()

    def _tell(self, error: RequestLogUnusable) -> None:
        """Once, not at every try."""
        self._retry_at = time.monotonic() + RETRY_SECONDS
        if not self._is_broken:
            self._is_broken = True
            log.warning("%s Until then requests are not logged.", error)


def _added_up(counts: dict[Counted, int], dropped: int) -> list[Record]:
    records = [each.record(count) for each, count in counts.items()]
    if dropped:
        told = Counted(int(time.time()), "", "", DROPPED)
        records.append(told.record(dropped, "error"))
    return records
