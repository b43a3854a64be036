"""Impact: what a rule would have stopped, looked up in the record."""

import time
from collections.abc import Callable
from typing import Final

from abilities_host.ledger import Entry, Ledger, Query
from abilities_host.memory.review import DAYS, Impact
from abilities_host.memory.rule import Rule

PAGES: Final = 10
PAGE: Final = 500
EXAMPLES: Final = 10
_DAY: Final = 24 * 60 * 60 * 1_000_000


def now_micros() -> int:
    """Give the time in microseconds since 1970."""
    return time.time_ns() // 1000


async def impact_of(
    rule: Rule,
    ledger: Ledger,
    *,
    releasing: Rule | None = None,
    days: int = DAYS,
    clock: Callable[[], int] = now_micros,
) -> Impact:
    """Look up which changes of the last days a rule covers.

    At most 5,000 changes of its domain are looked at, the newest first.

    Args:
        rule: what would have been in force.
        ledger: the record of writes.
        releasing: the rule that takes its place: then only what this one no longer
            covers counts, which is released.
        days: how far back, at least 1.
        clock: microseconds since 1970.

    Returns:
        How many, with the newest as examples.
    """
    query = Query(domain=rule.domain, start=clock() - days * _DAY, limit=PAGE)
    found: list[Entry] = []
    for _ in range(PAGES):
        page = await ledger.list_changes(query)
        found += (
            listed.entry
            for listed in page.entries
            if rule.would_stop(listed.entry)
            and not (releasing and releasing.would_stop(listed.entry))
        )
        if page.next is None:
            return _impact(days, found, is_cut=False)
        query = Query(
            domain=rule.domain, start=query.start, before=page.next, limit=PAGE
        )
    return _impact(days, found, is_cut=True)


def _impact(days: int, found: list[Entry], *, is_cut: bool) -> Impact:
    examples = tuple(found[:EXAMPLES])
    return Impact(days=days, count=len(found), examples=examples, is_cut=is_cut)
