"""Whether the same call may be tried again is said only where that is safe."""

import asyncio
import threading
from pathlib import Path
from typing import Any

from envelope.world import READ, World

from abilities_host import AbilityFailed, Call, Outcome


async def hang(arguments: dict[str, Any]) -> None:
    await asyncio.Event().wait()


class Limited(AbilityFailed):
    """Something outside takes no more calls for a moment."""

    retryable = True

    def __init__(self) -> None:
        super().__init__("The service takes no more calls now.", code="limited")


def limit(arguments: dict[str, Any]) -> None:
    raise Limited


def told(outcome: Outcome) -> tuple[str, str, bool]:
    return outcome.status, outcome.code, outcome.retryable


async def test_a_read_that_took_too_long_may_be_tried_again_a_write_may_not(
    tmp_path: Path,
) -> None:
    world = World()
    goes_on = threading.Event()

    def wait(arguments: dict[str, Any]) -> None:
        goes_on.wait(30)

    world.ability("notes/get", hang, meta=READ, time_limit=0.05)
    world.ability("notes/slow", wait, meta=READ, time_limit=0.05)
    world.write("notes/put", hang, time_limit=0.05)
    world.ability("notes/send", hang, time_limit=0.05)
    names = ("get", "slow", "put", "send")
    async with world.open(tmp_path):
        ended = [told(await world.run(f"notes/{name}", id="a")) for name in names]
        goes_on.set()

    assert ended == [
        ("failed", "ability_timeout", True),
        ("unknown", "ability_timeout", True),
        ("failed", "ability_timeout", False),
        ("unknown", "ability_timeout", False),
    ]


async def test_a_write_that_found_its_target_busy_may_be_tried_again(
    tmp_path: Path,
) -> None:
    world = World()
    has_begun, goes_on = asyncio.Event(), asyncio.Event()

    async def wait(arguments: dict[str, Any]) -> None:
        has_begun.set()
        await goes_on.wait()

    world.write("notes/put", wait)
    async with world.open(tmp_path, "[limits]\nlock_seconds = 0.05\n"):
        first = asyncio.create_task(world.run("notes/put", id="a"))
        await has_begun.wait()
        second = await world.run("notes/put", id="a")
        goes_on.set()
        ok = await first

    assert told(second) == ("refused", "target_busy", True)
    assert told(ok) == ("ok", "", False)


async def test_a_write_that_has_begun_may_not_whatever_it_met(tmp_path: Path) -> None:
    world = World()
    has_begun, goes_on = asyncio.Event(), asyncio.Event()

    async def wait(arguments: dict[str, Any]) -> None:
        has_begun.set()
        await goes_on.wait()

    async def both(arguments: dict[str, Any], call: Call) -> None:
        (await call.execute("notes/put", arguments)).unwrap()

    world.write("notes/put", wait)
    world.ability("notes/both", both)
    async with world.open(tmp_path, "[limits]\nlock_seconds = 0.05\n"):
        first = asyncio.create_task(world.run("notes/put", id="a"))
        await has_begun.wait()
        outer = await world.run("notes/both", id="a")
        goes_on.set()
        await first

    assert told(outer) == ("refused", "target_busy", False)


async def test_an_ability_may_say_it_of_its_own_failures(tmp_path: Path) -> None:
    world = World()
    world.ability("notes/get", limit, meta=READ)
    world.write("notes/put", limit)
    async with world.open(tmp_path):
        read = await world.run("notes/get", id="a")
        write = await world.run("notes/put", id="a")

    assert told(read) == ("failed", "limited", True)
    assert told(write) == ("failed", "limited", False)


async def test_what_the_caller_must_change_may_not(tmp_path: Path) -> None:
    world = World()
    world.ability("notes/get", limit, meta=READ)
    async with world.open(tmp_path):
        outcome = await world.run("notes/get", id=7)

    error = outcome.error
    assert error is not None
    assert told(outcome) == ("refused", "ability_invalid_input", False)
    assert (error.argument, error.expected) == ("/id", "a string")
