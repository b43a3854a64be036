import asyncio
import os
from collections.abc import Iterator
from typing import NamedTuple

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abilities_host.server.pipes import Pipes

LIMIT = 100_000


class Ends(NamedTuple):
    """The client's end of both pipes."""

    pipes: Pipes
    sends: int
    reads: int


@pytest.fixture
def ends() -> Iterator[Ends]:
    source, sends = os.pipe()
    reads, sink = os.pipe()
    yield Ends(Pipes(source, sink, LIMIT), sends, reads)
    for descriptor in {source, sends, reads, sink}:
        try:
            os.close(descriptor)
        except OSError:
            continue  # the test has closed it


async def lines_of(ends: Ends, *chunks: bytes) -> list[str]:
    def send() -> None:
        for chunk in chunks:
            left = chunk
            while left:
                left = left[os.write(ends.sends, left) :]
        os.close(ends.sends)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(asyncio.to_thread(send))
        return [line async for line in ends.pipes]


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([], []),
        ([b"one\ntwo\n"], ["one", "two"]),
        ([b"one\nt", b"wo"], ["one", "two"]),
        ([b"\n\n"], ["", ""]),
        ([b"\xff\xfe\n"], ["\ufffd\ufffd"]),
        ([b"x" * (3 * LIMIT), b"\nshort\n"], ["short"]),
        ([b"x" * (3 * LIMIT)], []),
    ],
)
async def test_a_client_is_heard_line_by_line_within_a_limit(
    ends: Ends, chunks: list[bytes], lines: list[str]
) -> None:
    assert await lines_of(ends, *chunks) == lines


@given(st.lists(st.binary(max_size=50), max_size=8))
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_however_it_is_sent_the_lines_are_the_same(chunks: list[bytes]) -> None:
    source, sends = os.pipe()
    os.write(sends, b"".join(chunks))
    reads, sink = os.pipe()

    async def read() -> list[str]:
        return await lines_of(Ends(Pipes(source, sink, LIMIT), sends, reads))

    lines = asyncio.run(read())
    for descriptor in (source, reads, sink):
        os.close(descriptor)

    whole = b"".join(chunks).split(b"\n")
    expected = whole if whole[-1] else whole[:-1]
    assert lines == [line.decode(errors="replace") for line in expected]


async def test_what_is_written_arrives_whole(ends: Ends) -> None:
    text = "é" * 500_000 + "\n"

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(ends.pipes.write(text))
        arrived = b""
        while len(arrived) < len(text.encode()):
            arrived += await asyncio.to_thread(os.read, ends.reads, 1 << 16)
    await ends.pipes.flush()

    assert arrived.decode() == text


async def test_a_client_that_reads_no_more_is_no_error(ends: Ends) -> None:
    os.close(ends.reads)

    await ends.pipes.write("one\n")
    await ends.pipes.write("two\n")


async def test_waiting_for_a_client_can_be_stopped(ends: Ends) -> None:
    with anyio.move_on_after(0.01) as scope:
        async for _ in ends.pipes:
            raise AssertionError

    assert scope.cancelled_caught
    os.write(ends.sends, b"\n")  # lets the thread that still waits end
