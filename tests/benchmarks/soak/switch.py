"""Switch: something that is switched meanwhile, and what may be believed of it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple


class Seen(NamedTuple):
    """What was known of a switch when a request was sent.

    Attributes:
        moment: how often switching had begun or ended.
        state: how it surely was; None when either is right.
    """

    moment: int
    state: bool | None


class Switch:
    """One switch.

    Args:
        is_on: how it is at first.
        seconds: how long after it was acknowledged the host may take to follow.
    """

    def __init__(self, *, is_on: bool, seconds: float = 0.0) -> None:
        self.times = 0
        self.is_on = is_on
        self._seconds: Final = seconds
        self._moment = 0
        self._changed = 0.0

    @contextmanager
    def changing(self, *, is_on: bool) -> Iterator[None]:
        """Note that it is switched inside this block."""
        self._moment += 1
        yield
        self.is_on = is_on
        self._changed = time.monotonic()
        self._moment += 1
        self.times += 1

    def look(self) -> Seen:
        """Give what is known of it now."""
        is_settled = self._moment % 2 == 0 and (
            time.monotonic() - self._changed >= self._seconds
        )
        return Seen(self._moment, self.is_on if is_settled else None)

    def between(self, seen: Seen) -> bool | None:
        """Give how it surely was all the time since a look; None for nobody knows."""
        return seen.state if seen.moment == self._moment else None
