"""A stopped call is answered; whoever else cancels it is obeyed."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from abilities_host.server.running import RunningCalls

Result = dict[str, Any]


async def hang(started: asyncio.Event) -> Result:
    started.set()
    await asyncio.Event().wait()
    raise AssertionError


async def swallow(started: asyncio.Event) -> Result:
    with suppress(asyncio.CancelledError):
        await hang(started)
    return {"done": True}


async def left_over(calls: RunningCalls, call: Any) -> tuple[Result | None, int]:
    """Give the result and how many cancellations of the task are not settled."""
    result = await calls.run(call)
    task = asyncio.current_task()
    return result, task.cancelling() if task else -1


async def test_a_call_that_is_stopped_says_so_and_its_task_goes_on() -> None:
    calls, started = RunningCalls(), asyncio.Event()
    task = asyncio.create_task(left_over(calls, hang(started)))
    await started.wait()

    calls.cancel()
    calls.cancel()  # a second time is no second cancellation

    result, cancellations = await task
    assert result is not None
    assert (result["_meta"]["abilities/error"]["code"], cancellations) == (
        "host_stopping",
        0,
    )


async def test_a_call_that_ends_well_all_the_same_keeps_its_result() -> None:
    calls, started = RunningCalls(), asyncio.Event()
    task = asyncio.create_task(left_over(calls, swallow(started)))
    await started.wait()

    calls.cancel()

    assert await task == ({"done": True}, 0)


async def test_the_callers_own_cancellation_is_passed_on() -> None:
    calls, started = RunningCalls(), asyncio.Event()
    task = asyncio.create_task(calls.run(hang(started)))
    await started.wait()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    calls.cancel()  # nothing is left to stop
