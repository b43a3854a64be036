"""How much one run may take, and what happens beyond."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from envelope.world import ACTOR, READ, World

from abilities_host import Actor, Call, Outcome


async def read(arguments: dict[str, Any]) -> dict[str, Any]:
    return arguments


async def test_calls_nest_eight_deep_and_no_deeper(tmp_path: Path) -> None:
    world = World()
    depths: list[int] = []

    async def again(arguments: dict[str, Any], call: Call) -> str:
        depths.append(call.depth)
        inner = await call.execute("notes/again", arguments)
        return inner.code or str(inner.result)

    world.ability("notes/again", again, meta=READ)
    async with world.open(tmp_path):
        outcome = await world.run("notes/again", id="a")
    assert (outcome.result, depths) == ("nesting_too_deep", list(range(1, 9)))


async def test_a_nested_call_inherits_what_is_left_of_the_time(tmp_path: Path) -> None:
    world = World()

    async def outer(arguments: dict[str, Any], call: Call) -> list[float]:
        inner = await call.execute("notes/inner", {"id": "a"})
        return [call.deadline, inner.result]

    async def inner(arguments: dict[str, Any], call: Call) -> float:
        return call.deadline

    world.ability("notes/outer", outer, meta=READ, time_limit=5)
    world.ability("notes/inner", inner, meta=READ, time_limit=50)
    async with world.open(tmp_path):
        outcome = await world.run("notes/outer", id="a")
    assert outcome.result[0] == outcome.result[1]


async def test_one_place_is_enough_for_a_call_inside_a_call(tmp_path: Path) -> None:
    world = World()

    async def outer(arguments: dict[str, Any], call: Call) -> Any:
        return (await call.execute("notes/get", {"id": "a"})).result

    world.ability("notes/outer", outer, meta=READ)
    world.ability("notes/get", read, meta=READ)
    async with world.open(tmp_path, "[limits]\ncalls = 1\n"):
        outcome = await world.run("notes/outer", id="a")
    assert outcome.result == {"id": "a"}


async def test_beyond_places_and_queue_the_host_is_busy(tmp_path: Path) -> None:
    world = World()
    goes_on = asyncio.Event()

    async def wait(arguments: dict[str, Any]) -> str:
        await goes_on.wait()
        return "done"

    world.ability("notes/wait", wait, meta=READ)
    async with world.open(tmp_path, "[limits]\ncalls = 2\nqueue = 1\n"):
        tasks = [asyncio.create_task(world.run("notes/wait", id="a")) for _ in "1234"]
        (first,), _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        goes_on.set()
        outcomes = await asyncio.gather(*tasks)
    assert first.result().code == "host_busy"
    assert [outcome.status for outcome in outcomes].count("ok") == 3


async def test_one_actor_leaves_places_to_the_others(tmp_path: Path) -> None:
    world = World()
    goes_on = asyncio.Event()

    async def wait(arguments: dict[str, Any]) -> str:
        if arguments["id"] == "a":
            await goes_on.wait()
        return "done"

    world.ability("notes/wait", wait, meta=READ)
    settings = "[limits]\ncalls = 2\ncalls_per_actor = 1\n"
    async with world.open(tmp_path, settings):
        held = [asyncio.create_task(world.run("notes/wait", id="a")) for _ in "12"]
        other = Actor("bob", "agent", frozenset({"read"}))
        outcome = await world.host.execute("notes/wait", {"id": "b"}, actor=other)
        goes_on.set()
        await asyncio.gather(*held)
    assert outcome.result == "done"


async def test_what_hangs_in_threads_stops_new_writes_to_its_pack(
    tmp_path: Path,
) -> None:
    world = World()
    goes_on = threading.Event()

    def slow(arguments: dict[str, Any]) -> None:
        goes_on.wait(30)

    world.write("notes/slow", slow, time_limit=0.02)
    world.ability("notes/get", read, meta=READ)
    async with world.open(tmp_path, "[limits]\nabandoned_threads = 2\n"):
        lost = [await world.run("notes/slow", id=name) for name in "ab"]
        refused = await world.run("notes/slow", id="c")
        still_read = await world.run("notes/get", id="c")
        goes_on.set()
        await world.host.settlements.drain(10)
        again = await world.run("notes/slow", id="d")
    assert [outcome.status for outcome in lost] == ["unknown", "unknown"]
    assert refused.code == "pack_abandoned"
    assert "'local/notes'" in str(refused.error)
    assert (still_read.status, again.status) == ("ok", "ok")


@pytest.mark.parametrize("nothing", [None, {}, []], ids=["none", "object", "list"])
async def test_no_input_has_four_spellings(tmp_path: Path, nothing: object) -> None:
    world = World()
    schema = {"type": "object", "properties": {"limit": {"default": 5}}}
    world.ability("notes/get", read, meta=READ, input_schema=schema)
    world.ability("notes/bare", lambda: "bare", meta=READ, input_schema=None)
    async with world.open(tmp_path):
        filled = await world.host.execute("notes/get", nothing, actor=ACTOR)
        bare = await world.host.execute("notes/bare", nothing, actor=ACTOR)
    assert (filled.result, bare.result) == ({"limit": 5}, "bare")


async def test_arguments_for_what_takes_none(tmp_path: Path) -> None:
    world = World()
    world.ability("notes/bare", lambda: "bare", meta=READ, input_schema=None)
    async with world.open(tmp_path):
        outcome = await world.run("notes/bare", id="a")
    assert outcome.code == "ability_missing_input_schema"


async def test_sizes_have_limits(tmp_path: Path) -> None:
    world = World()
    world.ability("notes/get", read, meta=READ)
    settings = "[limits]\ninput_bytes = 3000\nresult_bytes = 1024\n"
    async with world.open(tmp_path, settings):
        inward = await world.run("notes/get", id="x" * 3000)
        outward = await world.run("notes/get", id="x" * 1500)
    assert (inward.code, outward.code) == (
        "ability_invalid_input",
        "ability_invalid_output",
    )


async def test_a_result_that_is_no_json_is_an_invalid_output(tmp_path: Path) -> None:
    world = World()

    async def get(arguments: dict[str, Any]) -> object:
        return {1, 2}

    world.ability("notes/get", get, meta=READ)
    async with world.open(tmp_path):
        outcome = await world.run("notes/get", id="a")
    assert str(outcome.error) == (
        "Ability 'notes/get' returned an invalid result: /: a set cannot be written "
        "as JSON"
    )


@pytest.mark.parametrize("error", [SystemExit, asyncio.CancelledError, TimeoutError])
async def test_whatever_an_ability_raises_by_itself_is_its_failure(
    tmp_path: Path, error: type[BaseException]
) -> None:
    world = World()

    async def get(arguments: dict[str, Any]) -> None:
        raise error

    world.ability("notes/get", get, meta=READ)
    async with world.open(tmp_path):
        outcome = await world.run("notes/get", id="a")
    assert outcome.code == "ability_callback_exception"


async def test_progress_reaches_who_asked(tmp_path: Path) -> None:
    world = World()
    heard: list[tuple[float, float | None, str | None]] = []

    async def get(arguments: dict[str, Any], call: Call) -> None:
        await call.report_progress(1, 2, "half")

    async def listen(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    world.ability("notes/get", get, meta=READ)
    async with world.open(tmp_path):
        await world.host.execute("notes/get", {"id": "a"}, actor=ACTOR, progress=listen)
        silent: Outcome = await world.run("notes/get", id="a")
    assert heard == [(1, 2, "half")]
    assert silent.is_ok
