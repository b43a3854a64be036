"""History: what was done, newest first, with what later entries say of it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from abilities_host import run_in_thread
from abilities_host.ledger import Entry, Kind, Listed, Page, Query
from abilities_ledger.book import Book, entry_of
from abilities_ledger.chain import COLUMNS
from abilities_ledger.filters import (
    IS_REVERSIBLE,
    IS_ROLLED_BACK,
    JOINS,
    REAL,
    Filters,
)

LIMIT: Final = 500
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
NEWEST: Final = 10_000  # of a domain, by name only
LOOK: Final = 20_000  # entries that one page looks through

LISTED: Final = (
    f"SELECT {', '.join(f'e.{name}' for name in (*COLUMNS, 'body'))}, "
    f"{REAL}, {IS_ROLLED_BACK}, {IS_REVERSIBLE}"
)
_ONE: Final = (
    f"{LISTED} FROM ledger_entry e LEFT JOIN ledger_undone u ON u.seq = e.seq "
    f"{JOINS} WHERE e.seq = :seq AND e.listed = 1"
)

_NEWEST_OF: Final = """
    SELECT seq, at, kind, actor, ability, domain, target, action FROM ledger_entry
    WHERE listed = 1 AND domain = :domain ORDER BY seq DESC LIMIT :limit
"""


class _Reach(NamedTuple):
    """The part of the record that one page looks through.

    Attributes:
        floor: lowest number, None for nothing.
        ceiling: highest number.
        looked: how many entries.
    """

    floor: int | None
    ceiling: int | None
    looked: int


class History:
    """Reads what was done.

    Args:
        book: the entries.
        look: how many entries one page looks through when no index has the answer.
    """

    def __init__(self, book: Book, *, look: int = LOOK) -> None:
        self._book: Final = book
        self._look: Final = look

    async def list_changes(self, query: Query) -> Page:
        """Give what was done, newest first; see `Ledger.list_changes`."""
        limit = min(max(query.limit, 1), LIMIT)
        filters = Filters(query)
        if not filters.is_searching:
            entries = await self._page(filters, limit + 1, filters.values)
            return _page_of(entries, limit, None)
        reach = await self._reach(filters)
        if reach.floor is None:
            return Page((), None)
        bounds = {"floor": reach.floor, "ceiling": reach.ceiling}
        entries = await self._page(filters, limit + 1, {**filters.values, **bounds})
        rest = reach.floor if reach.looked == self._look else None
        return _page_of(entries, limit, rest)

    async def get_change(self, seq: int) -> Listed | None:
        """Give one change or outcome; see `Ledger.get_change`."""
        rows = await self._book.store.read(_ONE, {"seq": seq})
        return listed_of(rows[0]) if rows else None

    async def get_entry(self, seq: int) -> Entry | None:
        """Give an entry of any kind; see `Ledger.get_entry`."""
        found = await self._book.select("WHERE seq = :seq", {"seq": seq})
        return found[0] if found else None

    async def newest_of(self, domain: str, limit: int) -> list[Entry]:
        """Give the newest changes of a domain; see `Ledger.newest_of`."""
        values = {"domain": domain, "limit": min(max(limit, 1), NEWEST)}
        rows = await self._book.store.read(_NEWEST_OF, values)
        return await run_in_thread(lambda: [_named(*row) for row in rows])

    async def _reach(self, filters: Filters) -> _Reach:
        values = {**filters.values, "look": self._look}
        rows = await self._book.store.read(filters.reach(), values)
        return _Reach(*rows[0])

    async def _page(
        self, filters: Filters, limit: int, values: Mapping[str, Any]
    ) -> list[Listed]:
        sql = f"{LISTED} {filters.page()}"
        rows = await self._book.store.read(sql, {**values, "limit": limit})
        return [listed_of(row) for row in rows]


def listed_of(row: Sequence[Any]) -> Listed:
    """Make a listed entry of the values that `LISTED` selects."""
    *entry, real, is_rolled_back, is_reversible = row
    return Listed(entry_of(entry), real, bool(is_rolled_back), bool(is_reversible))


def _named(  # noqa: PLR0917 - columns, by place
    seq: int,
    at: int,
    kind: Kind,
    actor: str,
    ability: str,
    domain: str,
    target: str,
    action: str,
) -> Entry:
    return Entry(
        seq=seq,
        at=at,
        kind=kind,
        actor=actor,
        ability=ability,
        domain=domain,
        target=target,
        action=action,
        details=NOTHING,
    )


def _page_of(entries: Sequence[Listed], limit: int, rest: int | None) -> Page:
    """Make a page; one entry more than asked for shows that there is another page."""
    shown = tuple(entries[:limit])
    if len(entries) > limit:
        rest = shown[-1].entry.seq
    return Page(shown, rest)
