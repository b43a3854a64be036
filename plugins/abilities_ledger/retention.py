"""Retention: what is kept, for how long, and what happens when there is no room."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

from abilities_host import CallError
from abilities_host.ledger import Pruned
from abilities_host.storage import Transaction
from abilities_ledger.book import Book
from abilities_ledger.draft import Draft, Whose

YOUNG_DAYS: Final = 7  # a change of these days is never removed
BATCH: Final = 5000
BATCHES: Final = 20  # at once; the next run goes on
_LOOK: Final = 10_000_000  # microseconds between two looks at how full it is
_DAY: Final = 86_400_000_000  # microseconds
_SLACK: Final = 1.1  # over the cap before anybody is refused; pruning is due before

_ENDS: Final = "SELECT coalesce(min(seq), 0), coalesce(max(seq), 0) FROM ledger_entry"
_BYTES: Final = "SELECT bytes FROM ledger_total"
_OPEN: Final = "SELECT min(seq) FROM ledger_open"
# Only what no younger entry stands before: a clock that was set back is no age.
_RECENT: Final = "SELECT seq FROM ledger_entry WHERE at >= :until ORDER BY seq LIMIT 1"
# The first entry of a run with a young change: an undo needs the intent too.
_YOUNG: Final = """
    SELECT min(first) FROM (
        SELECT call, min(seq) AS first FROM ledger_entry
        WHERE seq BETWEEN :first AND :through AND call <> '' GROUP BY call
    ) AS run
    WHERE EXISTS (
        SELECT 1 FROM ledger_entry AS young
        WHERE young.call = run.call AND young.listed = 1 AND young.at >= :since
    )
"""
_LARGE: Final = """
    SELECT last FROM (
        SELECT last, sum(length(data)) OVER (ORDER BY last, digest) AS total
        FROM ledger_content WHERE data IS NOT NULL
    ) AS running
    WHERE total >= :excess ORDER BY last LIMIT 1
"""
_HASH: Final = "SELECT hash FROM ledger_entry WHERE seq = :seq"
_SHARES: Final = """
    SELECT actor, count(*) FROM ledger_entry
    WHERE listed = 1 AND at >= :since GROUP BY actor
"""
_GOING: Final = (
    "SELECT count(*), coalesce(sum(length(data)), 0) FROM ledger_content "
    "WHERE last <= :through"
)
_DROP: Final = (
    "DELETE FROM ledger_entry WHERE seq <= :through",
    "DELETE FROM ledger_content WHERE last <= :through",
    "DELETE FROM ledger_undone WHERE seq <= :through",
    "DELETE FROM ledger_verdict WHERE seq <= :through",
)
_COUNT: Final = (
    "UPDATE ledger_total SET contents = contents - :contents, bytes = bytes - :bytes"
)


class _PrunedElsewhere(Exception):
    """Another host is at it."""


class RecordFull(CallError):
    """The record is full of changes too young to go, and this actor has its share."""

    code = "ledger_full"

    def __init__(self, actor: str) -> None:
        super().__init__(
            f"The record of writes is full, and {actor!r} has had its share of the "
            f"last {YOUNG_DAYS} days, which are never removed. Wait, or have the "
            "operator raise [ledger] keep_entries or keep_bytes."
        )


class Room(NamedTuple):
    """How much the record holds.

    Attributes:
        first: number of the oldest entry, 0 for none.
        head: number of the newest entry, 0 for none.
        bytes: of states and arguments.
    """

    first: int
    head: int
    bytes: int

    @property
    def entries(self) -> int:
        """How many there are; the numbers have no gaps."""
        return self.head - self.first + 1 if self.head else 0


class Retention:
    """The limits of the record.

    Args:
        book: the entries.
        days: that entries are kept.
        entries: that are kept.
        contents_bytes: of states that are kept.
        clock: microseconds since 1970.
    """

    def __init__(
        self,
        book: Book,
        *,
        days: int,
        entries: int,
        contents_bytes: int,
        clock: Callable[[], int] = lambda: time.time_ns() // 1000,
    ) -> None:
        self._book: Final = book
        self._days: Final = days
        self._entries: Final = entries
        self._bytes: Final = contents_bytes
        self._clock: Final = clock
        self._shares: dict[str, int] | None = None
        self._looked_at: int | None = None

    async def check_room(self, actor: str) -> None:
        """Check that an actor may add to the record.

        Args:
            actor: id of who writes.

        Raises:
            RecordFull: when the record is over its limits with young changes, and the
                actor has more than its share of them.
        """
        now = self._clock()
        if self._looked_at is None or abs(now - self._looked_at) > _LOOK:
            self._looked_at = now
            self._shares = await self._shares_if_full()
        shares = self._shares
        own = shares.get(actor, 0) if shares else 0
        if shares and own and own * len(shares) >= sum(shares.values()):
            raise RecordFull(actor)

    async def _shares_if_full(self) -> dict[str, int] | None:
        """Make room if there is none; then say whose the young changes are."""
        if not self._is_over(await self.room()):
            return None
        await self.prune(by="host")
        if not self._is_over(await self.room()):
            return None
        return dict(await self._book.store.read(_SHARES, {"since": self._young()}))

    async def room(self) -> Room:
        """Read how much the record holds."""
        [(first, head)] = await self._book.store.read(_ENDS)
        [(size,)] = await self._book.store.read(_BYTES)
        return Room(first, head, size)

    async def prune(
        self, *, by: str, is_dry_run: bool = False, batches: int = BATCHES
    ) -> Pruned:
        """Remove what the limits no longer keep, oldest first.

        Args:
            by: who asked.
            is_dry_run: only say what would go.
            batches: of 5,000 entries, at most.

        Returns:
            What went, or would.
        """
        room = await self.room()
        through = await self._through(room)
        size, last = 0, room.first - 1
        for _ in range(batches):
            first, until = last + 1, min(last + BATCH, through)
            until = await self._before_young(first, until)
            if until < first:
                break
            [(_, going)] = await self._book.store.read(_GOING, {"through": until})
            if not is_dry_run:
                try:
                    await self._remove(first, until, by, going)
                except _PrunedElsewhere:
                    break
            size = going if is_dry_run else size + going
            last = until
        entries = last - room.first + 1
        return Pruned(entries=entries, through=last if entries else None, bytes=size)

    async def _remove(self, first: int, through: int, by: str, going: int) -> None:
        rows = await self._book.store.read(_HASH, {"seq": through})
        if not rows:
            raise _PrunedElsewhere
        mark = Draft(
            kind="prune",
            whose=Whose(actor=by),
            action="pruned",
            details={
                "from": first,
                "through": through,
                "hash": rows[0][0].hex(),
                "bytes": going,
            },
        )
        await self._book.append([mark], also=partial(_drop, first, through))

    async def _through(self, room: Room) -> int:
        """Say up to which entry some limit wants all to go, young ones left aside."""
        wanted = max(
            await self._older_than(room),
            room.head - self._entries,
            await self._too_large(room),
        )
        [(still_open,)] = await self._book.store.read(_OPEN)
        return min(wanted, room.head - 1, (still_open or room.head) - 1)

    async def _older_than(self, room: Room) -> int:
        until = self._clock() - self._days * _DAY
        rows = await self._book.store.read(_RECENT, {"until": until})
        return rows[0][0] - 1 if rows else room.head

    async def _too_large(self, room: Room) -> int:
        excess = room.bytes - self._bytes
        if excess <= 0:
            return 0
        rows = await self._book.store.read(_LARGE, {"excess": excess})
        return rows[0][0] if rows else 0

    async def _before_young(self, first: int, until: int) -> int:
        values = {"first": first, "through": until, "since": self._young()}
        [(young,)] = await self._book.store.read(_YOUNG, values)
        return until if young is None else young - 1

    def _young(self) -> int:
        return self._clock() - YOUNG_DAYS * _DAY

    def _is_over(self, room: Room) -> bool:
        entries, size = self._entries * _SLACK, self._bytes * _SLACK
        return room.entries > entries or room.bytes > size


def _drop(first: int, through: int, db: Transaction, _: Any) -> None:
    if db.execute(_ENDS)[0][0] != first:
        raise _PrunedElsewhere
    [(contents, size)] = db.execute(_GOING, {"through": through})
    for sql in _DROP:
        db.execute(sql, {"through": through})
    db.execute(_COUNT, {"contents": contents, "bytes": size})
