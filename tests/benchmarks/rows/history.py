"""Questions to a large record, beside the same ones to a small one."""

import asyncio
import random
import statistics
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from benchmarks.bench import Bench
from benchmarks.book import DOMAINS, Writes, opened_book
from benchmarks.records import FEW, Record, many, record
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.timing import Once, check, each_us

from abilities_host.ledger import Page, Query
from abilities_ledger.history import History

SMALL: Final = f"with {FEW:,} entries"
PAGE: Final = 50
Ask = Callable[[Writes, random.Random], Query]


def _latest(_writes: Writes, _choice: random.Random) -> Query:
    return Query(limit=PAGE)


def _of_domain(_writes: Writes, choice: random.Random) -> Query:
    return Query(domain=f"domain-{choice.randrange(DOMAINS)}", limit=PAGE)


def _of_target(writes: Writes, choice: random.Random) -> Query:
    domain, target = writes.where(choice.randrange(writes.targets))
    return Query(domain=domain, target=target, limit=PAGE)


def measure(bench: Bench, *, ask: Ask) -> Measured:
    """Ask both records in turn, each time for another domain or target."""
    with asyncio.Runner() as runner:
        return runner.run(_measure(bench, ask))


async def _measure(bench: Bench, ask: Ask) -> Measured:
    large, small = record(bench, many(bench)), record(bench, FEW)
    count = bench.pick(40, 100)
    spread: dict[str, list[float]] = {HERE: [], SMALL: []}
    waited: dict[str, list[float]] = {HERE: [], SMALL: []}
    async with _asked(large, ask) as here, _asked(small, ask) as few:
        for _ in range(bench.pick(7, 15)):
            for who, once in ((SMALL, few), (HERE, here)):
                start = time.perf_counter()
                spread[who].append(await each_us(once, count))
                waited[who].append((time.perf_counter() - start) / count * 1e6)
    much, little = (statistics.median(waited[who]) for who in (HERE, SMALL))
    return Measured.of(
        spread,
        remark=f"{large.asked:,} entries, a third of them listed; processor time; by "
        f"wall time, the disk included, {much:,.0f} and {little:,.0f} µs",
    )


@asynccontextmanager
async def _asked(kept: Record, ask: Ask) -> AsyncIterator[Once]:
    writes, choice = Writes(kept.asked), random.Random(1)  # noqa: S311 - no secret
    async with opened_book(kept.folder) as book:
        history = History(book)

        async def once() -> Page:
            return await history.list_changes(ask(writes, choice))

        check(is_good=len((await once()).entries) == PAGE)
        await each_us(once, 20)
        yield once


def _row(name: str, ask: Ask) -> Row:
    goals = [Goal(f"≤ {most} x with few", SMALL, 1 / most) for most in (1.5, 1.2)]
    return Row(
        name=f"ledger: {name}, of 1,000,000 entries / of few",
        unit="µs/page",
        measure=partial(measure, ask=ask),
        first=(goals[0],),
        second=(goals[1],),
    )


ROWS = (
    _row("latest 50", _latest),
    _row("latest 50 of a domain", _of_domain),
    _row("history of one target", _of_target),
)
