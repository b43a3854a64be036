"""Places are few, the queue is fair, and nothing is lost when somebody leaves."""

import asyncio

import pytest

from abilities_host.errors import HostBusy
from abilities_host.slots import Slots


def make(calls: int = 1, per_actor: int = 9, queue: int = 9) -> Slots:
    return Slots(calls=calls, per_actor=per_actor, queue=queue, seconds=5)


async def test_a_free_place_is_taken_at_once() -> None:
    slots = make()
    assert [slots.try_take("a"), slots.try_take("a")] == [True, False]
    slots.leave("a")
    assert slots.try_take("a")


async def test_the_longest_waiting_comes_first() -> None:
    slots, order = make(), []

    async def work(name: str) -> None:
        await slots.wait(name)
        order.append(name)
        slots.leave(name)

    assert slots.try_take("first")
    tasks = [asyncio.create_task(work(name)) for name in "abc"]
    await asyncio.sleep(0)
    slots.leave("first")
    await asyncio.gather(*tasks)
    assert order == ["a", "b", "c"]


async def test_a_busy_actor_does_not_hold_up_the_next() -> None:
    slots, order = make(calls=2, per_actor=1), []

    async def work(name: str) -> None:
        await slots.wait(name)
        order.append(name)

    assert slots.try_take("a")
    assert slots.try_take("b")
    tasks = [asyncio.create_task(work(name)) for name in ("a", "c")]
    await asyncio.sleep(0)
    slots.leave("b")
    await tasks[1]
    slots.leave("a")
    await tasks[0]
    assert order == ["c", "a"]


async def test_who_goes_away_while_waiting_leaves_nothing() -> None:
    slots = make()
    assert slots.try_take("a")
    gone = asyncio.create_task(slots.wait("b"))
    await asyncio.sleep(0)
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    slots.leave("a")
    assert slots.try_take("c")


async def test_who_goes_away_just_as_the_place_comes_passes_it_on() -> None:
    slots = make()
    assert slots.try_take("a")
    gone = asyncio.create_task(slots.wait("b"))
    await asyncio.sleep(0)
    slots.leave("a")
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    assert slots.try_take("c")


async def test_a_full_queue_and_a_long_wait_are_busy() -> None:
    slots = Slots(calls=1, per_actor=1, queue=1, seconds=0.02)
    assert slots.try_take("a")
    waiting = asyncio.create_task(slots.wait("b"))
    await asyncio.sleep(0)
    with pytest.raises(HostBusy, match="waiting calls"):
        await slots.wait("c")
    with pytest.raises(HostBusy, match="calls at once"):
        await waiting
