"""The impact of a rule is counted from the record, and says when it is cut."""

from typing import Any, cast

import pytest
from memory_rules.writes import RULE, A, B, entry

from abilities_host.ledger import Entry, Ledger, Listed, Page, Query
from abilities_host.memory import Impact
from abilities_host.memory.impact import impact_of
from abilities_host.memory.rule import parse_rule

NOW = 1_800_000_000_000_000
DAY = 24 * 60 * 60 * 1_000_000


class Record:
    """The one thing that is asked of the record; pages hold what is left to read."""

    def __init__(self, entries: list[Entry], per_page: int) -> None:
        self.entries = entries
        self.per_page = per_page
        self.asked: list[Query] = []

    async def list_changes(self, query: Query) -> Page:
        self.asked.append(query)
        left = [e for e in self.entries if query.before is None or e.seq < query.before]
        page = left[: self.per_page]
        listed = tuple(
            Listed(e, "", is_rolled_back=False, is_reversible=True) for e in page
        )
        return Page(listed, page[-1].seq if len(left) > len(page) else None)


def record_of(*entries: Entry, per_page: int = 500) -> Record:
    return Record(sorted(entries, key=lambda e: -e.seq), per_page)


async def impact(record: Record, **options: Any) -> Impact:
    rule = parse_rule(RULE)
    ledger = cast("Ledger", record)
    return await impact_of(rule, ledger, clock=lambda: NOW, **options)


async def test_what_it_covers_is_counted_with_the_newest_as_examples() -> None:
    record = record_of(
        *(entry(A if seq % 2 else B, seq=seq) for seq in range(1, 41)), per_page=7
    )

    found = await impact(record, days=3)

    assert (found.days, found.count, found.is_cut) == (3, 20, False)
    assert [e.seq for e in found.examples] == list(range(39, 20, -2))
    assert {(q.domain, q.start, q.limit) for q in record.asked} == {
        ("files", NOW - 3 * DAY, 500)
    }
    assert [q.before for q in record.asked] == [None, 34, 27, 20, 13, 6]


async def test_only_what_the_new_rule_releases_is_counted() -> None:
    record = record_of(entry(seq=1), entry(seq=2, action="deleted"), entry(B, seq=3))

    found = await impact(record, releasing=parse_rule({**RULE, "actions": ["deleted"]}))

    assert [e.seq for e in found.examples] == [1]


@pytest.mark.parametrize(("pages", "is_cut"), [(10, False), (11, True)])
async def test_no_more_than_ten_pages_are_read(
    pages: int,
    is_cut: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    record = record_of(*(entry(seq=seq) for seq in range(1, pages + 1)), per_page=1)

    found = await impact(record)

    assert (found.count, found.is_cut, len(record.asked)) == (10, is_cut, 10)
