"""Approved rules hold where nobody enforces them, in every spelling."""

from pathlib import Path

import pytest
from plugins.memory.memory_world import remembering
from plugins.memory.proof.house import RULE
from plugins.memory.proof.test_swapped import watch


@pytest.mark.parametrize("pattern", ["nine", "NINE", "N*", "n?ne"])
async def test_without_an_enforcer_every_spelling_of_a_target_is_stopped(
    tmp_path: Path, pattern: str
) -> None:
    async with remembering(tmp_path) as world:
        await world.approved("Leave it.", rule={**RULE, "targets": [pattern]})
        codes = {
            name: (await world.call("notes/put", {"id": name, "text": "1"})).code
            for name in ("nine", "NINE", "free")
        }

    assert codes == {"nine": "policy_missing", "NINE": "policy_missing", "free": ""}


async def test_without_an_enforcer_a_lost_rule_stops_what_it_covered(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as world:
        await world.approved("Leave it.", rule=RULE)
        await world.sql("DELETE FROM memory_guidance")
        await watch(world)
        covered = await world.call("notes/put", {"id": "nine", "text": "1"})
        free = await world.call("notes/put", {"id": "free", "text": "1"})
        await world.sql("DELETE FROM gate_seal")
        await watch(world)
        anything = await world.call("notes/put", {"id": "free", "text": "1"})

    codes = [each.code for each in (covered, free, anything)]
    assert codes == ["policy_missing", "", "policy_missing"]
