"""Lived: one process of the host, when it lived, and what clients asked of it."""

import signal
import time
from collections import deque
from dataclasses import dataclass, field

UNWRITTEN_SECONDS = 1.5
"""How old a request may be that a killed process had not logged: one second, and how
long its answer takes to be noticed here."""

_OK = 200
_ACCEPTED = 202
_UNLOGGED = ("GET", "DELETE")


@dataclass(slots=True)
class Lived:
    """One process.

    Attributes:
        number: 1 for the first.
        ended: when it was killed or had stopped, seconds since 1970; 0 before.
        gone: when it surely was no more; the next one begins a second later.
        ending: the signal that ended it.
        sent: requests that the log may have.
        answered: those that were answered, and that the log must have.
        recent: when the last of them were.
    """

    number: int
    ended: float = 0.0
    gone: float = 0.0
    ending: signal.Signals = signal.SIGTERM
    sent: int = 0
    answered: int = 0
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=20_000))

    def note_sent(self, method: str) -> None:
        """Note that a request goes out."""
        self.sent += method not in _UNLOGGED

    def note_heard(self, method: str, status: int) -> None:
        """Note an answer; a notice and an opened stream have no row of their own."""
        is_quiet = method in _UNLOGGED or method.startswith("notifications/")
        if status not in (_OK, _ACCEPTED) or not is_quiet:
            self.answered += 1
            self.recent.append(time.time())

    def fewest(self) -> int:
        """Give how many rows the log must have of it."""
        if self.ending is not signal.SIGKILL:
            return self.answered
        since = self.ended - UNWRITTEN_SECONDS
        return self.answered - sum(at >= since for at in self.recent)

    def most(self) -> int:
        """Give how many rows the log may have of it."""
        return max(self.sent, self.answered)


class Counted:
    """Tells a process of what one connection asks.

    Args:
        lived: the process.
    """

    def __init__(self, lived: Lived) -> None:
        self._lived = lived

    def sent(self, method: str) -> None:
        """Note that a request goes out."""
        self._lived.note_sent(method)

    def heard(self, method: str, status: int) -> None:
        """Note a whole answer, or the head of a stream."""
        self._lived.note_heard(method, status)
