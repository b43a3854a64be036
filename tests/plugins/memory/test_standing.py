"""What is approved is laid out anew when it is another, and not when nothing is."""

from pathlib import Path

from plugins.memory.memory_world import remembering

from abilities_host.memory import Topic
from abilities_memory.service import MemoryService

ANOTHER = "UPDATE memory_guidance SET text = 'Another.' WHERE id = :id"


async def test_a_switch_lays_nothing_out_anew(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        await world.approved("Prices have two digits.", type="fact")
        memory = world.memory
        assert isinstance(memory, MemoryService)
        before = await memory.standing.current()
        await world.host.toggles.set("notes/put", False, by="ana")  # noqa: FBT003 - off
        after = await memory.standing.current()

    assert after.generation > before.generation
    assert after.memory is before.memory
    assert after.in_force is before.in_force
    assert after.survey == before.survey


async def test_each_decision_and_each_change_is_laid_out(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        memory = world.memory
        assert isinstance(memory, MemoryService)
        told = [await memory.context(1_000)]
        first = await world.approved("Prices have two digits.", type="fact")
        told.append(await memory.context(1_000))
        off = Topic(name="general", state="inactive")
        await memory.put_topic(off, await world.ana())
        told.append(await memory.context(1_000))
        await memory.put_topic(Topic(name="general"), await world.ana())
        told.append(await memory.context(1_000))
        await world.sql(ANOTHER, id=first.id)
        await memory.standing.watch()
        told.append(await memory.context(1_000))

    has_it = ["two digits" in each for each in told]
    assert has_it == [False, True, False, True, False]
    assert "Another." not in told[-1]
