"""The writer: bounded, patient with a broken file, and done when the host ends."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from requestlog.log_world import file_of, record, records_of

from abilities_host.requestlog.log import RequestLog
from abilities_host.requestlog.writer import BATCH, KINDS, Writer

SECONDS = 10.0

ENDLESS = """
import asyncio, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from requestlog.log_world import file_of, record
from abilities_host.requestlog.writer import Writer

async def main():
    writer = Writer(file_of(Path(sys.argv[1]), keep_days=3650))
    task = asyncio.create_task(writer.run())
    for n in range(1_000_000):
        writer.note(record(at=time.time_ns() // 1_000, request=str(n)))
        print(n, flush=True)
        await asyncio.sleep(0.01)

asyncio.run(main())
"""


@asynccontextmanager
async def running(writer: Writer) -> AsyncIterator[None]:
    task = asyncio.create_task(writer.run())
    try:
        yield
    finally:
        writer.stop()
        await task


async def until(is_so: Callable[[], bool]) -> None:
    with anyio.fail_after(SECONDS):
        while not await asyncio.to_thread(is_so):
            await anyio.sleep(0.01)


async def test_what_was_noted_is_soon_in_the_file_and_the_rest_at_the_end(
    tmp_path: Path,
) -> None:
    writer = Writer(file_of(tmp_path), seconds=0.01)
    async with running(writer):
        writer.note(record(request="1"))
        await until(lambda: len(records_of(tmp_path)) == 1)
        for number in range(2, BATCH + 100):
            writer.note(record(request=str(number)))

    found = await asyncio.to_thread(records_of, tmp_path)
    assert [each.request for each in found] == [*map(str, range(1, BATCH + 100))]
    assert writer.dropped == 0


async def test_beyond_its_room_requests_are_counted_as_dropped_and_shown(
    tmp_path: Path,
) -> None:
    writer = Writer(file_of(tmp_path), waiting=10)
    for number in range(25):
        writer.note(record(request=str(number)))

    async with running(writer):
        pass

    *kept, dropped = await asyncio.to_thread(records_of, tmp_path)
    assert [each.request for each in kept] == [*map(str, range(10))]
    assert (dropped.code, dropped.times, dropped.status) == ("log_dropped", 15, "error")
    assert writer.dropped == 15


async def test_a_flood_of_refusals_is_a_few_rows(tmp_path: Path) -> None:
    writer = Writer(file_of(tmp_path), seconds=0.01)
    log = RequestLog(writer)
    began = int(time.time())
    async with running(writer):
        for number in range(20_000):
            log.refused(401 if number % 2 else 421)
            if number % 1_000 == 0:
                await writer_turn()
    seconds = int(time.time()) - began + 1

    found = await asyncio.to_thread(records_of, tmp_path)
    assert len(found) <= 2 * seconds
    told = [(each.code, each.times) for each in found]
    for code in ("http_401", "http_421"):
        assert sum(times for each, times in told if each == code) == 10_000
    assert {(each.surface, each.method, each.status) for each in found} == {
        ("http", "", "refused")
    }


async def writer_turn() -> None:
    await asyncio.sleep(0.02)


async def test_different_refusals_at_once_are_bounded_too(tmp_path: Path) -> None:
    writer = Writer(file_of(tmp_path))
    for number in range(3 * KINDS):
        writer.count("http", str(number), "http_401")

    async with running(writer):
        pass

    found = await asyncio.to_thread(records_of, tmp_path)
    assert len([each for each in found if each.code == "http_401"]) <= KINDS + 1
    assert sum(each.times for each in found) == 3 * KINDS
    assert writer.dropped >= 2 * KINDS - 1


async def test_a_broken_file_is_said_once_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "requests.db"
    await asyncio.to_thread(path.write_text, "no log")
    writer = Writer(file_of(tmp_path), waiting=5)

    async with running(writer):
        for number in range(8):
            writer.note(record(request=str(number)))
        writer.count("http", "", "http_401")
        await writer.flush()
        await writer.flush()

        await asyncio.to_thread(path.unlink)
        await writer.flush()

    warnings = [each.getMessage() for each in caplog.records]
    assert len(warnings) == 2
    assert str(path) in warnings[0]
    assert warnings[1] == "requests are logged again"
    found = await asyncio.to_thread(records_of, tmp_path)
    told = [(each.request, each.code, each.times) for each in found]
    assert told == [
        *((str(n), "", 1) for n in range(5)),
        ("", "http_401", 1),
        ("", "log_dropped", 3),
    ]


async def test_what_could_not_be_written_at_the_end_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await asyncio.to_thread((tmp_path / "requests.db").write_text, "no log")
    writer = Writer(file_of(tmp_path))
    async with running(writer):
        writer.note(record())

    assert caplog.records[-1].getMessage() == "1 requests were not logged at the end"


async def test_a_record_that_cannot_be_written_does_not_hold_up_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    writer = Writer(file_of(tmp_path))
    async with running(writer):
        writer.note(record(actor="\ud800"))
        await writer.flush()
        writer.note(record(request="next"))

    found = await asyncio.to_thread(records_of, tmp_path)
    assert [each.request for each in found if each.method] == ["next"]
    assert writer.dropped == 1
    assert [each.levelno for each in caplog.records] == [logging.ERROR]


async def test_old_requests_are_removed_while_it_runs(tmp_path: Path) -> None:
    now = time.time_ns() // 1_000
    old, new = record(at=now - 90 * 86_400_000_000), record(at=now)
    writer = Writer(file_of(tmp_path, keep_days=30), seconds=0.01)
    async with running(writer):
        for _ in range(3):
            writer.note(old)
        writer.note(new)
        await until(lambda: records_of(tmp_path) == [new])


def test_a_killed_process_loses_at_most_the_last_second(tmp_path: Path) -> None:
    tests = str(Path(__file__).parent.parent)
    arguments = [sys.executable, "-u", "-c", ENDLESS, str(tmp_path), tests]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= 200:
                break
        killed = time.time_ns() // 1_000
        os.kill(process.pid, signal.SIGKILL)
        rest = process.stdout.read().split()
    last = max([200, *map(int, rest)])

    found = records_of(tmp_path)
    numbers = [int(each.request) for each in found]
    assert numbers == [*range(len(numbers))]
    # Whatever is missing was noted within the last second.
    assert len(numbers) > last or killed - found[-1].at < 1_000_000
