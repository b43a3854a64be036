"""One reason has one answer, on every surface, through every door."""

from pathlib import Path

import pytest
from matrix.cells import CELLS, IMPOSSIBLE, WALKED, reasons_against, walks
from matrix.cells import COMMANDS as COMMAND_LINE
from matrix.reasons import REASONS
from matrix.table import SEEN, TABLE
from matrix.walking import (
    cells_of,
    differing,
    expected,
    expected_before,
    is_refused_at_start,
    open_all,
    refused_starts,
    walk,
    world_for,
)

WALKS = [walk for walk in walks() if walk[1] != COMMAND_LINE]


@pytest.mark.parametrize(("reason", "door"), WALKS)
async def test_a_reason_has_one_answer_on_every_surface(
    tmp_path: Path, reason: str, door: str
) -> None:
    live, new = cells_of(reason, door, "live"), cells_of(reason, door, "new")
    happens = REASONS[reason].happens
    async with world_for(reason, tmp_path) as world:
        opened = await open_all(world, door, live)
        before = await walk(opened, live)
        if happens is not None:
            await happens(world)
        after = await walk(opened, live)
        if new and is_refused_at_start(reason, door):
            fresh = await refused_starts(world.site)
        else:
            fresh = await open_all(world, door, new)
        after |= await walk(fresh, new)

    assert list(after) == [*live, *new]
    assert differing(before, expected_before) == {}
    assert differing(after, expected) == {}


def test_both_lists_and_the_table_have_the_same_reasons() -> None:
    said = {key for row in TABLE.values() for key in row}

    assert list(REASONS) == list(TABLE)
    assert said == set(SEEN)


def test_what_is_not_walked_is_explained_and_no_explanation_is_idle() -> None:
    explained = [cell for cell in CELLS if reasons_against(cell)]
    idle = [row.why for row in IMPOSSIBLE if not any(map(row.holds, CELLS))]

    assert sorted((*WALKED, *explained)) == sorted(CELLS)
    assert set(walks()) == {(cell.reason, cell.door) for cell in WALKED}
    assert idle == []
