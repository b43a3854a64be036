"""Window: what changed in a span of time, entry by entry and counted."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from abilities_host.ledger import Digest, Listed, Window
from abilities_ledger.book import Book
from abilities_ledger.filters import IS_ROLLED_BACK, JOINS, REAL, highest, lowest
from abilities_ledger.history import LIMIT, LISTED, listed_of

NAMED: Final = 200  # targets, actors and sessions that a digest names
SOURCE: Final = "change_ledger"

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNDONE: Final = "LEFT JOIN ledger_undone u ON u.seq = e.seq"
_VERDICT: Final = "LEFT JOIN ledger_verdict v ON v.call = e.call"

# An undo counts as a change where what it undid lies outside the window: only there is
# something different at the end from what was at the start.
_COUNTED: Final = """
WITH seen AS (
    SELECT e.seq, e.kind, e.call, e.domain, e.target, e.action, e.actor, e.session,
        e.result, {real} AS real, {is_rolled_back} AS is_rolled_back
    FROM ledger_entry e {undone} {verdict}
    WHERE {seen}
), undo AS (
    SELECT r.call, r.domain, r.target
    FROM (SELECT DISTINCT call FROM seen WHERE call <> '') s
    CROSS JOIN ledger_entry r
    LEFT JOIN ledger_entry o ON o.seq = r.about
    WHERE r.call = s.call AND r.kind = 'rollback' AND r.action = 'undone'
    GROUP BY r.call, r.domain, r.target
    HAVING max(CASE WHEN {about} THEN 0 ELSE 1 END) = 0
), change AS (
    SELECT * FROM seen WHERE kind = 'change'
    AND (call, domain, target) NOT IN (SELECT call, domain, target FROM undo)
), counted AS (
    SELECT * FROM change WHERE is_rolled_back = 0
), named AS (
    SELECT DISTINCT domain || ':' || target AS name FROM counted
)
SELECT 'action', domain, action, count(*) FROM counted GROUP BY domain, action
UNION ALL SELECT 'targets_count', '', '', count(*) FROM named
UNION ALL SELECT * FROM (
    SELECT 'targets', name, '', 1 FROM named ORDER BY name LIMIT :named)
UNION ALL SELECT * FROM (
    SELECT 'actors', actor, '', 1 FROM counted
    GROUP BY actor ORDER BY actor LIMIT :named)
UNION ALL SELECT * FROM (
    SELECT 'sessions', session, '', 1 FROM counted WHERE session <> ''
    GROUP BY session ORDER BY session LIMIT :named)
UNION ALL SELECT 'rolled_back', '', '', count(*) FROM change
    WHERE is_rolled_back = 1
UNION ALL SELECT 'divergences', '', '', count(DISTINCT call) FROM seen
    WHERE real <> '' AND real <> result
UNION ALL SELECT 'unknown', '', '', count(DISTINCT call) FROM seen
    WHERE real = '' AND result = 'unknown'
UNION ALL SELECT 'first', '', '', min(seq) FROM seen
UNION ALL SELECT 'last', '', '', max(seq) FROM seen
"""

_Found = Mapping[str, Sequence[Sequence[Any]]]


class Windows:
    """Reads windows of time.

    Args:
        book: the entries.
    """

    def __init__(self, book: Book) -> None:
        self._book: Final = book

    async def changes_in_window(
        self,
        start: datetime,
        end: datetime,
        *,
        session: str | None = None,
        actor: str | None = None,
        after: int | None = None,
        limit: int = 200,
    ) -> Window:
        """Give what changed in a window; see `Ledger.changes_in_window`.

        What was undone is counted as such and not as a change. The undo itself is a
        change where what it undid lies outside the window, and else nothing.
        """
        asked: dict[str, Any] = {"start": micros(start), "end": micros(end)}
        if asked["end"] < asked["start"]:
            msg = f"the window ends at {end}, before it starts"
            raise ValueError(msg)
        asked |= {"session": session} if session is not None else {}
        asked |= {"actor": actor} if actor is not None else {}
        limit = min(max(limit, 1), LIMIT)
        found = await self._entries(asked, after, limit + 1)
        digest = await self._digest(asked)
        return Window(tuple(found[:limit]), len(found) > limit, digest)

    async def _entries(
        self, asked: Mapping[str, Any], after: int | None, limit: int
    ) -> list[Listed]:
        sql = (
            f"{LISTED} FROM ledger_entry e {_UNDONE} {JOINS} "
            f"WHERE {_seen(asked, after)} ORDER BY e.seq LIMIT :limit"
        )
        values = {**asked, "limit": limit}
        values |= {"after": after} if after is not None else {}
        rows = await self._book.store.read(sql, values)
        return [listed_of(row) for row in rows]

    async def _digest(self, asked: Mapping[str, Any]) -> Digest:
        sql = _COUNTED.format(
            real=REAL,
            is_rolled_back=IS_ROLLED_BACK,
            undone=_UNDONE,
            verdict=_VERDICT,
            seen=_seen(asked, None),
            about=" AND ".join(_within(asked, "o")),
        )
        rows = await self._book.store.read(sql, {**asked, "named": NAMED})
        return _digest_of(rows)


def _seen(asked: Mapping[str, Any], after: int | None) -> str:
    """Find by number, since an index of its own for each filter has the numbers."""
    window = {name: asked[name] for name in ("start", "end")}
    start = f"e.seq >= ({lowest(window)})" if after is None else "e.seq > :after"
    end = f"e.seq <= ({highest(window)})"
    return " AND ".join(["e.listed = 1", start, end, *_within(asked, "e")])


def _within(asked: Mapping[str, Any], alias: str) -> list[str]:
    times = [f"{alias}.at + 0 >= :start", f"{alias}.at + 0 < :end"]
    names = [name for name in ("session", "actor") if name in asked]
    return [*times, *(f"{alias}.{name} = :{name}" for name in names)]


def _digest_of(rows: Iterable[Sequence[Any]]) -> Digest:
    """Make a digest of rows, each with what it is about, two names and a number."""
    found: dict[str, list[Sequence[Any]]] = {}
    for about, *row in rows:
        found.setdefault(about, []).append(row)
    domains: Counter[str] = Counter()
    for domain, _, count in found.get("action", ()):
        domains[domain] += count
    return Digest(
        source=SOURCE,
        entries_count=domains.total(),
        by_domain=dict(domains),
        by_action={f"{d}.{a}": count for d, a, count in found.get("action", ())},
        targets=_names(found, "targets"),
        targets_count=_number(found, "targets_count") or 0,
        divergence=bool(_number(found, "divergences")),
        divergences=_number(found, "divergences") or 0,
        rolled_back=_number(found, "rolled_back") or 0,
        unknown=_number(found, "unknown") or 0,
        first=_number(found, "first"),
        last=_number(found, "last"),
        actors=_names(found, "actors"),
        sessions=_names(found, "sessions"),
    )


def _names(found: _Found, about: str) -> list[str]:
    return [name for name, _, _ in found.get(about, ())]


def _number(found: _Found, about: str) -> int | None:
    [(_, _, number)] = found[about]
    return None if number is None else int(number)


def micros(moment: datetime) -> int:
    """Give microseconds since 1970.

    Args:
        moment: with a time zone.

    Returns:
        As the record counts them.

    Raises:
        ValueError: when it has no zone.
    """
    if moment.tzinfo is None or moment.utcoffset() is None:
        msg = f"{moment} has no time zone"
        raise ValueError(msg)
    past = moment - _EPOCH
    return (past.days * 86_400 + past.seconds) * 1_000_000 + past.microseconds
