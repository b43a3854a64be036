"""The order of every run, compared whole."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from envelope.world import ACTOR, READ, World

from abilities_host import Answer, Ask, Call, Denied, NeedsInput, Outcome, Veto


async def fail(arguments: dict[str, Any]) -> None:
    raise RuntimeError(arguments["id"])


async def hang(arguments: dict[str, Any]) -> None:
    await asyncio.Event().wait()


async def test_a_read_asks_permission_runs_and_tells(tmp_path: Path) -> None:
    world = World()

    async def get(arguments: dict[str, Any]) -> dict[str, Any]:
        world.events.append("run")
        return {"id": arguments["id"]}

    world.ability("notes/get", get, meta=READ)
    async with world.open(tmp_path):
        outcome = await world.run("notes/get", id="a")
    assert (outcome.status, outcome.result) == ("ok", {"id": "a"})
    assert world.events == ["permission notes/get", "run", "after notes/get ok"]


async def test_a_write_is_captured_asked_recorded_run_and_proven(
    tmp_path: Path,
) -> None:
    world = World()
    world.write("notes/put", world.put, verifies=True)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="A", text="x")
    assert world.events == [
        "permission notes/put",
        "capture a=-",
        "before_write notes/put [a]",
        "intent notes/put",
        "run A",
        "capture a=x",
        "verify notes/put",
        "outcome notes/put ok [a]",
        "after notes/put ok",
    ]
    assert outcome.verified == {"text": None}


async def test_a_veto_stops_before_the_intent(tmp_path: Path) -> None:
    world = World()
    world.answers = [Veto("not today", rule="r1")]
    world.write("notes/put", world.put)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a", text="x")
    assert world.events == [
        "permission notes/put",
        "capture a=-",
        "before_write notes/put [a]",
        "refusal notes/put write_vetoed",
        "after notes/put refused",
    ]
    assert outcome.error is not None
    assert outcome.error.message == (
        "The write 'notes/put' was stopped by 'local/notes': not today"
    )


async def test_invalid_input_reaches_nobody(tmp_path: Path) -> None:
    world = World()
    world.write("notes/put", world.put)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id=1)
    assert outcome.code == "ability_invalid_input"
    assert world.events == ["after notes/put refused"]


async def test_a_denial_is_recorded_as_a_refusal(tmp_path: Path) -> None:
    world = World()
    world.allows = Denied("internal reason", public="ask Ann")
    world.write("notes/put", world.put)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a", text="x")
    assert str(outcome.error) == "Ability 'notes/put' was denied: ask Ann"
    assert world.events == [
        "permission notes/put",
        "refusal notes/put ability_invalid_permissions",
        "after notes/put refused",
    ]


@pytest.mark.parametrize("answer", [1, "yes", None, False, [True]])
async def test_only_true_allows(tmp_path: Path, answer: object) -> None:
    world = World()
    world.allows = answer
    world.write("notes/put", world.put)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a", text="x")
    assert outcome.code == "ability_invalid_permissions"


async def test_a_crash_is_recorded_with_the_facts(tmp_path: Path) -> None:
    world = World()

    async def half(arguments: dict[str, Any]) -> None:
        await world.put({"id": "a", "text": "half"})
        raise RuntimeError("hunter2")

    world.write("notes/put", half)
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a")
    assert outcome.code == "ability_callback_exception"
    assert "hunter2" not in str(outcome.error)
    assert world.events[3:] == [
        "intent notes/put",
        "run a",
        "capture a=half",
        "outcome notes/put failed [a]",
        "after notes/put failed",
    ]


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


async def test_a_bad_output_after_a_write_keeps_the_change(tmp_path: Path) -> None:
    world = World()
    world.write("notes/put", world.put, output_schema={"type": "string"})
    async with world.open(tmp_path):
        outcome = await world.run("notes/put", id="a", text="x")
    assert (outcome.status, outcome.code) == ("failed", "ability_invalid_output")
    assert outcome.flags == {"output_invalid"}
    assert [change.after for change in outcome.changes] == ["x"]
    assert world.events[-2:] == [
        "outcome notes/put failed [a]",
        "after notes/put failed",
    ]


async def test_a_nested_call_passes_the_same_door(tmp_path: Path) -> None:
    world = World()

    async def both(arguments: dict[str, Any], call: Call) -> Any:
        inner = await call.execute("notes/put", {"id": "a", "text": "inner"})
        assert inner.is_ok
        return (await call.execute("notes/get", {"id": "a"})).unwrap()

    async def get(arguments: dict[str, Any]) -> str:
        return world.notes.kept[arguments["id"]]

    world.write("notes/put", world.put)
    world.ability("notes/get", get, meta=READ)
    world.write("notes/both", both)
    async with world.open(tmp_path):
        outcome = await world.run("notes/both", id="a")
    assert outcome.result == "inner"
    assert world.events == [
        "permission notes/both",
        "capture a=-",
        "before_write notes/both [a]",
        "intent notes/both",
        "permission notes/put",
        "capture a=-",
        "before_write notes/put [a]",
        "intent notes/put",
        "run a",
        "capture a=inner",
        "outcome notes/put ok [a]",
        "after notes/put ok",
        "permission notes/get",
        "after notes/get ok",
        "capture a=inner",
        "outcome notes/both ok [a]",
        "after notes/both ok",
    ]


async def test_a_question_comes_before_the_intent_and_its_answer_runs_once(
    tmp_path: Path,
) -> None:
    world = World()
    world.answers = [Ask("Really?"), Ask("Really?"), Ask("Really?")]
    world.write("notes/put", world.put)
    async with world.open(tmp_path):
        asked = await world.run("notes/put", id="a", text="x")
        events = list(world.events)
        agreed = await _answer(world, asked, is_accepted=True)
        again = await _answer(world, asked, is_accepted=True)
    assert (asked.status, asked.question) == ("input_required", "Really?")
    assert events == [
        "permission notes/put",
        "capture a=-",
        "before_write notes/put [a]",
        "after notes/put input_required",
    ]
    assert (agreed.status, again.status) == ("ok", "input_required")


async def test_a_refused_question_is_a_veto(tmp_path: Path) -> None:
    world = World()
    world.answers = [Ask("Really?"), Ask("Really?")]
    world.write("notes/put", world.put)
    async with world.open(tmp_path):
        asked = await world.run("notes/put", id="a", text="x")
        outcome = await _answer(world, asked, is_accepted=False)
    assert (outcome.code, world.notes.kept) == ("write_vetoed", {})


async def test_an_ability_may_ask_before_its_first_change(tmp_path: Path) -> None:
    world = World()

    async def put(arguments: dict[str, Any], call: Call) -> Any:
        if call.answer is None:
            raise NeedsInput("Which colour?")
        return call.answer.content

    world.write("notes/put", put)
    async with world.open(tmp_path):
        asked = await world.run("notes/put", id="a")
        outcome = await _answer(world, asked, is_accepted=True, content={"c": "red"})
    assert (asked.status, asked.question) == ("input_required", "Which colour?")
    assert outcome.result == {"c": "red"}
    assert world.events[3:6] == [
        "intent notes/put",
        "capture a=-",
        "outcome notes/put input_required []",
    ]


async def test_a_question_inside_a_nested_call_is_a_deny(tmp_path: Path) -> None:
    world = World()
    world.answers = [None, Ask("Really?")]

    async def outer(arguments: dict[str, Any], call: Call) -> str:
        return (await call.execute("notes/put", {"id": "b", "text": "x"})).code

    world.write("notes/put", world.put)
    world.write("notes/outer", outer)
    async with world.open(tmp_path):
        outcome = await world.run("notes/outer", id="a")
    assert (outcome.result, world.notes.kept) == ("needs_answer", {})


async def _answer(
    world: World, asked: Outcome, *, is_accepted: bool, content: Any = None
) -> Outcome:
    return await world.host.execute(
        "notes/put",
        {"id": "a"} if content else {"id": "a", "text": "x"},
        actor=ACTOR,
        answer=Answer(asked.state, is_accepted=is_accepted, content=content),
    )
