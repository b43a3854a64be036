"""What happens between the planning of an undo and its locks is not overlooked."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from faults.standing import Stand
from faults.world import World, open_world


class Meanwhile(Stand):
    """Has something done while the next undo has been planned and holds no locks.

    Attributes:
        work: what is done, once.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__("", None, folder)
        self.work: Callable[[], Awaitable[object]] | None = None

    async def reach(self, step: str) -> None:
        work = self.work
        if step == "permission" and work is not None:
            self.work = None
            await work()


async def put(world: World, slip: str) -> int:
    outcome = await world.run("drawer/put", id="a", slip=slip)
    entries = await world.book.of_call(outcome.call)
    return next(entry.seq for entry in entries if entry.kind == "change")


async def test_newer_changes_that_lead_back_to_its_state_still_stand_in_its_way(
    tmp_path: Path,
) -> None:
    stand = Meanwhile(tmp_path)
    async with open_world(tmp_path, stand) as world:
        first = await put(world, "one")

        async def change_and_back() -> None:
            await put(world, "two")
            await put(world, "one")

        stand.work = change_and_back
        outcome = await world.undo(first)

        assert (outcome.status, outcome.code) == ("refused", "target_drifted")
        assert outcome.error
        assert len(outcome.error.details["newer"]) == 2
        assert await world.slips() == {"a": "one"}


@pytest.mark.parametrize("is_forced", [False, True])
async def test_what_was_undone_just_now_is_not_undone_again(
    tmp_path: Path, *, is_forced: bool
) -> None:
    stand = Meanwhile(tmp_path)
    async with open_world(tmp_path, stand) as world:
        first = await put(world, "one")
        stand.work = lambda: world.undo(first)

        outcome = await world.undo(first, force=is_forced)

        assert (outcome.status, outcome.code) == ("refused", "already_rolled_back")
        assert await world.slips() == {}
