"""Governed writes in a host of its own, and what they leave in memory, as JSON."""

import argparse
import asyncio
import gc
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import orjson
from benchmarks.pack import BenchPack, Policy
from benchmarks.process import resident_kb
from benchmarks.timing import check
from benchmarks.world import POLICIES

import abilities_ledger
from abilities_host import Actor
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.testing import build_host

WRITERS: Final = 32
WARM: Final = 5_000
"""Calls before memory is looked at for the first time."""
WRITER: Final = Actor("bench", "agent", frozenset({"read", "write"}))
CONFIG: Final = (
    "[ledger]\nrequired = true\nkeep_entries = 10_000_000\n"
    "[limits]\ncalls_per_actor = 64\n"
)


@asynccontextmanager
async def governed(folder: Path) -> AsyncIterator[Host]:
    """Run a host that records what writes do.

    Args:
        folder: where it keeps everything, the anchor too.

    Yields:
        A host with three policies.
    """
    ledger = Pack(
        "abilities-host/ledger",
        "ledger",
        "1",
        is_policy=False,
        load=lambda: abilities_ledger,
    )
    others = [(f"policy-{each}", Policy()) for each in range(1, POLICIES)]
    packs: list[Any] = [ledger, ("bench", BenchPack(5, writes=True)), *others]
    async with build_host(folder, packs=packs, config=CONFIG) as host:
        yield host


async def write(host: Host, calls: int, until: float) -> int:
    """Have 32 writers write until it is enough, or late.

    Args:
        host: that records them.
        calls: how many in all.
        until: a moment of the monotonic clock.

    Returns:
        How many succeeded.
    """
    numbers, done = count(), 0

    async def writer(id_: int) -> None:
        nonlocal done
        while time.monotonic() < until and (number := next(numbers)) < calls:
            arguments = {"id": id_, "name": f"Ada {number}", "active": True}
            outcome = await host.execute("bench/write", arguments, actor=WRITER)
            check(is_good=outcome.is_ok)
            done += 1

    async with asyncio.TaskGroup() as group:
        for id_ in range(WRITERS):
            group.create_task(writer(id_))
    return done


async def _grown(folder: Path, calls: int, seconds: float) -> dict[str, float]:
    start = time.monotonic()
    async with governed(folder) as host:
        warm = await write(host, min(WARM, calls // 2), start + seconds / 2)
        before = _memory()
        cpu = time.process_time()
        more = await write(host, calls - warm, start + seconds)
        cpu = time.process_time() - cpu
        return {
            "warm": warm,
            "more": more,
            "before_kb": before,
            "after_kb": _memory(),
            "cpu": cpu,
        }


def _memory() -> int:
    gc.collect()
    return resident_kb(os.getpid())


def main() -> None:
    """Write and tell."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("calls", type=int)
    parser.add_argument("seconds", type=float)
    asked = parser.parse_args()
    told = asyncio.run(_grown(asked.folder, asked.calls, asked.seconds))
    sys.stdout.write(orjson.dumps(told).decode() + "\n")


if __name__ == "__main__":
    main()
