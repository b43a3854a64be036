"""Links: the one that lets a person make the first account in a browser."""

import time
from collections.abc import Callable
from typing import Final

from abilities_host.admin import tables
from abilities_host.admin.sessions import digest_of, new_id
from abilities_host.storage.base import Statement, Store

MINUTES: Final = 15


class FirstLinks:
    """Keys that work once, until the next is made or a quarter of an hour is over.

    Args:
        store: where their hashes are kept; the tables are there.
        clock: seconds since 1970.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store: Final = store
        self._clock: Final = clock

    async def make(self) -> str:
        """Make a key; every earlier one is of no use any more.

        Returns:
            The key, which is kept nowhere.

        Raises:
            StoreError: when it could not be stored.
        """
        key, until = new_id(), int(self._clock()) + MINUTES * 60
        values = {"digest": digest_of(key), "until": until}
        await self._store.write(
            [Statement(tables.FORGET_LINKS), Statement(tables.ADD_LINK, values)]
        )
        return key

    async def is_good(self, key: str) -> bool:
        """Answer whether a key would work; raises StoreError."""
        return bool(await self._store.read(tables.FIND_LINK, self._values(key)))

    async def use(self, key: str) -> bool:
        """Use a key up.

        Args:
            key: anything.

        Returns:
            Whether it worked; only for one of several who try.

        Raises:
            StoreError: when that could not be stored.
        """
        [count] = await self._store.write(
            [Statement(tables.USE_LINK, self._values(key))]
        )
        return bool(count)

    def _values(self, key: str) -> dict[str, str | int]:
        return {"digest": digest_of(key), "now": int(self._clock())}
