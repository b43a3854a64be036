"""A long read does not stop the others, and ends when nobody waits for it."""

import asyncio
from pathlib import Path

import pytest

from abilities_host.storage.faults import CLOSED
from abilities_host.storage.readers import READERS
from abilities_host.storage.sqlite import open_sqlite

ENDLESS = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
    SELECT count(*) FROM n
"""


async def test_a_long_read_does_not_stop_the_others(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "store.db") as store:
        long = [asyncio.create_task(store.read(ENDLESS)) for _ in range(READERS - 1)]
        for _ in range(20):
            assert await store.read("SELECT 1") == [(1,)]
        ended = [task.done() for task in long]
        for task in long:
            task.cancel()
        await asyncio.wait(long)

    assert ended == [False] * (READERS - 1)


async def test_a_read_that_nobody_waits_for_is_stopped(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "store.db") as store:
        for _ in range(3):
            long = [asyncio.create_task(store.read(ENDLESS)) for _ in range(READERS)]
            await asyncio.wait(long, timeout=0.02)
            for task in long:
                task.cancel()
            await asyncio.wait(long)

            # All readers were taken: this one waits until one is free again.
            async with asyncio.timeout(30):
                assert await store.read("SELECT 1") == [(1,)]


async def test_a_store_closes_while_a_read_is_being_stopped(tmp_path: Path) -> None:
    async with asyncio.timeout(30), open_sqlite(tmp_path / "store.db") as store:
        long = asyncio.create_task(store.read(ENDLESS))
        await asyncio.wait([long], timeout=0.02)
        long.cancel()

    with pytest.raises(asyncio.CancelledError):
        await long


async def test_closing_stops_reads_and_tells_those_who_wait(tmp_path: Path) -> None:
    async with asyncio.timeout(30), open_sqlite(tmp_path / "store.db") as store:
        reads = [
            asyncio.create_task(store.read(sql))
            for sql in (*[ENDLESS] * READERS, "SELECT 1")
        ]
        await asyncio.wait(reads, timeout=0.02)
    answers = await asyncio.gather(*reads, return_exceptions=True)

    assert [str(each).partition(": ")[2] for each in answers] == [CLOSED] * len(reads)
