"""TargetLocks: one call at a time for each target, here and in other processes."""

import asyncio
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from abilities_host.domain import Target
from abilities_host.errors import StoreError, TargetBusy
from abilities_host.filelock import FileLock
from abilities_host.threads import run_in_thread

BUCKETS = 4096
_SHORTEST, _LONGEST = 0.001, 0.02  # seconds between two tries of a lock file


class TargetLocks:
    """The locks of one host; use it on one event loop.

    Every owner takes the targets it names at once in one order, so two of them never
    wait for each other; what one adds later is bounded by the wait limit alone.

    Args:
        folder: where the lock files of all processes lie, made with mode 0700 when
            missing; on a local disk. None: only this process is excluded.
        seconds: how long one `acquire` or `add` may wait.

    Attributes:
        seconds: the same; what is acquired later keeps to a changed one.
    """

    def __init__(self, folder: Path | None, *, seconds: float) -> None:
        self.seconds = seconds
        self._turns = _Turns()
        self._buckets = None if folder is None else _Buckets(folder)

    async def acquire(
        self, targets: Iterable[Target], owner: str, seconds: float | None = None
    ) -> "Held":
        """Lock targets; does not suspend when they are free and there is no folder.

        Args:
            targets: canonical targets, in any order.
            owner: the root call's id; it may hold a target any number of times.
            seconds: how long this one may wait, None for as long as any.

        Returns:
            What is held until its `release`.

        Raises:
            TargetBusy: when another owner keeps one beyond the limit; nothing is held.
            StoreError: when a lock file cannot be made; nothing is held.
        """
        limit = self.seconds if seconds is None else seconds
        held = Held(self._turns, self._buckets, owner, limit)
        await held.add(targets)
        return held


class Held:
    """Targets that one call holds, made by `TargetLocks.acquire`.

    Attributes:
        targets: what is held now; empty after `release`.
    """

    def __init__(
        self, turns: "_Turns", buckets: "_Buckets | None", owner: str, seconds: float
    ) -> None:
        self.targets: frozenset[Target] = frozenset()
        self._turns = turns
        self._buckets = buckets
        self._owner = owner
        self._seconds = seconds
        self._files: list[int] = []
        self._released = False

    async def add(self, targets: Iterable[Target]) -> None:
        """Lock more targets for the same owner.

        Args:
            targets: canonical targets; those held already are left alone.

        Raises:
            TargetBusy: when another owner keeps one beyond the limit; the earlier ones
                stay held.
            StoreError: when a lock file cannot be made; the earlier ones stay held.
            RuntimeError: when `release` came first; nothing is held.
        """
        wanted = frozenset(targets) - self.targets
        clock = asyncio.get_running_loop().time
        limit = _Limit(self._seconds, clock() + self._seconds)
        turns: list[Target] = []
        files: list[int] = []
        try:
            for target in sorted(wanted):
                await self._turns.take(target, self._owner, limit)
                turns.append(target)
            if self._buckets is not None:
                await self._buckets.take_all(wanted, limit, files)
            self._check_not_released()
        except BaseException:
            self._free(turns, files)
            raise
        self.targets |= wanted
        self._files += files

    def release(self) -> None:
        """Give everything back; a second time nothing happens."""
        turns, files = self.targets, self._files
        self._released = True
        self.targets, self._files = frozenset(), []
        self._free(turns, files)

    def _check_not_released(self) -> None:
        if self._released:
            raise RuntimeError("these locks were released; acquire them anew")

    def _free(self, turns: Iterable[Target], files: list[int]) -> None:
        """The files first: who gets his turn then finds them free."""
        try:
            if self._buckets is not None:
                self._buckets.free_all(files)
        finally:
            for target in turns:
                self._turns.free(target)


class _Limit(NamedTuple):
    """How long something may wait, and the loop time when that is over."""

    seconds: float
    deadline: float


class _Waiter(NamedTuple):
    owner: str
    ready: "asyncio.Future[None]"


class _Turn:
    """Who holds one target, how many times, and who waits for it."""

    __slots__ = ("count", "owner", "waiters")

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.count = 1
        self.waiters: deque[_Waiter] = deque()


class _Turns:
    """Whose turn it is for each target in this process; first come, first served."""

    def __init__(self) -> None:
        self._turns: dict[Target, _Turn] = {}

    async def take(self, target: Target, owner: str, limit: _Limit) -> None:
        turn = self._turns.get(target)
        if turn is None:
            self._turns[target] = _Turn(owner)
        elif turn.owner == owner:
            turn.count += 1
        else:
            await self._wait(target, owner, limit)

    async def _wait(self, target: Target, owner: str, limit: _Limit) -> None:
        waiters = self._turns[target].waiters
        waiter = _Waiter(owner, asyncio.get_running_loop().create_future())
        waiters.append(waiter)
        try:
            async with asyncio.timeout_at(limit.deadline):
                await waiter.ready
        except BaseException as error:
            if waiter in waiters:
                waiters.remove(waiter)
            else:  # it got its turn in the very moment it gave up
                self.free(target)
            if isinstance(error, TimeoutError):
                raise TargetBusy(str(target), limit.seconds) from None
            raise

    def free(self, target: Target) -> None:
        turn = self._turns[target]
        turn.count -= 1
        if turn.count:
            return
        if not turn.waiters:
            del self._turns[target]
            return
        turn.owner = turn.waiters[0].owner
        for waiter in [each for each in turn.waiters if each.owner == turn.owner]:
            turn.waiters.remove(waiter)
            turn.count += 1
            if not waiter.ready.done():
                waiter.ready.set_result(None)


class _Bucket:
    """A lock file that is held, and how many targets of this process are under it."""

    __slots__ = ("lock", "users")

    def __init__(self, lock: FileLock) -> None:
        self.lock = lock
        self.users = 1


class _Buckets:
    """The lock files under one folder; every process puts a target under the same one.

    A file for each target would leave a million of them behind. Two targets under one
    file wait for each other needlessly between processes, never inside one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[int, _Bucket] = {}
        self._paths: dict[int, Path] = {}  # at most one for each bucket

    async def take_all(
        self, targets: Iterable[Target], limit: _Limit, taken: list[int]
    ) -> None:
        # In the order of the files: in that of the targets two processes could wait
        # for each other.
        for number, target in sorted((_number(each), each) for each in targets):
            await self._take(number, target, limit)
            taken.append(number)

    def free_all(self, taken: list[int]) -> None:
        """Give each back, also after one that cannot be."""
        while taken:
            try:
                self._free(taken.pop())
            except BaseException:
                self.free_all(taken)
                raise

    async def _take(self, number: int, target: Target, limit: _Limit) -> None:
        pause = _SHORTEST
        while not await self._try(number):
            left = limit.deadline - asyncio.get_running_loop().time()
            if left <= 0:
                raise TargetBusy(str(target), limit.seconds)
            await asyncio.sleep(min(pause, left))
            pause = min(pause * 2, _LONGEST)

    async def _try(self, number: int) -> bool:
        try:
            with suppress(FileNotFoundError):
                return self._try_now(number)
            make = partial(self._folder.mkdir, mode=0o700, parents=True, exist_ok=True)
            await run_in_thread(make)
            return self._try_now(number)
        except OSError as error:
            problem = f"no lock file can be made here ({error.strerror}); make room or "
            problem += "give this user the right to write."
            raise StoreError(self._folder, problem) from error

    def _try_now(self, number: int) -> bool:
        if (bucket := self._held.get(number)) is not None:
            bucket.users += 1
            return True
        if (path := self._paths.get(number)) is None:
            path = self._paths[number] = self._folder / f"{number:03x}"
        lock = FileLock(path)
        if not lock.try_acquire():
            return False
        self._held[number] = _Bucket(lock)
        return True

    def _free(self, number: int) -> None:
        bucket = self._held[number]
        bucket.users -= 1
        if not bucket.users:
            del self._held[number]
            bucket.lock.release()


@lru_cache(maxsize=BUCKETS)
def _number(target: Target) -> int:
    spelling = f"{target.domain}\0{target.name}".encode(errors="surrogatepass")
    return int.from_bytes(sha256(spelling).digest()[:4], "big") % BUCKETS
