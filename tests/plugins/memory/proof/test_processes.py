"""Two processes propose at the same time, and nothing gets lost between them."""

from pathlib import Path

from plugins.memory.memory_world import remembering
from plugins.memory.proof.hosts import other_host


async def test_forty_proposals_of_two_processes_are_forty_that_wait(
    tmp_path: Path,
) -> None:
    async with (
        other_host(tmp_path, "remember", "red", "20") as red,
        other_host(tmp_path, "remember", "blue", "20") as blue,
    ):
        for other in (red, blue):
            await other.go()
        said = [await other.hear() for _ in range(20) for other in (red, blue)]
        ends = [await red.end(), await blue.end()]
    async with remembering(tmp_path) as world:
        page = await world.memory.list("pending", limit=100)
        counts = await world.memory.counts()
        histories = [await world.memory.history(each.id) for each in page.entries]

    assert ends == [0, 0]
    assert sorted(said) == [f"gm-{number:03}" for number in range(1, 41)]
    assert sorted(each.id for each in page.entries) == sorted(said)
    assert sorted(each.text for each in page.entries) == sorted(
        f"{name} {number} seen." for name in ("red", "blue") for number in range(20)
    )
    assert counts == {"pending": 40, "approved": 0, "rejected": 0, "archived": 0}
    assert [[each.action for each in found] for found in histories] == [
        ["proposed"]
    ] * 40
