"""Confirmations: who has shown the secret a moment ago, and for what."""

import time
from collections.abc import Callable
from typing import Final

from abilities_host.accounts import Unlocked
from abilities_host.admin.page import Confirm

SECONDS: Final = 300.0


def seconds_now() -> float:
    """Give a clock that goes on while the machine sleeps, where there is one."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


class Confirmations:
    """Kept in this process only: what signs is never stored.

    Args:
        clock: seconds since any moment.
    """

    def __init__(self, clock: Callable[[], float] = seconds_now) -> None:
        self._clock: Final = clock
        self._kept: Final[dict[tuple[str, Confirm, str], tuple[Unlocked, float]]] = {}

    def keep(
        self, digest: str, what: Confirm, person: Unlocked, pack: str = ""
    ) -> None:
        """Remember a person for five minutes.

        Args:
            digest: of the session.
            what: the class of actions.
            person: who has shown the secret.
            pack: for whose actions alone, by identity; empty for those of the host.
        """
        self._forget_old()
        self._kept[digest, what, pack] = (person, self._clock() + SECONDS)

    def find(self, digest: str, what: Confirm, pack: str = "") -> Unlocked | None:
        """Give the person, None when the secret must be asked for.

        Args:
            digest: of the session.
            what: the class of actions.
            pack: whose actions they are.
        """
        self._forget_old()
        found = self._kept.get((digest, what, pack))
        return found[0] if found else None

    def end(self, digest: str) -> None:
        """Forget the person of a session."""
        for key in [key for key in self._kept if key[0] == digest]:
            del self._kept[key]

    def _forget_old(self) -> None:
        now = self._clock()
        for key, (_, until) in tuple(self._kept.items()):
            if until <= now:
                del self._kept[key]
