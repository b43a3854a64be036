"""A host killed while it opens for the first time leaves a store that opens."""

import asyncio
import random
from pathlib import Path

import pytest
from faults.children import Nursery
from faults.truth import check_record
from faults.world import open_world, prepare

from abilities_host import run_in_thread


@pytest.mark.parametrize("seed", range(6))
async def test_a_store_whose_making_was_killed_is_made_by_the_next(
    tmp_path: Path, nursery: Nursery, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - when to kill is no secret
    await run_in_thread(lambda: prepare(tmp_path))
    for _ in range(3):
        pair = [
            await nursery.start("sweep", folder=str(tmp_path), step="")
            for _ in range(2)
        ]
        await asyncio.sleep(chance.uniform(0, 0.12))
        for child in pair:
            await child.kill()

    async with open_world(tmp_path) as world:
        outcome = await world.run("drawer/put", id="a", also="b", slip="new")
        assert outcome.is_ok
        await check_record(world, {})
