"""What a write locks, captures, records and may not do."""

import asyncio
import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
from envelope.world import World

from abilities_host import Call, Changes, Target, Veto


async def read(arguments: dict[str, Any]) -> dict[str, Any]:
    return arguments


async def test_two_writers_of_one_target_record_their_own_facts(tmp_path: Path) -> None:
    world = World()

    async def append(arguments: dict[str, Any]) -> None:
        old = world.notes.kept.get("a", "")
        await asyncio.sleep(0)
        world.notes.kept["a"] = old + arguments["text"]

    world.write("notes/append", append)
    async with world.open(tmp_path):
        outcomes = await asyncio.gather(
            *(world.run("notes/append", id="A", text=text) for text in "xyz")
        )
    facts = [(c.before, c.after) for outcome in outcomes for c in outcome.changes]
    assert facts[1:] == [("x", "xy"), ("xy", "xyz")]
    assert facts[0][1] == "x"


async def test_touch_captures_asks_and_records_before_it_returns(
    tmp_path: Path,
) -> None:
    world = World()

    async def put(arguments: dict[str, Any], call: Call) -> None:
        await call.touch("notes", "B")
        await world.put({"id": "b", "text": "x"})
        await call.created("notes", "c")

    world.ability("notes/put", put)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a")
    assert world.events == [
        "permission notes/put",
        "before_write notes/put []",
        "intent notes/put",
        "capture b=-",
        "before_write notes/put [b]",
        "before b=MISSING",
        "run b",
        "before_write notes/put [c]",
        "before c=MISSING",
        "capture b=x",
        "capture c=-",
        "outcome notes/put ok [b]",
        "after notes/put ok",
    ]
    assert [change.target for change in outcome.changes] == [Target("notes", "b")]


async def test_a_veto_at_touch_ends_the_call_even_if_it_is_swallowed(
    tmp_path: Path,
) -> None:
    world = World()
    world.answers = [None, Veto("not b")]

    async def put(arguments: dict[str, Any], call: Call) -> str:
        try:
            await call.touch("notes", "b")
        except Exception:
            return "went on"
        return "allowed"

    world.ability("notes/put", put)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a")
    assert (outcome.status, outcome.code) == ("refused", "write_vetoed")


async def test_an_intent_that_cannot_be_stored_stops_the_write(tmp_path: Path) -> None:
    world = World()
    world.record.fails_at = {"intent"}
    world.write("notes/put", world.put)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a", text="x")
    assert (outcome.status, outcome.code) == ("refused", "store_unwritable")
    assert world.notes.kept == {}


async def test_an_outcome_that_cannot_be_stored_is_unknown(tmp_path: Path) -> None:
    world = World()
    world.record.fails_at = {"outcome"}
    world.write("notes/put", world.put)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a", text="x")
    assert (outcome.status, outcome.code) == ("unknown", "record_failed")


async def test_a_state_that_cannot_be_stored_stops_the_touch(tmp_path: Path) -> None:
    world = World()
    world.record.fails_at = {"before"}

    async def put(arguments: dict[str, Any], call: Call) -> None:
        await call.touch("notes", "a")
        await world.put({"id": "a", "text": "x"})

    world.ability("notes/put", put)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a")
    assert (outcome.code, world.notes.kept) == ("store_unwritable", {})


async def test_a_state_that_cannot_be_read_stops_the_write(tmp_path: Path) -> None:
    world = World()
    world.notes.is_broken = True
    world.write("notes/put", world.put)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a", text="x")
    assert (outcome.status, outcome.code) == ("refused", "capture_failed")


async def test_facts_that_cannot_be_read_afterwards_are_unknown(tmp_path: Path) -> None:
    world = World()

    async def put(arguments: dict[str, Any]) -> None:
        await world.put(arguments)
        world.notes.is_broken = True

    world.write("notes/put", put)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a", text="x")
    assert (outcome.status, outcome.code) == ("unknown", "capture_failed")


async def test_a_verification_that_fails_is_said_and_nothing_else(
    tmp_path: Path,
) -> None:
    world = World()

    async def verify(arguments: dict[str, Any]) -> None:
        raise OSError

    world.write("notes/put", world.put, verify_callback=verify)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a", text="x")
    assert (outcome.status, outcome.flags) == ("ok", frozenset({"verify_failed"}))


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        (lambda _: [""], "a note has an id"),
        (lambda _: [str(n) for n in range(4)], "more than 3 targets"),
        (lambda _: 7, "not iterable"),
    ],
    ids=["not-canonical", "too-many", "not-a-list"],
)
async def test_what_is_no_target_is_refused(
    tmp_path: Path, targets: Any, words: str
) -> None:
    world = World()
    world.ability("notes/put", world.put, changes=Changes("notes", targets=targets))
    async with world.open(tmp_path, "[limits]\ntargets = 3\n"):
        outcome = await world.run("notes/put", id="a", text="x")
    assert outcome.code == "target_invalid"
    assert words in str(outcome.error)


async def test_switched_off_while_it_waits_for_a_target(tmp_path: Path) -> None:
    world = World()
    goes_on, started = asyncio.Event(), asyncio.Event()

    async def slow(arguments: dict[str, Any]) -> None:
        started.set()
        await goes_on.wait()

    world.write("notes/slow", slow)
    world.write("notes/put", world.put)
    async with world.open(tmp_path):
        first = asyncio.create_task(world.run("notes/slow", id="a"))
        await started.wait()
        second = asyncio.create_task(world.run("notes/put", id="a", text="x"))
        while "permission notes/put" not in world.events:
            await asyncio.sleep(0)
        await world.host.toggles.set("notes/put", state=False, by="ann")
        goes_on.set()
        outcomes = await asyncio.gather(first, second)
    assert [outcome.code for outcome in outcomes] == ["", "ability_not_found"]
    assert world.notes.kept == {}


class Text(str):
    """A text that one can wait to be gone."""

    __slots__ = ("__weakref__",)


async def test_a_write_that_has_ended_holds_no_state(tmp_path: Path) -> None:
    world = World()
    world.write("notes/put", world.put)
    world.notes.kept["a"] = Text("old")
    old = weakref.ref(world.notes.kept["a"])
    async with world.open(tmp_path):
        gc.disable()  # it would find what holds itself, but not at once
        try:
            status = (await world.run("notes/put", id="a", text="new")).status
            world.record.outcomes.clear()
            await asyncio.sleep(0)
            held = old()
        finally:
            gc.enable()
    assert (status, held) == ("ok", None)
