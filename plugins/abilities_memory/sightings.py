"""Sightings: what was seen in the record, kept so that it is read once."""

from dataclasses import astuple
from functools import partial
from typing import Any, Final

from abilities_host import run_in_thread
from abilities_host.storage import Store, Transaction
from abilities_memory import pattern_tables as tables
from abilities_memory.evidence import Part
from abilities_memory.moments import DAY
from abilities_memory.patterns import GROWTH, Seen

KEEP_DAYS: Final = 365
MOST: Final = 20_000
PER_SESSION: Final = 50
"""How many of one pattern are kept of one session."""

_NAMES: Final = (*tables.SEEN, "count")


class Sightings:
    """What was seen, of one store.

    Args:
        store: with the tables of guidance and of patterns.
        most: how many are kept; beyond that the oldest go.
    """

    def __init__(self, store: Store, *, most: int = MOST) -> None:
        self._store: Final = store
        self._most: Final = most

    async def last(self) -> int:
        """Give the number of the last entry that was read, 0 for none."""
        [(last,)] = await self._store.read(tables.LAST)
        return int(last)

    async def keep(self, after: int, part: Part, *, now: int) -> bool:
        """Keep what a part of the record shows, and how far it was read.

        Args:
            after: where the part began.
            part: what was read.
            now: microseconds since 1970.

        Returns:
            False when another process has read on from there; nothing is kept then.

        Raises:
            StoreError: when nothing could be stored.
        """
        return await self._store.transact(partial(self._keep, after, part, now))

    async def often(self, least: int) -> list[Seen]:
        """Give what was seen of patterns for which no guidance stands.

        Args:
            least: in how many sessions.

        Returns:
            All of it, in the order of the record.

        Raises:
            StoreError: when it cannot be read.
        """
        values = {"least": least, "growth": GROWTH, "most": self._most}
        rows = await self._store.read(tables.OFTEN, values)
        return await run_in_thread(lambda: [*map(_seen, rows)])

    def _keep(self, after: int, part: Part, now: int, db: Transaction) -> bool:
        [(last,)] = db.execute(tables.LAST)
        if last != after:
            return False
        keys = [{"entry": entry, "happened": word} for entry, word in part.found]
        db.execute_many(tables.TAKE_BACK, keys)
        rows = [_row(each) for seen in part.found.values() for each in seen]
        db.execute_many(tables.KEEP, rows)
        db.execute(tables.FORGET_OLD, {"until": now - KEEP_DAYS * DAY})
        [(count,)] = db.execute(tables.COUNT)
        if count > self._most:
            db.execute(tables.FORGET_FIRST, {"over": count - self._most})
        db.execute(tables.READ, {"last": part.last})
        return True


def _seen(row: tuple[Any, ...]) -> Seen:
    return Seen(**dict(zip(_NAMES, row, strict=True)))


def _row(seen: Seen) -> dict[str, Any]:
    values = dict(zip(_NAMES, astuple(seen), strict=True))
    return {**values, "pattern": seen.pattern, "most": PER_SESSION}
