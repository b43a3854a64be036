"""The order of every run, compared whole."""

from pathlib import Path
from typing import Any

import pytest
from envelope.world import ACTOR, READ, World

import abilities_dispatcher
from abilities_host import Call, Denied, Veto
from abilities_host.hooks.packs import Pack

DISPATCHER = Pack(
    "abilities-host/dispatcher",
    "dispatcher",
    "",
    is_policy=False,
    load=lambda: abilities_dispatcher,
)


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


async def test_call_tool_leads_to_the_target_and_records_nothing_itself(
    tmp_path: Path,
) -> None:
    world = World()
    world.write("notes/put", world.put)
    async with world.open(tmp_path, packs=[DISPATCHER]):
        outcome = await world.host.execute(
            "dispatcher/call-tool",
            {"name": "notes/put", "arguments": {"id": "a", "text": "x"}},
            actor=ACTOR,
        )
    assert (outcome.ability, outcome.result) == ("notes/put", {"ok": True})
    assert world.events == [
        "permission notes/put",
        "capture a=-",
        "before_write notes/put [a]",
        "intent notes/put",
        "run a",
        "capture a=x",
        "outcome notes/put ok [a]",
        "after notes/put ok",
        "after dispatcher/call-tool ok",
    ]
