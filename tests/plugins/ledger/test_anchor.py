"""The anchor goes forward with the record, and stays where the record does not."""

import asyncio
import logging
import stat
from pathlib import Path

import pytest
from plugins.ledger.desk import open_book, open_room

from abilities_host import FileLock, run_in_thread
from abilities_host.storage import Statement
from abilities_ledger.anchor import (
    Anchor,
    AnchorBroken,
    Anchored,
    Course,
    read_anchor,
    write_anchor,
)
from abilities_ledger.book import Book, Head
from abilities_ledger.continuity import Continuity
from abilities_ledger.draft import Draft

ONE = Anchored("r1", 5, b"5" * 32)
HEAD = Head(7, b"7" * 32)


async def goes_on(anchored: Anchored) -> Course:
    return Course.SAME


def test_what_was_written_is_read_again_and_for_its_owner_alone(
    tmp_path: Path,
) -> None:
    path = tmp_path / "far" / "away" / "anchor"

    write_anchor(path, ONE)

    assert read_anchor(path) == ONE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_where_nothing_was_written_there_is_no_anchor(tmp_path: Path) -> None:
    assert read_anchor(tmp_path / "anchor") is None


def test_an_anchor_never_goes_back(tmp_path: Path) -> None:
    path = tmp_path / "anchor"
    write_anchor(path, ONE)

    write_anchor(path, ONE._replace(seq=4, hash=b"4" * 32))
    assert read_anchor(path) == ONE
    write_anchor(path, ONE._replace(hash=b"x" * 32))
    assert read_anchor(path) == ONE
    write_anchor(path, ONE._replace(seq=6))
    assert read_anchor(path) == ONE._replace(seq=6)


def test_it_goes_back_only_from_what_was_replaced(tmp_path: Path) -> None:
    path, new = tmp_path / "anchor", ONE._replace(seq=3)
    write_anchor(path, ONE)

    write_anchor(path, new, replaced=ONE._replace(seq=4))
    assert read_anchor(path) == ONE
    write_anchor(path, new, replaced=ONE)
    assert read_anchor(path) == new


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"record": "r", "seq": 1}',
        '{"record": "r", "seq": 1, "hash": "xyz"}',
        '{"record": "r", "seq": "1", "hash": "00"}',
        '{"record": 1, "seq": 1, "hash": "00"}',
        '{"record": "r", "seq": true, "hash": "00"}',
        "\x00\xff",
    ],
)
def test_what_is_no_anchor_is_refused_and_left_as_it_is(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "anchor"
    path.write_text(text)

    with pytest.raises(AnchorBroken, match="is no anchor"):
        read_anchor(path)
    with pytest.raises(AnchorBroken):
        write_anchor(path, ONE)
    assert path.read_text() == text


def test_a_link_at_the_place_of_the_new_file_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "anchor.new").symlink_to(precious)

    with pytest.raises(OSError, match=r"symbolic|symlink|levels"):
        write_anchor(tmp_path / "anchor", ONE)
    assert precious.read_text() == "mine"


def test_who_cannot_have_the_lock_gives_up(tmp_path: Path) -> None:
    path = tmp_path / "anchor"
    lock = FileLock(tmp_path / "anchor-lock")
    assert lock.try_acquire()

    with pytest.raises(TimeoutError):
        write_anchor(path, ONE)

    lock.release()
    assert read_anchor(path) is None


async def test_the_newest_head_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "anchor"
    anchor = Anchor(path, "r1", goes_on)
    for seq in (3, 7, 5):
        anchor.note(Head(seq, bytes([seq]) * 32))
    await anchor.write()

    assert await anchor.read() == Anchored("r1", 7, b"\x07" * 32)
    await run_in_thread(path.unlink)
    await anchor.write()
    assert await anchor.read() is None


async def test_where_no_anchor_is_kept_nothing_happens() -> None:
    anchor = Anchor(None, "r1", goes_on)
    anchor.note(HEAD)

    await anchor.write()

    assert await anchor.read() is None


async def test_what_cannot_be_written_is_said_once_and_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "file"
    await run_in_thread(folder.touch)
    anchor = Anchor(folder / "anchor", "r1", goes_on)
    anchor.note(HEAD)

    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            await anchor.write()
    assert caplog.text.count("cannot be written") == 1

    await run_in_thread(lambda: folder.rename(tmp_path / "elsewhere"))
    await anchor.write()
    assert await anchor.read() == Anchored("r1", *HEAD)


async def test_an_anchor_that_the_record_does_not_follow_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def is_broken(anchored: Anchored) -> Course:
        return Course.BROKEN

    path = tmp_path / "anchor"
    await run_in_thread(lambda: write_anchor(path, ONE))
    anchor = Anchor(path, "r1", is_broken)
    for seq in (7, 8):
        anchor.note(Head(seq, HEAD.hash))
        await anchor.write()

    assert await anchor.read() == ONE
    assert caplog.text.count("does not go on from what the anchor") == 1


async def test_a_write_that_is_cancelled_is_done_the_next_time(tmp_path: Path) -> None:
    asked, never = asyncio.Event(), asyncio.Event()

    async def slowly(anchored: Anchored) -> Course:
        asked.set()
        await never.wait()
        return Course.SAME

    path = tmp_path / "anchor"
    await run_in_thread(lambda: write_anchor(path, ONE))
    anchor = Anchor(path, "r1", slowly)
    anchor.note(HEAD)
    writing = asyncio.create_task(anchor.write())
    await asked.wait()
    writing.cancel()
    await asyncio.wait([writing])
    never.set()

    await anchor.write()

    assert await anchor.read() == Anchored("r1", *HEAD)


async def test_a_record_that_cannot_be_read_does_not_stop_the_clockwork(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "anchor"
    await run_in_thread(lambda: write_anchor(path, ONE))
    async with open_book(tmp_path) as book:
        anchor = Anchor(path, "r1", Continuity(book, "r1").course)
        await book.append([Draft(kind="restore")])
        odd = Statement("UPDATE ledger_entry SET body = x'7b0a'")
        await book.store.write([odd])
        anchor.note(HEAD)
        await anchor.write()
    await anchor.write()

    assert await anchor.read() == ONE
    assert caplog.text.count("cannot be written") == 2


# --- how a record goes on -------------------------------------------------------


async def course(book: Book, anchored: Anchored, record: str = "r1") -> Course:
    return await Continuity(book, record).course(anchored)


async def test_a_record_goes_on_from_its_own_entries(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        await book.append([Draft(kind="review")])
        one = await book.head()
        await book.append([Draft(kind="review")])

        assert await course(book, Anchored("r1", *one)) is Course.SAME
        assert await course(book, Anchored("r1", 2, one.hash)) is Course.BROKEN
        assert await course(book, Anchored("r1", 3, one.hash)) is Course.BROKEN
        assert await course(book, Anchored("r2", *one)) is Course.BROKEN

        # What is older than the oldest entry was pruned; the chain says whether so.
        gone = Statement("DELETE FROM ledger_entry WHERE seq = 1")
        await book.store.write([gone])
        assert await course(book, Anchored("r1", *one)) is Course.SAME


async def test_a_restored_record_names_the_head_that_it_replaced(
    tmp_path: Path,
) -> None:
    async with open_book(tmp_path) as book:
        old = {"record": "r1", "seq": 5, "hash": ONE.hash.hex()}
        await book.append([Draft(kind="restore", details={"old": None})])
        await book.append([Draft(kind="restore", details={"old": old, "new": {}})])

        assert await course(book, ONE) is Course.REPLACED
        assert await course(book, ONE, "r9") is Course.REPLACED
        assert await course(book, ONE._replace(seq=6)) is Course.BROKEN
        assert await Continuity(book, "r1").restored_from(ONE) == 2


async def test_a_host_anchors_its_record_while_it_runs_and_when_it_stops(
    tmp_path: Path,
) -> None:
    path = tmp_path / "anchor"
    async with open_room(tmp_path, f"anchor = '{path}'\n") as room:
        await room.run("put")
        async with asyncio.timeout(20):
            while await run_in_thread(lambda: read_anchor(path)) is None:
                await asyncio.sleep(0.02)
        await room.run("put", text="more")
        head = await room.book.head()

    anchored = await run_in_thread(lambda: read_anchor(path))
    assert anchored is not None
    assert (anchored.seq, anchored.hash) == head
