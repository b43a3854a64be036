"""Hosts killed at any moment, over and over on one store, lose and invent nothing."""

import os
from pathlib import Path

import pytest
from faults.children import Nursery
from faults.rounds import Rounds, undo_all

COUNT = int(os.environ.get("FAULT_ROUNDS", "4"))
SEED = int(os.environ.get("FAULT_SEED", "11"))
ON_ONE_STORE = 30  # each look reads the whole record


@pytest.mark.timeout(60 + 15 * ON_ONE_STORE)
@pytest.mark.parametrize("first", range(0, COUNT, ON_ONE_STORE))
async def test_what_random_kills_leave_is_explained_and_can_be_undone(
    tmp_path: Path, nursery: Nursery, first: int
) -> None:
    rounds = Rounds(tmp_path, nursery, seed=SEED + first)
    count = min(ON_ONE_STORE, COUNT - first)

    await rounds.run(count)

    async with rounds.looking() as world:
        assert await undo_all(world) == []
        assert (await world.slips(), await world.files()) == ({}, {})
    assert rounds.killed >= 2 * count
    assert any(each["status"] == "ok" for each in rounds.told)
