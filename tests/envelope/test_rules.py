"""What the envelope refuses, locks and remembers."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from envelope.world import ACTOR, READ, World

from abilities_host import Actor, Call, Changes, Outcome, Target, Veto


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


async def test_a_read_only_ability_that_touches_is_refused(tmp_path: Path) -> None:
    world = World()

    async def get(arguments: dict[str, Any], call: Call) -> str:
        try:
            await call.touch("notes", "a")
        except Exception:
            return "went on"
        return "allowed"

    world.ability("notes/get", get, meta=READ)
    async with world.open(tmp_path):
        outcome = await world.run("notes/get", id="a")
    assert outcome.code == "write_in_readonly"
    assert world.events[-2:] == [
        "refusal notes/get write_in_readonly",
        "after notes/get refused",
    ]


async def test_a_read_only_ability_cannot_write_through_another(tmp_path: Path) -> None:
    world = World()

    async def get(arguments: dict[str, Any], call: Call) -> Any:
        middle = await call.execute("notes/middle", {"id": "a"})
        return middle.unwrap()

    async def middle(arguments: dict[str, Any], call: Call) -> str:
        return (await call.execute("notes/put", {"id": "a", "text": "x"})).code

    world.ability("notes/get", get, meta=READ)
    world.ability("notes/middle", middle, meta=READ)
    world.write("notes/put", world.put)
    async with world.open(tmp_path):
        outcome = await world.run("notes/get", id="a")
    assert (outcome.result, world.notes.kept) == ("write_in_readonly", {})


async def test_the_operator_hardens_a_read_into_a_write(tmp_path: Path) -> None:
    world = World()
    world.answers = [Veto("no")]
    world.ability("notes/get", read, meta=READ)
    async with world.open(tmp_path, 'treat_as_write = ["notes/*"]\n'):
        outcome = await world.run("notes/get", id="a")
    assert outcome.code == "write_vetoed"


@pytest.mark.parametrize(
    ("scopes", "requires", "code"),
    [
        ({"read"}, None, "ability_not_found"),
        ({"write"}, None, ""),
        ({"notes:*"}, "notes:write", ""),
        ({"*:write"}, "notes:write", ""),
        ({"*"}, "notes:write", "ability_not_found"),
        ({"write"}, "notes:write", "ability_not_found"),
        ({"notes:writer"}, "notes:write", "ability_not_found"),
    ],
)
async def test_the_scope_decides_first_and_looks_like_unknown(
    tmp_path: Path, scopes: set[str], requires: str | None, code: str
) -> None:
    world = World()
    world.write("notes/put", world.put, requires=requires)
    actor = Actor("bob", "agent", frozenset(scopes))
    async with world.open(tmp_path):
        arguments = {"id": "a", "text": "x"}
        outcome = await world.host.execute("notes/put", arguments, actor=actor)
        seen = [a.name for a in await world.host.list_abilities(actor)]
    assert outcome.code == code
    assert seen == ([] if code else ["notes/put"])


async def test_a_nested_call_has_no_more_rights_than_its_actor(tmp_path: Path) -> None:
    world = World()

    async def outer(arguments: dict[str, Any], call: Call) -> str:
        return (await call.execute("notes/put", {"id": "a", "text": "x"})).code

    world.ability("notes/outer", outer, meta=READ, requires="notes:ask")
    world.write("notes/put", world.put)
    actor = Actor("bob", "agent", frozenset({"notes:ask"}))
    async with world.open(tmp_path):
        outcome = await world.host.execute("notes/outer", {"id": "a"}, actor=actor)
    assert outcome.result == "ability_not_found"


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


async def test_a_permission_that_fails_has_not_allowed(tmp_path: Path) -> None:
    world = World()

    async def may() -> bool:
        raise OSError

    world.ability("notes/get", read, meta=READ, permission_callback=may)
    async with world.open(tmp_path):
        outcome = await world.run("notes/get", id="a")
    assert outcome.code == "ability_invalid_permissions"


async def test_a_permission_that_hangs_has_not_allowed(tmp_path: Path) -> None:
    world = World()

    async def may() -> bool:
        await asyncio.Event().wait()
        return True

    world.ability("notes/get", read, meta=READ, permission_callback=may)
    async with world.open(tmp_path, "[limits]\nhook_seconds = 0.05\n"):
        outcome = await world.run("notes/get", id="a")
    assert outcome.code == "ability_invalid_permissions"


async def test_a_stopping_host_takes_no_more_calls(tmp_path: Path) -> None:
    world = World()
    world.ability("notes/get", read, meta=READ)
    async with world.open(tmp_path):
        world.host.is_stopping = True
        outcome = await world.run("notes/get", id="a")
    assert outcome.code == "host_stopping"


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
