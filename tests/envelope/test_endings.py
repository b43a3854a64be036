"""However a run is stopped, it ends as it must."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from envelope.world import READ, World


async def hang(arguments: dict[str, Any]) -> None:
    await asyncio.Event().wait()


async def test_a_time_out_ends_with_what_is_true(tmp_path: Path) -> None:
    world = World()
    world.write("notes/put", hang, time_limit=0.05)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a")
    assert (outcome.status, outcome.code) == ("failed", "ability_timeout")
    assert world.events[3:] == [
        "intent notes/put",
        "capture a=-",
        "outcome notes/put failed []",
        "after notes/put failed",
    ]


async def test_a_time_out_of_what_cannot_be_read_is_unknown(tmp_path: Path) -> None:
    world = World()
    world.ability("notes/send", hang, time_limit=0.05)
    async with world.open(tmp_path):
        outcome = await world.run("notes/send", id="a")
    assert (outcome.status, outcome.code) == ("unknown", "ability_timeout")


async def test_a_lost_thread_is_unknown_until_it_returns(tmp_path: Path) -> None:
    world = World()
    goes_on = threading.Event()

    def slow(arguments: dict[str, Any]) -> dict[str, Any]:
        goes_on.wait(30)
        world.notes.kept[arguments["id"]] = "late"
        return {}

    world.write("notes/slow", slow, time_limit=0.05)
    async with world.open(tmp_path, "[limits]\nlock_seconds = 0.05\n"):
        outcome = await world.run("notes/slow", id="a")
        busy = await world.run("notes/slow", id="a")
        before = list(world.events)
        goes_on.set()
        await world.host.settlements.drain(10)
    assert (outcome.status, outcome.flags) == ("unknown", frozenset({"thread_lost"}))
    assert busy.code == "target_busy"
    assert before == [
        "permission notes/slow",
        "capture a=-",
        "before_write notes/slow [a]",
        "intent notes/slow",
        "outcome notes/slow unknown []",
        "after notes/slow unknown",
        "permission notes/slow",
        "after notes/slow refused",
    ]
    assert world.events[len(before) :] == [
        "capture a=late",
        "outcome notes/slow ok [a]",
        "after notes/slow ok",
    ]


async def test_cancelling_a_running_write_still_records_it(tmp_path: Path) -> None:
    world = World()
    started = asyncio.Event()

    async def put_and_wait(arguments: dict[str, Any]) -> None:
        await world.put({"id": "a", "text": "x"})
        started.set()
        await asyncio.Event().wait()

    world.write("notes/put", put_and_wait)
    async with world.open(tmp_path):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: world.run("notes/put", id="a"))
            await started.wait()
            tasks.cancel_scope.cancel()
        await world.host.settlements.drain(10)
    assert world.events[3:] == [
        "intent notes/put",
        "run a",
        "capture a=x",
        "outcome notes/put failed [a]",
        "after notes/put failed",
    ]
    assert world.record.outcomes[0].flags == {"cancelled"}


async def test_cancelled_before_the_first_suspension_changes_nothing(
    tmp_path: Path,
) -> None:
    world = World()
    world.write("notes/put", world.put)
    async with world.open(tmp_path):
        with anyio.CancelScope() as scope:
            scope.cancel()
            await world.run("notes/put", id="a", text="x")
        await world.host.settlements.drain(10)
    assert world.notes.kept == {}
    assert world.events == ["permission notes/put", "after notes/put refused"]


async def test_cancelled_while_the_intent_is_stored_leaves_it_closed(
    tmp_path: Path,
) -> None:
    world = World()
    world.write("notes/put", world.put)
    world.record.hold("intent")
    async with world.open(tmp_path):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: world.run("notes/put", id="a", text="x"))
            await world.record.reached["intent"].wait()
            tasks.cancel_scope.cancel()
        world.record.gates["intent"].set()
        await world.host.settlements.drain(10)
    assert world.notes.kept == {}
    assert world.events == [
        "permission notes/put",
        "capture a=-",
        "before_write notes/put [a]",
        "intent notes/put",
        "outcome notes/put refused []",
        "after notes/put refused",
    ]


async def test_cancelled_during_capture_leaves_nothing_behind(tmp_path: Path) -> None:
    world = World()
    world.write("notes/put", world.put)
    world.notes.gate = asyncio.Event()
    async with world.open(tmp_path, "[limits]\nlock_seconds = 0.05\n"):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: world.run("notes/put", id="a", text="x"))
            await world.notes.waiting.wait()
            tasks.cancel_scope.cancel()
        await world.host.settlements.drain(10)
        world.notes.gate = None
        again = await world.run("notes/put", id="a", text="y")
    assert world.events[:3] == [
        "permission notes/put",
        "capture a=-",
        "after notes/put refused",
    ]
    assert again.is_ok


async def test_a_cancelled_read_is_told_to_the_observers(tmp_path: Path) -> None:
    world = World()
    world.ability("notes/wait", hang, meta=READ)
    async with world.open(tmp_path):
        task = asyncio.create_task(world.run("notes/wait", id="a"))
        while len(world.events) < 1:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await world.host.settlements.drain(10)
    assert world.events == ["permission notes/wait", "after notes/wait failed"]


async def test_a_host_that_is_cancelled_waits_for_the_ends_of_its_runs(
    tmp_path: Path,
) -> None:
    world = World()
    started = asyncio.Event()

    async def put_and_wait(arguments: dict[str, Any]) -> None:
        await world.put({"id": "a", "text": "x"})
        started.set()
        await asyncio.Event().wait()

    async def serve() -> None:
        async with world.open(tmp_path):
            await world.run("notes/put", id="a")

    world.write("notes/put", put_and_wait)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(serve)
        await started.wait()
        tasks.cancel_scope.cancel()
    assert world.events[-2:] == [
        "outcome notes/put failed [a]",
        "after notes/put failed",
    ]
