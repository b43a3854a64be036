"""Content goes for good; what it was, who removed it and where else it was stay."""

from pathlib import Path
from random import Random

import pytest
from plugins.ledger.desk import Room, open_room

from abilities_host import run_in_thread
from abilities_host.ledger import Forgotten
from abilities_ledger.book import ContentGone
from abilities_ledger.content import keep
from abilities_ledger.forget import forget


async def totals(room: Room) -> tuple[int, int]:
    [(counted,)] = await room.book.store.read("SELECT bytes FROM ledger_total")
    [(there,)] = await room.book.store.read(
        "SELECT coalesce(sum(length(data)), 0) FROM ledger_content"
    )
    return counted, there


async def test_states_and_arguments_of_the_run_go_and_digests_stay(
    tmp_path: Path,
) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", "a", "a mistake")
        before = await room.entries()

        found = await forget(room.book, 3, by="ann")

        assert found == Forgotten(seq=3, contents=2, shared=())
        assert (await room.entries())[:3] == before
        digests = [before[1].after, bytes.fromhex(before[0].details["arguments"])]
        for digest in digests:
            with pytest.raises(ContentGone):
                await room.book.state(digest)
        mark = (await room.entries())[-1]
        assert (mark.kind, mark.action, mark.about, mark.actor) == (
            "prune",
            "forgot",
            3,
            "ann",
        )
        assert set(mark.details["digests"]) == {d.hex() for d in digests if d}
        assert await totals(room) == (0, 0)


async def test_verify_says_who_removed_it(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", "a", "one")
        await room.run("put", "a", "two")
        await room.ledger.forget(2, by="ann")
        await room.ledger.forget(5, by="ben")

        found = await room.ledger.verify()

        assert (found.verdict, found.at) == ("removed", None)
        assert (
            found.sentence == "Intact; content was removed by ann, ben, see the notes."
        )
        assert found.notes[:2] == (
            "Content of entry 2 was removed by ann.",
            "Content of entry 5 was removed by ben.",
        )


async def test_other_entries_that_lose_the_same_content_are_named(
    tmp_path: Path,
) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", "a", "the same")  # 1 to 3
        await room.run("put", "b", "the same")  # 4 to 6: the state
        await room.run("put", "b", "other")  # 7 to 9: the state, as it was
        await room.run("nothing", "a", "the same")  # 10, 11: state and arguments
        await room.run("put", "c", "another")

        found = await forget(room.book, 2, by="ann")

        assert found.shared == (5, 7, 8, 10)
        assert found.contents == 2
        mark = (await room.entries())[-1]
        assert mark.details["shared"] == [5, 7, 8, 10]


async def test_what_is_forgotten_twice_goes_once(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", "a", "one")
        await forget(room.book, 2, by="ann")

        again = await forget(room.book, 1, by="ann")

        assert again.contents == 0
        assert await totals(room) == (0, 0)


async def test_what_comes_again_is_kept_again_and_counted(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", "a", "one")
        await forget(room.book, 2, by="ann")

        await room.run("put", "a", "two")

        change = (await room.entries())[-2]
        assert await room.book.state(change.before) == "one"
        counted, there = await totals(room)
        assert counted == there > 0
        assert (await room.ledger.verify()).verdict == "removed"


async def test_a_secret_has_no_content_to_forget(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", "secret-a", "s3cret")
        await room.run("touch", "secret-b", "s3cret")

        rows = await room.book.store.read(
            "SELECT count(*) FROM ledger_content WHERE data IS NOT NULL"
        )
        assert rows == [(0,)]
        assert await totals(room) == (0, 0)
        assert (await forget(room.book, 2, by="ann")).contents == 0


async def test_only_what_belongs_to_a_run_can_be_forgotten(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.ledger.note("review", actor="ann", action="seen")

        for seq in (1, 2, 0):
            with pytest.raises(LookupError, match=f"no entry {seq} of a run"):
                await forget(room.book, seq, by="ann")
        assert len(await room.entries()) == 1


async def test_nothing_of_it_stays_in_the_file(tmp_path: Path) -> None:
    mistake = Random(7).randbytes(30_000).hex()  # noqa: S311 - several pages, packed
    content = keep(mistake, limit=1 << 20)
    assert content is not None
    assert content.data is not None
    async with open_room(tmp_path) as room:
        await room.run("put", "a", mistake)
    before = await run_in_thread(lambda: found_in(tmp_path, content.data or b""))
    async with open_room(tmp_path) as room:
        await forget(room.book, 3, by="ann")
    after = await run_in_thread(lambda: found_in(tmp_path, content.data or b""))

    assert (before > 20, after) == (True, 0)


def found_in(folder: Path, data: bytes) -> int:
    """Count the pieces of the data that stand in the files of the store."""
    kept = b"".join(path.read_bytes() for path in folder.glob("host/abilities.db*"))
    return sum(data[n : n + 32] in kept for n in range(0, len(data) - 32, 1000))
