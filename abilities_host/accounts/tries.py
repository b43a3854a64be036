"""Tries: counted in the store before a secret is looked at."""

from collections.abc import Callable
from typing import Final

from abilities_host.accounts import tables
from abilities_host.accounts.errors import TooSoon
from abilities_host.accounts.waiting import seconds_after, seconds_left
from abilities_host.storage.base import Statement, Store


class Tries:
    """How often each name failed, and when it may try again.

    Args:
        store: where they are counted.
        clock: seconds since 1970.
    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store: Final = store
        self._clock: Final = clock

    async def check(self, name: str) -> int:
        """Check that a try would be looked at.

        Args:
            name: of an account, as it is kept.

        Returns:
            How many failed since the last that did not.

        Raises:
            TooSoon: while the name has to wait.
            StoreError: when the store cannot be read.
        """
        rows = await self._store.read(tables.TRIES, {"name": name})
        failures, until = rows[0] if rows else (0, 0)
        if left := seconds_left(until, self._clock()):
            raise TooSoon(name, left)
        return int(failures)

    async def take(self, name: str) -> int:
        """Count a try as failed, before anything is compared.

        Args:
            name: of an account, as it is kept.

        Returns:
            How many failed before it.

        Raises:
            TooSoon: while the name has to wait.
            StoreError: when it could not be counted.
        """
        failures = await self.check(name)
        wait = seconds_after(failures + 1)
        until = int(self._clock()) + wait
        values = {"name": name, "failures": failures, "until": until}
        statements = [
            Statement(tables.TAKE_TRY, values),
            Statement(tables.FORGET_STRANGERS, {"strangers": tables.STRANGERS}),
        ]
        count, _ = await self._store.write(statements)
        if not count:  # another process was faster, and its try is not over
            raise TooSoon(name, wait)
        return failures
