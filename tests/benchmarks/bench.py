"""Bench: how long to measure, and the servers that the rows share."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from threading import Lock
from typing import Final, TypeVar

from benchmarks.row import Measured

T = TypeVar("T")


class Bench:
    """One run of the benchmarks.

    Args:
        folder: where hosts keep their files.
        log: what servers say on standard error is added to it.
        stack: closes the servers at the end.
        is_quick: measure less of everything.
    """

    def __init__(
        self, folder: Path, log: Path, stack: ExitStack, *, is_quick: bool
    ) -> None:
        self.folder: Final = folder
        self.log: Final = log
        self.is_quick: Final = is_quick
        self._stack: Final = stack
        self._kept: Final[dict[str, object]] = {}
        self._locks: Final[dict[str, Lock]] = {}

    def pick(self, quick: T, full: T) -> T:
        """Give the one of two amounts that this run is for."""
        return quick if self.is_quick else full

    def keep(self, key: str, make: Callable[[], AbstractContextManager[T]]) -> T:
        """Give what an earlier row has started, or start it until the end of the run.

        Args:
            key: what it is, and how large.
            make: starts it.

        Returns:
            The same thing for the same key.
        """
        with self._locks.setdefault(key, Lock()):
            if key not in self._kept:
                self._kept[key] = self._stack.enter_context(make())
        return self._kept[key]  # type: ignore[return-value]  # what `make` gave

    def together(self, makes: Mapping[str, Callable[[], T]]) -> dict[str, T]:
        """Start servers at the same time, which is sooner than one by one.

        Args:
            makes: who to what starts it.

        Returns:
            Who to what was started.
        """
        with ThreadPoolExecutor(len(makes)) as pool:
            begun = {who: pool.submit(make) for who, make in makes.items()}
            return {who: each.result() for who, each in begun.items()}

    def compare(
        self,
        measures: Mapping[str, Callable[[], float]],
        *,
        rounds: int,
        is_rate: bool = False,
        remark: str = "",
    ) -> Measured:
        """Measure round after round, each in turn, and take the medians.

        Args:
            measures: who to what gives one figure.
            rounds: how many.
            is_rate: whether more is better.
            remark: what a reader of the figures must know.

        Returns:
            The medians and what they are of.
        """
        spread: dict[str, list[float]] = {who: [] for who in measures}
        for _ in range(rounds):
            for who, measure in measures.items():
                spread[who].append(measure())
        return Measured.of(spread, is_rate=is_rate, remark=remark)
