"""What is decided in one process holds for the next write of every other."""

import asyncio
from pathlib import Path

from contrib.enforcer.guarded import guarded
from contrib.enforcer.writer import writing


async def test_an_approval_in_one_process_stops_the_next_write_in_another(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world, writing(tmp_path) as other:
        before = await other.write("config/app.toml", "first")
        guidance = await world.guard("Leave it.")
        stopped = await other.write("config/app.toml", "second")
        review = await world.world.memory.review(guidance.id)
        human = await world.world.ana()
        await world.world.memory.withdraw(guidance.id, review.hash, human)
        after = await other.write("config/app.toml", "third")

        assert before["code"] == ""
        assert stopped["code"] == "write_vetoed"
        assert "gm-001" in stopped["text"]
        assert "Leave it." in stopped["text"]
        assert after["code"] == ""
        assert world.content("config/app.toml") == "third"


async def test_a_ticket_of_one_process_is_approved_in_another_and_used_once(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world, writing(tmp_path) as other:
        await other.write("config/app.toml", "new")  # so nothing changes any more
        await world.guard(effect="approve")
        asked, same = await asyncio.gather(
            other.write("config/app.toml"), world.write("config/app.toml")
        )
        await world.approve("wr-001")

        outcomes = [
            (await other.write("config/app.toml"))["code"],
            (await world.write("config/app.toml")).code,
        ]

        assert "wr-001" in asked["text"]
        assert "wr-001" in str(same.error)
        assert outcomes == ["", "write_vetoed"]
