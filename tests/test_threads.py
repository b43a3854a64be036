"""Code that may block gets a thread, and its answer comes back."""

import asyncio
import contextvars
import threading

import pytest

from abilities_host.settlements import Settlements
from abilities_host.threads import run_in_thread

WORD: contextvars.ContextVar[str] = contextvars.ContextVar("word")


async def test_the_thread_sees_the_callers_context() -> None:
    WORD.set("hello")
    assert await run_in_thread(WORD.get) == "hello"


async def test_it_is_a_daemon_that_never_holds_up_the_end() -> None:
    assert await run_in_thread(lambda: threading.current_thread().daemon)


@pytest.mark.parametrize(
    ("raised", "seen"),
    [
        (LookupError, LookupError),
        (StopIteration, RuntimeError),
        (SystemExit, RuntimeError),
        (KeyboardInterrupt, RuntimeError),
    ],
)
async def test_an_error_belongs_to_the_one_who_waits(
    raised: type[BaseException], seen: type[BaseException]
) -> None:
    def fail() -> None:
        raise raised

    with pytest.raises(seen):
        await run_in_thread(fail)


@pytest.mark.parametrize("fails", [True, False])
async def test_the_answer_for_nobody_is_dropped(*, fails: bool) -> None:
    goes_on, done = threading.Event(), threading.Event()

    def work() -> None:
        goes_on.wait(30)
        done.set()
        if fails:
            raise LookupError

    future = run_in_thread(work)
    future.cancel()
    goes_on.set()
    with pytest.raises(asyncio.CancelledError):
        await future
    while not done.is_set():
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert future.cancelled()


def test_a_thread_that_outlives_its_loop_ends_quietly() -> None:
    goes_on, done = threading.Event(), threading.Event()

    def work() -> None:
        goes_on.wait(30)
        done.set()

    async def leave() -> None:
        run_in_thread(work).cancel()

    asyncio.run(leave())
    goes_on.set()
    assert done.wait(30)


async def test_what_was_handed_over_is_waited_for() -> None:
    settlements, done = Settlements(), []

    async def settle() -> None:
        await asyncio.sleep(0)
        done.append(True)

    settlements.hand_over(settle())
    assert len(settlements) == 1
    assert await settlements.drain(5) == 0
    assert done == [True]


async def test_what_does_not_end_is_counted_and_left_alone() -> None:
    settlements, goes_on = Settlements(), asyncio.Event()
    task = settlements.hand_over(goes_on.wait())
    assert await settlements.drain(0.02) == 1
    goes_on.set()
    assert await task is True
