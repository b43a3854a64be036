"""A coroutine ends when it must, whatever it does about it."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import anyio
import pytest

from abilities_host.deadline import until

SHORT = 0.05


def soon(seconds: float = SHORT) -> float:
    return asyncio.get_running_loop().time() + seconds


async def test_an_answer_without_waiting_comes_back() -> None:
    async def answer() -> int:
        return 7

    assert await until(soon(), answer()) == 7


async def test_an_answer_after_waiting_comes_back() -> None:
    async def answer() -> int:
        await asyncio.sleep(0)
        return 7

    assert await until(soon(5), answer()) == 7


async def test_an_error_comes_through() -> None:
    async def fail() -> None:
        await asyncio.sleep(0)
        raise LookupError

    with pytest.raises(LookupError):
        await until(soon(5), fail())


async def hang() -> None:
    await asyncio.Event().wait()


async def hang_in_a_task_group() -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hang)


async def swallow_once() -> str:
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()
    return "late"


async def swallow_for_ever() -> None:
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()


@pytest.mark.parametrize(
    "work", [hang, hang_in_a_task_group, swallow_once, swallow_for_ever]
)
async def test_what_is_late_is_a_time_out(
    work: Callable[[], Coroutine[Any, Any, Any]],
) -> None:
    with pytest.raises(TimeoutError):
        await until(soon(), work())


async def test_clean_up_that_waits_still_ends() -> None:
    cleaned: list[bool] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    with pytest.raises(TimeoutError):
        await until(soon(), work())
    assert cleaned == [True]


async def test_the_callers_cancellation_is_no_time_out() -> None:
    started = asyncio.Event()

    async def work() -> None:
        started.set()
        await asyncio.Event().wait()

    async def wait() -> None:
        await until(soon(50), work())

    task = asyncio.create_task(wait())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_closing_the_waiting_coroutine_closes_the_work() -> None:
    closed: list[bool] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    waiting = until(soon(50), work())
    waiting.send(None)
    with suppress(RuntimeError):
        waiting.close()
    assert closed == [True]
