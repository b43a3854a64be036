"""The impact of a rule is counted from the record, and says when it is cut."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

import pytest
from memory_rules.writes import RULE, A, B, entry

from abilities_host.ledger import Entry, Ledger
from abilities_host.memory import Impact
from abilities_host.memory.impact import LOOKED_AT, impact_of
from abilities_host.memory.rule import parse_rule

NOW = 1_800_000_000_000_000
DAY = 24 * 60 * 60 * 1_000_000


class Record:
    """The one thing that is asked of the record."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = sorted(entries, key=lambda each: -each.seq)
        self.asked: list[tuple[str, int]] = []

    async def newest_of(self, domain: str, limit: int) -> list[Entry]:
        self.asked.append((domain, limit))
        return self.entries[:limit]


def record_of(*entries: Entry) -> Record:
    """Have what says no time be of now."""
    return Record(each if each.at else replace(each, at=NOW) for each in entries)


async def impact(record: Record, **options: Any) -> Impact:
    rule = parse_rule(RULE)
    ledger = cast("Ledger", record)
    return await impact_of(rule, ledger, clock=lambda: NOW, **options)


async def test_what_it_covers_is_counted_with_the_newest_as_examples() -> None:
    record = record_of(*(entry(A if seq % 2 else B, seq=seq) for seq in range(1, 41)))

    found = await impact(record, days=3)

    assert (found.days, found.count, found.is_cut) == (3, 20, False)
    assert [e.seq for e in found.examples] == list(range(39, 20, -2))
    assert record.asked == [("files", LOOKED_AT + 1)]


async def test_only_what_the_new_rule_releases_is_counted() -> None:
    record = record_of(entry(seq=1), entry(seq=2, action="deleted"), entry(B, seq=3))

    found = await impact(record, releasing=parse_rule({**RULE, "actions": ["deleted"]}))

    assert [e.seq for e in found.examples] == [1]


@pytest.mark.parametrize(
    ("more", "days_ago", "is_cut"), [(0, 0, False), (1, 0, True), (1, 4, False)]
)
async def test_no_more_is_looked_at_than_is_said(
    more: int,
    days_ago: int,
    is_cut: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    last = replace(entry(seq=1), at=NOW - days_ago * DAY)
    others = (entry(seq=seq) for seq in range(2, LOOKED_AT + 1 + more))
    record = record_of(last, *others)

    found = await impact(record, days=3)

    assert (found.count, found.is_cut) == (LOOKED_AT, is_cut)


async def test_what_is_older_is_not_counted() -> None:
    late = [replace(entry(seq=seq), at=NOW - 2 * DAY) for seq in (5, 6, 8, 9)]
    # When number 7 was recorded the clock was wrong.
    old = [replace(entry(seq=seq), at=NOW - 4 * DAY) for seq in (1, 2, 3, 4, 7)]

    found = await impact(record_of(*late, *old), days=3)

    assert (found.count, found.is_cut) == (4, False)
    assert [e.seq for e in found.examples] == [9, 8, 6, 5]
