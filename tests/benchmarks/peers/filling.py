"""Fills a record in a process of its own, and tells what that took, as JSON."""

import argparse
import asyncio
import sys
import time
from pathlib import Path

import orjson
from benchmarks.book import Writes, fill, opened_book


async def _filled(folder: Path, entries: int) -> dict[str, float]:
    async with opened_book(folder) as book:
        start = time.perf_counter()
        await fill(book, Writes(entries))
        seconds = time.perf_counter() - start
        return {"rows": (await book.head()).seq, "seconds": seconds}


def main() -> None:
    """Fill and tell."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("entries", type=int)
    asked = parser.parse_args()
    told = asyncio.run(_filled(asked.folder, asked.entries))
    sys.stdout.write(orjson.dumps(told).decode() + "\n")


if __name__ == "__main__":
    main()
