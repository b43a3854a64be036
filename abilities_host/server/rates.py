"""Rates: how often and how many at once one caller may ask."""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from math import ceil
from typing import Final

from abilities_host.config.settings import LimitSettings

_REMEMBERED: Final = 10_000
_MINUTE: Final = 60.0


class Rates:
    """Counts what each caller asks in a minute.

    A caller that has been quiet may ask a whole minute's worth at once.

    Args:
        per_minute: gives how many, as the configuration says now.
        clock: seconds, growing.
        remembered: callers that are told apart; the one quiet for longest is forgotten.
    """

    def __init__(
        self,
        per_minute: Callable[[], int],
        *,
        clock: Callable[[], float] = time.monotonic,
        remembered: int = _REMEMBERED,
    ) -> None:
        self._per_minute: Final = per_minute
        self._clock: Final = clock
        self._remembered: Final = remembered
        self._left: Final = OrderedDict[str, tuple[float, float]]()

    def __len__(self) -> int:
        return len(self._left)

    def wait(self, caller: str) -> int:
        """Say how long a caller must wait, without counting anything.

        Args:
            caller: who asks.

        Returns:
            Seconds, rounded up; 0 when it may ask now.
        """
        left = self._now(caller)[0]
        return 0 if left >= 1 else ceil((1 - left) * _MINUTE / self._per_minute())

    def take(self, caller: str) -> int:
        """Count one request.

        Args:
            caller: who asks.

        Returns:
            0, or how many seconds it must wait; then nothing is counted.
        """
        left, now = self._now(caller)
        if left < 1:
            return self.wait(caller)
        self._left[caller] = (left - 1, now)
        self._left.move_to_end(caller)
        if len(self._left) > self._remembered:
            self._left.popitem(last=False)
        return 0

    def _now(self, caller: str) -> tuple[float, float]:
        limit, now = float(self._per_minute()), self._clock()
        left, then = self._left.get(caller, (limit, now))
        return min(limit, left + (now - then) * limit / _MINUTE), now


class Throttle:
    """What one caller may ask for, however many servers it asks.

    Args:
        limits: gives what the configuration says now.

    Attributes:
        actors: what each actor asks in a minute.
        strangers: requests of each address that showed no good token.
        crowd: what each actor has under way.
    """

    def __init__(self, limits: Callable[[], LimitSettings]) -> None:
        self.actors: Final = Rates(lambda: limits().requests_per_minute)
        self.strangers: Final = Rates(lambda: limits().failures_per_minute)
        self.crowd: Final = Crowd(lambda: limits().requests_per_actor)


class Crowd:
    """Counts what each caller has under way.

    Args:
        limit: gives how many, as the configuration says now.
    """

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit: Final = limit
        self._inside: Final = Counter[str]()

    def __len__(self) -> int:
        return len(self._inside)

    def enter(self, caller: str) -> bool:
        """Let one more in, if there is room; then `leave` must follow."""
        if self._inside[caller] >= self._limit():
            return False
        self._inside[caller] += 1
        return True

    def leave(self, caller: str) -> None:
        """Note that one has ended."""
        self._inside[caller] -= 1
        if self._inside[caller] <= 0:
            del self._inside[caller]
