"""Keyring: an issuer's keys as they were read last, renewed in time and once."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from abilities_host.errors import AbilitiesError
from abilities_host.server.issuer.keys import Keys
from abilities_host.server.issuer.verdict import NotBelieved, Reason
from abilities_host.threads import run_in_thread

FRESH_SECONDS: Final = 600.0
KEPT_SECONDS: Final = 86_400.0
PAUSE_SECONDS: Final = 60.0
FIRST_PAUSE_SECONDS: Final = 5.0
WAIT_SECONDS: Final = 15.0

log = logging.getLogger(__name__)


class Keyring:
    """Gives the keys that tokens are checked with.

    They are read again after ten minutes, and when a token names a key that is not
    among them, at most once a minute. When that fails the old ones go on for a day.

    Args:
        load: reads the keys; it is called in a thread.
        clock: seconds since 1970.

    Attributes:
        problem: why the last reading failed, empty when it did not.
    """

    def __init__(self, load: Callable[[], Keys], clock: Callable[[], float]) -> None:
        self._load: Final = load
        self._clock: Final = clock
        self._keys: Keys | None = None
        self._loaded_at = self._tried_at = float("-inf")
        self._reading: asyncio.Future[Keys] | None = None
        self.problem = ""

    @property
    def settled(self) -> Keys | None:
        """The keys, where nothing has to be waited for; None otherwise."""
        return None if self._is_due() or self._must_wait() else self._usable()

    async def current(self) -> Keys:
        """Give the keys, read again if it is time.

        Returns:
            Keys that were read at most a day ago.

        Raises:
            NotBelieved: when there are none.
        """
        if self._is_due():
            self._read()
        if self._must_wait():
            await self._wait()
        return self._checked()

    async def renewed(self) -> Keys:
        """Give the keys, read again unless that was done within the last minute.

        Returns:
            Keys that were read at most a day ago.

        Raises:
            NotBelieved: when there are none.
        """
        if self._is_past(self._tried_at, PAUSE_SECONDS):
            self._read()
        if self._reading is not None:
            await self._wait()
        return self._checked()

    def _is_past(self, then: float, seconds: float) -> bool:
        # A clock that was set back makes everything due, and nothing eternal.
        return not 0 <= self._clock() - then < seconds

    def _is_due(self) -> bool:
        has_none = self._keys is None and self._reading is None
        pause = FIRST_PAUSE_SECONDS if has_none else PAUSE_SECONDS
        is_old = self._is_past(self._loaded_at, FRESH_SECONDS)
        return is_old and self._is_past(self._tried_at, pause)

    def _must_wait(self) -> bool:
        """An issuer that is known to be down holds nobody up while there are keys."""
        is_needed = not self.problem or self._usable() is None
        return self._reading is not None and is_needed

    def _usable(self) -> Keys | None:
        return None if self._is_past(self._loaded_at, KEPT_SECONDS) else self._keys

    def _checked(self) -> Keys:
        keys = self._usable()
        if keys is None:
            raise NotBelieved(Reason.UNREACHABLE)
        return keys

    def _read(self) -> None:
        """One that never ends is given up after a minute: the next takes its place."""
        self._tried_at = self._clock()
        self._reading = run_in_thread(self._load)
        self._reading.add_done_callback(self._take)

    async def _wait(self) -> None:
        if self._reading is not None:
            await asyncio.wait({self._reading}, timeout=WAIT_SECONDS)

    def _take(self, reading: "asyncio.Future[Keys]") -> None:
        error = reading.exception()
        if reading is not self._reading:
            return
        self._reading = None
        if error is not None:
            self._note(error)
            return
        self.problem, self._loaded_at = "", self._clock()
        # The same object for the same keys: what was checked with it stays checked.
        self._keys = self._keys if self._keys == reading.result() else reading.result()

    def _note(self, error: BaseException) -> None:
        is_ours = isinstance(error, AbilitiesError)
        problem = str(error) if is_ours else f"Reading failed: {type(error).__name__}."
        if problem != self.problem:
            log.warning("%s", problem)
        self.problem = problem
