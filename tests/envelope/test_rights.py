"""Who may do what, and what a call inside a call may do."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from envelope.world import READ, World

from abilities_host import Actor, Call, Veto


async def read(arguments: dict[str, Any]) -> dict[str, Any]:
    return arguments


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
