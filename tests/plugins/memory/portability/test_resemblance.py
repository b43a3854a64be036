"""For many texts at once the same one is found as for each alone."""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from plugins.memory.shelves import AT, opened_shelf, proposal

from abilities_host.storage import Transaction
from abilities_memory.likeness import words_of
from abilities_memory.proposing import keep
from abilities_memory.resemblance import Resemblance

TEXTS = st.lists(
    st.lists(st.sampled_from("abcdefghijkl"), min_size=1).map(" ".join),
    max_size=12,
)


async def links(texts: list[str], *, at_once: bool, before: int = 0) -> list[str]:
    """Keep texts, the first of them alone; give what each is said to be alike."""

    def work(changing: Transaction) -> list[str]:
        every = Resemblance(changing) if at_once else None
        kept = [
            keep(
                changing,
                proposal=proposal(text),
                by="ana",
                source="manual",
                at=AT,
                resemblance=every,
            )
            for text in texts[before:]
        ]
        return [each.duplicate_of for each in kept]

    with TemporaryDirectory() as folder:
        async with opened_shelf(Path(folder) / "s.db") as (store, shelf):
            first = [await shelf.propose(proposal(t), by="a") for t in texts[:before]]
            return [each.duplicate_of for each in first] + await store.transact(work)


@settings(max_examples=40)
@given(TEXTS, st.integers(0, 12))
async def test_the_same_is_found(texts: list[str], before: int) -> None:
    before = min(before, len(texts))

    assert await links(texts, at_once=True, before=before) == await links(
        texts, at_once=False
    )


async def test_the_same_is_found_among_many() -> None:
    choose = Random(5)  # noqa: S311 - texts of a test
    words = [f"word{number}" for number in range(60)]
    texts: list[str] = []
    for _ in range(120):
        text = " ".join(choose.sample(words, 20))
        texts += [text, f"{text} more", text.replace("word1", "word")]

    found = await links(texts, at_once=True, before=30)

    assert found == await links(texts, at_once=False)
    assert sum(map(bool, found)) >= 120


async def test_the_word_that_only_one_has_does_not_hide_the_other() -> None:
    texts = ["a b c d", "a b c d e", "a b c f g"]

    assert await links(texts, at_once=True) == ["", "gm-001", ""]


async def test_a_text_without_words_is_like_nothing() -> None:
    assert await links(["...", "...", "!"], at_once=True) == ["", "", ""]
    assert words_of("...") == frozenset()
