"""A person is asked before anything happens, and answers once."""

from pathlib import Path
from typing import Any

from envelope.world import ACTOR, World

from abilities_host import Answer, Ask, Call, NeedsInput, Outcome


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
