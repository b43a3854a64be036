"""Jobs: background work, done by one host of a store at a time."""

import asyncio
import logging
import random
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from abilities_host.errors import StoreError
from abilities_host.filelock import FileLock
from abilities_host.storage.base import Statement, Store
from abilities_host.storage.migrations import Migration
from abilities_host.threads import run_in_thread

log = logging.getLogger(__name__)

LONGEST_SECONDS: Final = 60.0
LIMIT: Final = 100
_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_JITTER: Final = 0.1  # hosts started together shall not look together
_MIGRATIONS: Final = (
    Migration(
        "0001-first",
        (
            """
            CREATE TABLE job_run (
                name TEXT PRIMARY KEY,
                at REAL NOT NULL,
                seconds REAL NOT NULL,
                problem TEXT NOT NULL
            )
            """,
        ),
    ),
)
_LAST: Final = "SELECT at FROM job_run WHERE name = :name"
_RUNS: Final = "SELECT name, at, seconds, problem FROM job_run ORDER BY name"
_KEEP: Final = (
    "INSERT INTO job_run (name, at, seconds, problem) "
    "VALUES (:name, :at, :seconds, :problem) ON CONFLICT (name) DO UPDATE SET "
    "at = excluded.at, seconds = excluded.seconds, problem = excluded.problem"
)

Work = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Job:
    """Work that is done again and again.

    Attributes:
        name: unique in the host, such as ``ledger-sweep``.
        seconds: between two runs, of whatever host.
        work: what is done; it keeps each run short.
    """

    name: str
    seconds: float
    work: Work


@dataclass(frozen=True, slots=True)
class JobRun:
    """The last run of a job, of whatever host.

    Attributes:
        name: the job's.
        at: seconds since 1970.
        seconds: how long it took.
        problem: what went wrong, empty when nothing did.
    """

    name: str
    at: float
    seconds: float
    problem: str


class Jobs:
    """The jobs of one host.

    Args:
        store: remembers the last runs.
        folder: of the lock files, which say who is at it.
    """

    def __init__(self, store: Store, folder: Path) -> None:
        self._store: Final = store
        self._folder: Final = folder
        self._jobs: Final[dict[str, Job]] = {}
        self._due: Final[dict[str, float]] = {}
        self._changed: Final = asyncio.Event()

    @property
    def all(self) -> tuple[Job, ...]:
        """Every job, in the order they were given."""
        return tuple(self._jobs.values())

    async def migrate(self) -> None:
        """Make the table of last runs."""
        await self._store.migrate("jobs", _MIGRATIONS)

    def every(self, name: str, seconds: float, work: Work) -> None:
        """Have work done again and again while the host runs.

        Args:
            name: unique in the host, lower-case words joined by hyphens; the lock
                file of the job is called so.
            seconds: between two runs, more than 0; the first comes after about as long.
            work: an async function; it is stopped after 60 s.

        Raises:
            ValueError: for such a name or time, when the name is taken, or when there
                are 100 jobs already.
        """
        if not _NAME.fullmatch(name) or not seconds > 0:
            msg = f"job {name!r} needs lower-case words, and seconds greater than 0"
            raise ValueError(msg)
        if name in self._jobs or len(self._jobs) >= LIMIT:
            msg = f"job {name!r} is there already, or there are {LIMIT}"
            raise ValueError(msg)
        self._jobs[name] = Job(name, seconds, work)
        self._due[name] = _next(seconds)
        self._changed.set()

    def forget(self, name: str) -> None:
        """Do a job no more."""
        self._jobs.pop(name, None)
        self._due.pop(name, None)

    async def list_runs(self) -> list[JobRun]:
        """Read the last run of each job, of whatever host."""
        return [JobRun(*row) for row in await self._store.read(_RUNS)]

    async def run(self) -> None:
        """Do what is due, one job after the other, until cancelled."""
        while True:
            await self._wait()
            for name, due in tuple(self._due.items()):
                if due <= time.monotonic() and (job := self._jobs.get(name)):
                    await self.run_now(job)
                    if self._jobs.get(name) is job:  # nobody forgot it meanwhile
                        self._due[name] = _next(job.seconds)

    async def _wait(self) -> None:
        due = min(self._due.values(), default=time.monotonic() + LONGEST_SECONDS)
        self._changed.clear()
        try:
            async with asyncio.timeout(max(0.0, due - time.monotonic())):
                await self._changed.wait()
        except TimeoutError:
            return

    async def run_now(self, job: Job) -> bool:
        """Do a job if no host has done it since it was due, and none is at it.

        Args:
            job: one of `all`.

        Returns:
            Whether it was done here; what went wrong is in the log and the store.
        """
        lock = FileLock(self._folder / f"job-{job.name}")
        try:
            if not await _take(lock):
                return False
            try:
                return await self._run_alone(job)
            finally:
                lock.release()
        except (StoreError, OSError):
            log.exception("job %s cannot be done now", job.name)
            return False

    async def _run_alone(self, job: Job) -> bool:
        began = time.time()
        rows = await self._store.read(_LAST, {"name": job.name})
        # A clock that was set back must not stop the work for as long.
        if rows and 0 <= began - rows[0][0] < job.seconds * (1 - 2 * _JITTER):
            return False
        problem = await _do(job)
        seconds = max(0.0, time.time() - began)
        values = {"name": job.name, "at": began, "seconds": seconds, "problem": problem}
        await self._store.write([Statement(_KEEP, values)])
        return True


async def _do(job: Job) -> str:
    limit = asyncio.timeout(LONGEST_SECONDS)
    try:
        async with limit:
            await job.work()
    except asyncio.CancelledError as error:
        if _is_stopping():
            raise
        return _failed(job, error)  # the work's own: one job does not end all of them
    except Exception as error:  # noqa: BLE001 - it is in the log, and the others go on
        if not limit.expired():
            return _failed(job, error)
        log.warning("job %s was stopped after %g s", job.name, LONGEST_SECONDS)
        return f"stopped after {LONGEST_SECONDS:g} s"
    return ""


def _is_stopping() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _failed(job: Job, error: BaseException) -> str:
    log.error("job %s failed", job.name, exc_info=error)
    return type(error).__name__


async def _take(lock: FileLock) -> bool:
    taking = run_in_thread(lambda: _try(lock))
    try:
        return await asyncio.shield(taking)
    except asyncio.CancelledError:
        await asyncio.wait([taking])
        lock.release()
        raise


def _try(lock: FileLock) -> bool:
    lock.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return lock.try_acquire()


def _next(seconds: float) -> float:
    spread = random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 - no secret
    return time.monotonic() + seconds * spread
