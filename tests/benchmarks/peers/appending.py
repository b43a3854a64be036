"""Appends to a record in a process of its own, and tells what came of it, as JSON."""

import argparse
import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import orjson
from benchmarks.book import opened_book
from benchmarks.peers.record import Record

from abilities_ledger.draft import Draft, Whose

CALL: Final = "0" * 32
FACTS: Final[dict[str, Any]] = {
    "ability": "notes/write-note",
    "actor": "claude",
    "session": "5f2b",
    "arguments": {"id": 7, "title": "Shopping", "text": "Bread, butter. " * 20},
}

Append = Callable[[], Awaitable[Any]]


@asynccontextmanager
async def _record(folder: Path, *, is_apart: bool) -> AsyncIterator[Append]:
    async with Record(folder / "record.db", is_apart=is_apart) as record:
        yield lambda: record.append("intent", CALL, FACTS)


@asynccontextmanager
async def _book(folder: Path) -> AsyncIterator[Append]:
    """Append as the recorder does: each call a transaction of one entry."""
    facts = {**FACTS}
    whose = Whose(
        call=CALL,
        actor=facts.pop("actor"),
        session=facts.pop("session"),
        ability=facts.pop("ability"),
    )
    draft = Draft(kind="intent", whose=whose, details=facts)
    async with opened_book(folder) as book:
        yield lambda: book.append([draft])


KEEPERS: Final[Mapping[str, Callable[[Path], AbstractAsyncContextManager[Append]]]] = {
    "book": _book,
    "apart": lambda folder: _record(folder, is_apart=True),
    "together": lambda folder: _record(folder, is_apart=False),
}


async def _appended(append: Append, writers: int, seconds: float) -> dict[str, float]:
    """Have writers append one row after the other until the time is over."""
    start, cpu = time.perf_counter(), time.process_time()
    end, rows = start + seconds, 0

    async def write() -> None:
        nonlocal rows
        while time.perf_counter() < end:
            await append()
            rows += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(writers):
            group.create_task(write())
    taken = time.perf_counter() - start
    return {"rows": rows, "seconds": taken, "cpu": time.process_time() - cpu}


async def _run(asked: argparse.Namespace) -> dict[str, float]:
    async with KEEPERS[asked.keeper](asked.folder) as append:
        return await _appended(append, asked.writers, asked.seconds)


def main() -> None:
    """Append and tell."""
    parser = argparse.ArgumentParser()
    parser.add_argument("keeper", choices=KEEPERS)
    parser.add_argument("writers", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("folder", type=Path)
    told = asyncio.run(_run(parser.parse_args()))
    sys.stdout.write(orjson.dumps(told).decode() + "\n")


if __name__ == "__main__":
    main()
