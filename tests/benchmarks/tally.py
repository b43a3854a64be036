"""Tally: what became of every call of a soak, beside what was switched meanwhile."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from benchmarks.http_client import HttpError
from benchmarks.wire import BadAnswer

SHOWN: Final = 5
REFUSED: Final = "Unknown tool"


@dataclass(frozen=True, slots=True)
class Sent:
    """A call under way.

    Attributes:
        client: who sent it.
        is_switched: whether it is of the ability that is switched.
        moment: how often switching had begun or ended before.
        is_on: whether the ability was on then.
    """

    client: int
    is_switched: bool
    moment: int
    is_on: bool


class Tally:
    """Counts calls.

    A call sent after the ability was off for good, and answered before it was to be on
    again, must be refused; the other way round it must be answered. In between, either
    is right.
    """

    def __init__(self) -> None:
        self._counts: Final[Counter[str]] = Counter()
        self._strange: Final[list[str]] = []
        self._broken: Final[set[int]] = set()
        self._moment = 0
        self._is_on = True

    @contextmanager
    def switching(self, *, is_on: bool) -> Iterator[None]:
        """Note that the ability is switched inside this block."""
        self._moment += 1
        yield
        self._is_on = is_on
        self._moment += 1
        self._counts["switches"] += 1

    def send(self, client: int, *, is_switched: bool) -> Sent:
        """Note that a call is sent."""
        self._counts["sent"] += 1
        return Sent(client, is_switched, self._moment, self._is_on)

    def answer(self, sent: Sent, *, is_own: bool) -> None:
        """Note that a call was answered.

        Args:
            sent: the call.
            is_own: whether the answer is the one to this call.
        """
        self._counts["answered"] += 1
        if not is_own:
            self._counts["answers to another call"] += 1
        if self._was_settled(sent) and not sent.is_on:
            self._counts["admitted while off"] += 1

    def fail(self, sent: Sent, error: Exception) -> None:
        """Note that a call was refused, or lost.

        Args:
            sent: the call.
            error: what came instead of a result.
        """
        if isinstance(error, BadAnswer | HttpError) and REFUSED in str(error):
            self._counts["refused"] += 1
            if not sent.is_switched or (self._was_settled(sent) and sent.is_on):
                self._counts["refused while on"] += 1
            return
        self._counts["lost"] += 1
        self._broken.add(sent.client)
        if len(self._strange) < SHOWN:
            self._strange.append(f"{type(error).__name__}: {error}")

    def is_connected(self, client: int) -> bool:
        """Answer whether a client may use its connection; asked once after a loss."""
        if client in self._broken:
            self._broken.remove(client)
            return False
        return True

    def faults(self) -> list[str]:
        """Say what should not have happened."""
        wrong = (
            "lost",
            "answers to another call",
            "admitted while off",
            "refused while on",
        )
        found = [f"{self._counts[each]} {each}" for each in wrong if self._counts[each]]
        unanswered = self._unanswered()
        return [
            *found,
            *([f"{unanswered} never answered"] if unanswered else []),
            *([] if self._counts["refused"] else ["no call was ever refused"]),
            *self._strange,
        ]

    def told(self, seconds: float) -> str:
        """Say how many calls there were in this time."""
        counts = self._counts
        lost = counts["lost"] + self._unanswered()
        return (
            f"calls sent {counts['sent']:,}, {counts['sent'] / seconds:,.0f} a second; "
            f"answered {counts['answered']:,}, "
            f"refused while off {counts['refused']:,}, lost {lost:,}\n"
            f"admitted while off {counts['admitted while off']:,}, "
            f"refused while on {counts['refused while on']:,}; "
            f"switched {counts['switches']:,} times\n"
        )

    def _was_settled(self, sent: Sent) -> bool:
        return sent.is_switched and sent.moment % 2 == 0 and sent.moment == self._moment

    def _unanswered(self) -> int:
        counts = self._counts
        ended = counts["answered"] + counts["refused"] + counts["lost"]
        return counts["sent"] - ended
