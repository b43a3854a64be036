"""Crew: shares the parts of a record out over processes, or checks them here."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

import anyio

from abilities_host import run_in_thread
from abilities_host.storage import Store
from abilities_ledger.chain import COLUMNS
from abilities_ledger.ranges import Checking, Query, Ranges, Rows
from abilities_ledger.worker import Unanswered, Worker

MOST: Final = 8


class Effort(NamedTuple):
    """What verifying may use.

    Attributes:
        processes: how many at most beside this one.
        since: number of rows from which on they are worth their start.
        part: entries, or contents, that are checked at a time.
        python: the interpreter that runs them.
    """

    processes: int
    since: int = 50_000
    part: int = 20_000
    python: str = sys.executable

    @classmethod
    def usual(cls) -> "Effort":
        """Take every processor, up to 8; none beside this process if there is one."""
        count = min(_processors(), MOST)
        return cls(count if count > 1 else 0)


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # only Linux says what this process may use
        return os.cpu_count() or 1


class Part(NamedTuple):
    """One range to check; see `Ranges.start`."""

    name: str
    asked: tuple[Any, ...]


@runtime_checkable
class _InFile(Protocol):
    """A store that another process can read too."""

    path: Path


class Here:
    """Checks parts in this process, in threads.

    Args:
        store: where the record is.

    Attributes:
        is_over: nobody wants to know any more.
    """

    def __init__(self, store: Store) -> None:
        self._store: Final = store
        self._ranges: Final = Ranges(COLUMNS)
        self.is_over = False

    async def check(self, part: Part) -> Any:
        """Check one part.

        Args:
            part: what to check.

        Returns:
            What it found; nothing when it is over before.

        Raises:
            Exception: when it cannot be read.
        """
        checking = self._ranges.start(part.name, *part.asked)
        query, found = await run_in_thread(partial(_step, checking, None))
        while query is not None and not self.is_over:
            rows = await self._store.read(query.sql, query.values)
            query, found = await run_in_thread(partial(_step, checking, rows))
        return found


def _step(checking: Checking, rows: Rows | None) -> tuple[Query | None, Any]:
    try:
        return (next(checking) if rows is None else checking.send(rows)), None
    except StopIteration as ended:
        return None, ended.value


_Left = Iterator[tuple[Part, "asyncio.Future[Any]"]]


@asynccontextmanager
async def shared_out(
    store: Store, parts: Sequence[Part], effort: Effort, *, rows: int
) -> AsyncIterator[list["asyncio.Future[Any]"]]:
    """Check parts, several at once, for as long as the context lasts.

    Args:
        store: where the record is.
        parts: in the order in which their answers are wanted.
        effort: what may be used.
        rows: how many there are in all parts, about.

    Yields:
        The answer of each part, to be awaited.
    """
    loop = asyncio.get_running_loop()
    answers: list[asyncio.Future[Any]] = [loop.create_future() for _ in parts]
    left = iter(list(zip(parts, answers, strict=True)))
    lanes = [
        _Lane(worker, Here(store), left)
        for worker in _workers(store, effort, len(parts), rows)
    ]
    tasks = [asyncio.create_task(lane.work()) for lane in lanes]
    try:
        yield answers
    finally:
        with anyio.CancelScope(shield=True):
            await asyncio.gather(*(lane.stop() for lane in lanes))
            await asyncio.wait(tasks)
        for answer in answers:
            answer.cancel()


def _workers(
    store: Store, effort: Effort, parts: int, rows: int
) -> list[Worker | None]:
    count = min(effort.processes, parts) if rows >= effort.since else 0
    if count == 0 or not effort.python or not isinstance(store, _InFile):
        return [None]
    return [Worker(effort.python, store.path) for _ in range(count)]


class _Lane(NamedTuple):
    """One who takes the next part again and again."""

    worker: Worker | None
    here: Here
    left: _Left

    async def work(self) -> None:
        for part, answer in self.left:
            try:
                found = await self._check(part)
            except Exception as error:  # noqa: BLE001 - it belongs to the one who waits
                if not answer.done():
                    answer.set_exception(error)
                    answer.exception()  # who has seen enough does not ask for it
            else:
                if not answer.done():  # nor when it was cancelled
                    answer.set_result(found)
            if self.here.is_over:
                return

    async def _check(self, part: Part) -> Any:
        if self.worker is not None:
            try:
                return await run_in_thread(partial(self.worker.check, *part))
            except Unanswered:  # then it is done here
                pass
        return await self.here.check(part)

    async def stop(self) -> None:
        """End soon; a read is not interrupted, since others use its connection."""
        self.here.is_over = True
        if self.worker is not None:
            await run_in_thread(self.worker.close)
