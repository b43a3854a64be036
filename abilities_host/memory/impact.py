"""Impact: what a rule would have stopped, looked up in the record."""

import time
from collections.abc import Callable
from typing import Final

from abilities_host.ledger import Ledger
from abilities_host.memory.review import DAYS, Impact
from abilities_host.memory.rule import Rule

LOOKED_AT: Final = 3_000
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

    At most 3,000 changes of its domain are looked at, the newest first.

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
    start = clock() - days * _DAY
    newest = await ledger.newest_of(rule.domain, LOOKED_AT + 1)
    found = [
        entry
        for entry in newest[:LOOKED_AT]
        if entry.at >= start
        and rule.would_stop(entry)
        and not (releasing and releasing.would_stop(entry))
    ]
    is_cut = len(newest) > LOOKED_AT and newest[LOOKED_AT].at >= start
    return Impact(
        days=days, count=len(found), examples=tuple(found[:EXAMPLES]), is_cut=is_cut
    )
