"""Verification of a large record, and the hashes alone, in turn."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from benchmarks.bench import Bench
from benchmarks.book import opened_book
from benchmarks.process import on_every_processor
from benchmarks.records import many, record
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.timing import check

from abilities_host import run_in_thread
from abilities_ledger.anchor import Anchor
from abilities_ledger.book import Book
from abilities_ledger.chain import first_hash, next_hash
from abilities_ledger.continuity import Continuity
from abilities_ledger.crew import Effort
from abilities_ledger.tables import RECORD
from abilities_ledger.verify import verify

HASHES: Final = "the hashes alone"
GOOD: Final = {"intact", "unanchored"}
ROUNDS: Final = 3
PAGE: Final = 5_000
ROWS_OF_A_PAGE: Final = (
    "SELECT seq, body, hash FROM ledger_entry WHERE seq > :after ORDER BY seq "
    "LIMIT :limit"
)


def measure(bench: Bench) -> Measured:
    """Read the whole record in both ways."""
    with on_every_processor(), asyncio.Runner() as runner:
        return runner.run(_measure(bench))


async def _measure(bench: Bench) -> Measured:
    kept = record(bench, many(bench))
    async with opened_book(kept.folder) as book:
        [(name,)] = await book.store.read(RECORD)
        spread: dict[str, list[float]] = {HERE: [], HASHES: []}
        for _ in range(bench.pick(1, ROUNDS)):
            spread[HERE].append(await _rate(lambda: _verified(book, name)))
            spread[HASHES].append(await _rate(lambda: _hashed(book, name)))
    remark = (
        f"{kept.asked:,} entries, in turn; wall time, over {Effort.usual().processes} "
        "processes; it compares the columns with what was hashed, reads every state, "
        f"and checks what was derived{kept.told}"
    )
    return Measured.of(spread, is_rate=True, remark=remark)


async def _rate(read: Callable[[], Awaitable[int]]) -> float:
    start = time.perf_counter()
    return await read() / (time.perf_counter() - start)


async def _verified(book: Book, name: str) -> int:
    anchor = Anchor(None, name, Continuity(book, name).course)
    found = await verify(book, anchor)
    check(is_good=found.verdict in GOOD)
    return found.entries


async def _hashed(book: Book, name: str) -> int:
    after, last = 0, first_hash(name)
    while rows := await book.store.read(
        ROWS_OF_A_PAGE, {"after": after, "limit": PAGE}
    ):
        last = await run_in_thread(partial(_chained, last, rows))
        after = rows[-1][0]
    return after


def _chained(last: bytes, rows: list[tuple[Any, ...]]) -> bytes:
    for _, body, hash_ in rows:
        last = next_hash(last, body)
        check(is_good=last == hash_)
    return last


ROW = Row(
    name="ledger: verification of the whole record",
    unit="rows/s",
    measure=measure,
    first=(Goal("≥ 300,000 rows/s", "", 300_000),),
    second=(Goal("≥ 500,000 rows/s", "", 500_000),),
)
