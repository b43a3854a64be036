"""Whoever is not let in by a token does not learn which fault it has."""

from pathlib import Path

import pytest
from matrix.doors import DOORS, HttpSession
from matrix.reasons import REASONS
from matrix.table import TABLE
from matrix.walking import world_for

UNKNOWN = "abl_00000000_" + "x" * 43


@pytest.mark.parametrize(
    "reason", [key for key, row in TABLE.items() if row.http == "not let in"]
)
async def test_a_token_that_has_ended_is_answered_as_one_that_never_was(
    tmp_path: Path, reason: str
) -> None:
    async with world_for(reason, tmp_path) as world:
        session = await DOORS["http, later era"](world, "first")
        assert isinstance(session, HttpSession)
        happens = REASONS[reason].happens
        assert happens is not None
        await happens(world)

        ended = await session.post("tools/list", {})
        world.shown.tokens["first"] = UNKNOWN
        unknown = await session.post("tools/list", {})

    assert ended == unknown
    assert ended.status == 401
