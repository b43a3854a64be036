"""No ability approves anything, whatever it is told and by whatever way."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from plugins.memory.memory_world import MemoryWorld
from plugins.memory.proof.arguments import cases_of, paths_of, places_in
from plugins.memory.proof.house import KNOWN, enforced, furnished, mighty

from abilities_host import Ability
from abilities_host.frozen import thaw

INVALID: Final = "ability_invalid_input"
PARTS: Final = (
    ("core", "dispatcher", "ledger", "memory"),
    ("database", "files", "nest", "notes"),
)
Way = Callable[[str, Any], tuple[str, Any]]


def directly(name: str, arguments: Any) -> tuple[str, Any]:
    return name, arguments


def by_call_tool(name: str, arguments: Any) -> tuple[str, Any]:
    return "dispatcher/call-tool", {"name": name, "arguments": arguments}


def nested(name: str, arguments: Any) -> tuple[str, Any]:
    return "nest/run", {"name": name, "arguments": arguments}


WAYS: Final[Mapping[str, Way]] = {
    "directly": directly,
    "call-tool": by_call_tool,
    "nested": nested,
}


async def walk(
    world: MemoryWorld, ability: Ability, way: str
) -> tuple[set[str], set[str]]:
    """Call with all arguments there are; give the places that it has and takes."""
    schema = thaw(ability.input_schema or {})
    taken: set[str] = set()
    for arguments in cases_of(schema):
        name, given = WAYS[way](ability.name, arguments)
        outcome = await world.call(name, given, actor=mighty(way), session=f"s-{way}")
        code = outcome.code
        if way == "nested" and isinstance(outcome.result, Mapping):
            code = outcome.result["code"]
        if code != INVALID:
            taken.update(places_in(arguments))
    wanted = set(paths_of(schema))
    return wanted, taken & wanted


@pytest.mark.parametrize("part", PARTS, ids=" ".join)
@pytest.mark.parametrize("way", WAYS)
async def test_every_ability_with_every_argument_approves_nothing(
    tmp_path: Path, way: str, part: tuple[str, ...]
) -> None:
    async with furnished(tmp_path) as world:
        before = await enforced(world, KNOWN)
        waiting = (await world.memory.counts())["pending"]
        untried: dict[str, set[str]] = {}
        for ability in world.host.registry.list_abilities():
            if ability.name.partition("/")[0] in part:
                wanted, taken = await walk(world, ability, way)
                untried |= {ability.name: wanted - taken} if wanted - taken else {}
                assert await enforced(world, KNOWN) == before, ability.name
        more = (await world.memory.counts())["pending"] - waiting
        stopped = await world.call("notes/put", {"id": "NINE", "text": "mine"})

    assert untried == {}
    assert (more > 10) == ("memory" in part)  # what was asked reached the abilities
    assert before.approved == ("gm-001", "gm-002", "gm-007")
    assert [rule.id for rule in before.rules] == ["gm-001"]
    assert (stopped.code, "gm-001" in str(stopped.error)) == ("write_vetoed", True)


async def test_the_pack_has_three_abilities_and_none_that_approves(
    tmp_path: Path,
) -> None:
    async with furnished(tmp_path) as world:
        names = {each.name for each in world.host.registry.list_abilities()}

    assert {name for name in names if name.startswith("memory/")} == {
        "memory/recall",
        "memory/remember",
        "memory/save-session-summary",
    }
    assert sorted({name.partition("/")[0] for name in names}) == sorted(
        {space for part in PARTS for space in part}
    )
    words = ("approve", "review", "unlock", "withdraw", "seal", "account", "topic")
    assert [name for name in names if any(word in name for word in words)] == []


async def test_guidance_is_no_domain_so_nothing_of_it_can_be_put_back(
    tmp_path: Path,
) -> None:
    async with furnished(tmp_path) as world:
        registry = world.host.registry
        domains = {
            each.changes.domain
            for each in registry.list_abilities()
            if each.changes is not None and each.changes.domain
        }
        for name in ("guidance", "memory", "review", "gate", "topic"):
            with pytest.raises(LookupError):
                registry.get_domain(name)

    assert domains == {"files", "database", "notes"}
