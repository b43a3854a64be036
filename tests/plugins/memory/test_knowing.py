"""What a narrative names that exists can be lied about, though no entry tells of it."""

import asyncio
from pathlib import Path

from plugins.memory.memory_world import remembering

from abilities_host import MISSING, State, Target
from abilities_memory.knowing import WORDS, known_to, words_of


class Shelf:
    """A domain of things that are there, cannot be looked at, or never answer."""

    name = "shelf"

    def canonical(self, target: str) -> str:
        if target.startswith("#"):
            raise ValueError("no name")
        return target.lower()

    async def capture(self, target: str) -> State:
        if target == "never.md":
            await asyncio.Event().wait()
        if target == "broken.md":
            raise OSError
        return MISSING if target == "gone.md" else "here"

    async def restore(self, target: str, expected: State, state: State) -> None:
        raise NotImplementedError


async def test_what_is_there_is_known_and_what_fails_harms_nothing() -> None:
    told = "I deleted A.md, shelf:b.md, gone.md, broken.md and #4; plain words too."

    found = await known_to([Shelf()], told)

    assert found == {Target("shelf", "a.md"), Target("shelf", "b.md")}


async def test_what_never_answers_is_waited_for_only_so_long() -> None:
    assert await known_to([Shelf()], "a.md, never.md and b.md") == {
        Target("shelf", "a.md")
    }


def test_only_so_many_words_are_looked_up_and_plain_ones_never() -> None:
    many = " ".join(f"file{number}.md" for number in range(100))

    assert words_of(f"I deleted {many}") == tuple(many.split()[:WORDS])
    assert words_of("I deleted the old notes, all of them.") == ()


async def test_a_claim_about_what_nobody_ever_touched_is_a_divergence(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as world:
        world.notes.kept["note.7"] = "old"
        saved = await world.told(
            "memory/save-session-summary", {"narrative": "I deleted note.7."}
        )

    assert [(each["kind"], each["target"]) for each in saved["divergences"]] == [
        ("claimed_not_recorded", "notes:note.7")
    ]
