"""Searching: guidance of some kind, or with words in it, page by page in bounds."""

import json
from collections.abc import Sequence
from typing import Any, Final

from abilities_host import run_in_thread
from abilities_host.memory import GuidancePage, GuidanceQuery
from abilities_host.storage import Store
from abilities_memory import columns

LOOK: Final = 3_000
"""Numbers that one page looks through for words, which no index knows."""

_FOUND: Final = f"""
    SELECT number, {columns.GUIDANCE} FROM memory_guidance
    WHERE number > :after AND forgotten_at IS NULL
        AND (:status IS NULL OR status = :status)
        AND (:topic IS NULL OR topic = :topic)
        AND (:type IS NULL OR type = :type)
        AND (:until IS NULL OR coalesce(reviewed_at, proposed_at) <= :until)
        AND (:last IS NULL OR number <= :last)
    ORDER BY number LIMIT :limit
"""  # noqa: S608 - names of columns only
_LAST: Final = "SELECT max(number) FROM memory_guidance"

Row = Sequence[Any]


async def search(
    store: Store, query: GuidanceQuery, *, after: int, limit: int
) -> GuidancePage:
    """Give guidance that is looked for, oldest first, without what was forgotten.

    Args:
        store: with the tables of this pack.
        query: which.
        after: number after which to look.
        limit: how many, at least 1.

    Returns:
        One page; for words it looks through `LOOK` numbers at most.

    Raises:
        StoreError: when it cannot be read.
    """
    values: dict[str, Any] = {
        "status": query.status,
        "topic": query.topic,
        "type": query.type,
        "until": query.until,
        "after": after,
    }
    if not query.words:
        rows = await store.read(_FOUND, {**values, "last": None, "limit": limit + 1})
        return _page_of(rows, limit, None)
    last = after + LOOK
    rows = await store.read(_FOUND, {**values, "last": last, "limit": LOOK})
    words = [word.casefold() for word in query.words]
    found = await run_in_thread(lambda: [row for row in rows if _says(row, words)])
    [(newest,)] = await store.read(_LAST)
    return _page_of(found, limit, last if last < (newest or 0) else None)


def _says(row: Row, words: Sequence[str]) -> bool:
    """Look at what is kept; to make guidance of each row would take longer."""
    _, id_, _, topic, text, rationale, recall, _, _, target, *_ = row
    parts = (id_, text, rationale, *json.loads(recall), topic, target)
    said = "\n".join(parts).casefold()
    return all(word in said for word in words)


def _page_of(rows: Sequence[Row], limit: int, rest: int | None) -> GuidancePage:
    """Make a page; a row more than asked for shows that there is another one."""
    entries = tuple(columns.guidance_of(row[1:]) for row in rows[:limit])
    return GuidancePage(entries, rows[limit - 1][0] if len(rows) > limit else rest)
