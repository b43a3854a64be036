"""Several processes find what one does, and leave nothing behind."""

import asyncio
import os
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins.ledger.desk import open_book
from plugins.ledger.test_verify import anchor_of, shown

from abilities_host import run_in_thread
from abilities_host.ledger import Verification
from abilities_host.storage import Statement
from abilities_host.storage.sqlite import open_sqlite
from abilities_ledger.book import Book
from abilities_ledger.content import keep
from abilities_ledger.crew import Effort, Here
from abilities_ledger.draft import Draft
from abilities_ledger.finding import Broken, Found
from abilities_ledger.plan import Range, in_ranges, read_contents
from abilities_ledger.ranges import Checked
from abilities_ledger.retention import Retention
from abilities_ledger.verify import check_range, verify

ENTRIES = 60
PART = 7
TWO = Effort(2, since=0, part=PART)
HERE = Effort(0, part=PART)


async def fill(book: Book, count: int = ENTRIES) -> None:
    """Append changes, each with a state of its own."""
    for n in range(count):
        content = keep(f"state {n}", limit=100)
        assert content is not None
        change = Draft(kind="change", target=str(n), after=content.digest)
        await book.append([change], [content])


@pytest.fixture(scope="module")
async def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crew")
    async with open_book(folder) as book:
        await fill(book)
    return folder


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "copy"))


def tamper(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "store.db")) as db, db:
        db.execute(statement)


async def verified(folder: Path, effort: Effort) -> Verification:
    async with open_book(folder) as book:
        return await verify(book, await anchor_of(book, folder / "a"), effort=effort)


OF_ENTRY = "(SELECT after FROM ledger_entry WHERE seq = {})"
ATTACKS = {
    "altered": ("UPDATE ledger_entry SET actor = 'eve' WHERE seq = {}", "columns of"),
    "bytes": ("UPDATE ledger_entry SET actor = x'61' WHERE seq = {}", "columns of"),
    "another hash": (
        "UPDATE ledger_entry SET hash = randomblob(32) WHERE seq = {}",
        "not as it was written",
    ),
    "gone": ("DELETE FROM ledger_entry WHERE seq = {}", "is missing"),
    "lost": (
        f"UPDATE ledger_content SET data = NULL WHERE digest = {OF_ENTRY}",  # noqa: S608 - a constant
        "no mark says why",
    ),
    "altered state": (
        f"UPDATE ledger_content SET data = x'6a' WHERE digest = {OF_ENTRY}",  # noqa: S608 - a constant
        "A kept state was altered",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("seq", [2, PART, PART + 1, 2 * PART, 30, ENTRIES - 1])
async def test_tampering_is_named_in_every_range_and_at_its_borders(
    folder: Path, attack: str, seq: int
) -> None:
    statement, words = ATTACKS[attack]
    await run_in_thread(lambda: tamper(folder, statement.format(seq)))

    found = await verified(folder, HERE)

    assert (found.verdict, found.at) == ("broken", seq)
    assert words in found.sentence


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("seq", [PART + 1, 30])
async def test_processes_name_what_one_process_names(
    folder: Path, attack: str, seq: int
) -> None:
    statement, _ = ATTACKS[attack]
    await run_in_thread(lambda: tamper(folder, statement.format(seq)))

    assert shown(await verified(folder, TWO)) == shown(await verified(folder, HERE))


async def test_the_first_of_several_is_named(folder: Path) -> None:
    statement = "UPDATE ledger_entry SET actor = 'eve' WHERE seq IN (50, 20, 35)"
    await run_in_thread(lambda: tamper(folder, statement))

    found = await verified(folder, TWO)

    assert (found.verdict, found.at) == ("broken", 20)


async def test_a_range_that_started_from_another_hash_is_read_again(
    folder: Path,
) -> None:
    statement = "UPDATE ledger_entry SET actor = 'eve' WHERE seq = 9"
    await run_in_thread(lambda: tamper(folder, statement))
    async with open_book(folder) as book:
        hashes = await book.store.read(
            "SELECT hash FROM ledger_entry WHERE seq IN (7, 14) ORDER BY seq LIMIT 2"
        )
        [(start,), (end,)] = hashes
        found = Found(head=7, hash=start)
        answer: asyncio.Future[Checked] = asyncio.Future()
        answer.set_result(Checked(14, end.hex(), end.hex(), is_lost=False))

        with pytest.raises(Broken, match="columns of entry 9"):
            await check_range(book, Range(8, 14), answer, found)


async def test_progress_is_told_for_each_range(folder: Path) -> None:
    steps: list[tuple[int, int]] = []
    async with open_book(folder) as book:
        anchor = await anchor_of(book, folder / "a")
        found = await verify(book, anchor, lambda *each: steps.append(each), effort=TWO)

    done = [*range(PART, ENTRIES, PART), ENTRIES]
    assert steps == [(n, ENTRIES) for n in done]
    assert (found.verdict, found.entries, found.head) == (
        "unanchored",
        ENTRIES,
        ENTRIES,
    )


def script(folder: Path, *lines: str) -> str:
    path = folder / "python"
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(0o700)
    return str(path)


ODD = {
    "cannot be started": None,
    "ends at once": ("exit 1",),
    "answers something else": ("echo nonsense", "cat > /dev/null"),
    "cannot read it": ("while read line; do echo null; done",),
    "ends after an answer": (f'exec "{sys.executable}" -I -c "input()"',),
}


@pytest.mark.parametrize("kind", ODD)
async def test_without_processes_it_is_done_here(folder: Path, kind: str) -> None:
    lines = ODD[kind]
    python = script(folder, *lines) if lines else str(folder / "nowhere")
    await run_in_thread(
        lambda: tamper(folder, "UPDATE ledger_content SET data = x'6a' WHERE last = 44")
    )

    found = await verified(folder, TWO._replace(python=python))

    assert shown(found) == shown(await verified(folder, HERE))
    assert (found.verdict, found.at) == ("broken", 44)


async def test_an_interpreter_that_nobody_knows_is_not_started(folder: Path) -> None:
    assert (await verified(folder, TWO._replace(python=""))).entries == ENTRIES


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def children(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "pids").read_text().split()]


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def noted(folder: Path) -> str:
    """Make an interpreter that leaves the number of each process."""
    return script(
        folder, f'echo $$ >> "{folder}/pids"', f'exec "{sys.executable}" "$@"'
    )


async def test_processes_end_with_what_they_were_for(folder: Path) -> None:
    found = await verified(folder, TWO._replace(python=noted(folder)))

    pids = await run_in_thread(lambda: children(folder))
    assert found.verdict == "unanchored"
    assert [is_there(pid) for pid in pids] == [False, False]


async def test_processes_end_when_nobody_waits_any_more(folder: Path) -> None:
    async with open_book(folder) as book:
        anchor = await anchor_of(book, folder / "a")
        effort = TWO._replace(python=noted(folder))
        reached = asyncio.Event()
        verifying = asyncio.create_task(
            verify(book, anchor, lambda *_: reached.set(), effort=effort)
        )
        await reached.wait()
        verifying.cancel()
        with pytest.raises(asyncio.CancelledError):
            await verifying

        pids = await run_in_thread(lambda: children(folder))
        assert not any(is_there(pid) for pid in pids)
        assert (await book.head()).seq == ENTRIES


async def test_what_is_over_is_not_read_to_its_end(folder: Path) -> None:
    async with open_book(folder) as book:
        here = Here(book.store)
        part = Range(1, ENTRIES).part()
        assert await here.check(part) is not None

        here.is_over = True

        assert await here.check(part) is None


async def test_a_store_that_is_only_read_is_left_as_it_is(folder: Path) -> None:
    async with open_sqlite(folder / "store.db"):
        pass  # whoever closes it last leaves no log
    before = await run_in_thread(lambda: names(folder))
    async with open_sqlite(folder / "store.db", read_only=True) as store:
        book = Book(store)
        effort = TWO._replace(python=noted(folder))
        found = await verify(book, await anchor_of(book, folder / "a"), effort=effort)

        assert (found.verdict, found.entries) == ("unanchored", ENTRIES)
        after = await run_in_thread(lambda: names(folder))
        assert after == sorted([*before, "pids", "python"])


async def test_a_record_that_grows_is_read_to_its_end(folder: Path) -> None:
    async with open_book(folder) as book:
        anchor = await anchor_of(book, folder / "a")
        started = asyncio.Event()
        verifying = asyncio.create_task(
            verify(book, anchor, lambda *_: started.set(), effort=TWO)
        )
        await started.wait()
        await fill(book, 30)

        found = await verifying

        assert found.verdict == "unanchored"
        assert found.head >= ENTRIES


async def test_a_record_that_is_pruned_meanwhile_is_read_again(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        await book.append([Draft(kind="review") for _ in range(5_000)])
        anchor = await anchor_of(book, tmp_path / "a")
        [(at,)] = await book.store.read("SELECT max(at) FROM ledger_entry")
        later = at + 400 * 86_400_000_000
        retention = Retention(
            book, days=365, entries=10**6, contents_bytes=1 << 30, clock=lambda: later
        )

        found, pruned = await asyncio.gather(
            verify(book, anchor, effort=TWO._replace(part=500)),
            retention.prune(by="host"),
        )

        assert pruned.entries == 4_999
        assert found.verdict == "unanchored"


@pytest.mark.parametrize("lost", ["before", "after"])
async def test_of_more_lost_states_than_are_read_at_once_none_is_passed_over(
    tmp_path: Path, lost: str
) -> None:
    # With one state the first entry has the others come in halves.
    drafts = [Draft(kind="change", after=bytes(32))] + [
        Draft(kind="change", before=digest(n, 1), after=digest(n, 2))
        for n in range(2, 701)
    ]
    excused = {d for each in drafts for d in (each.before, each.after) if d}
    excused.discard(digest(501, 1 if lost == "before" else 2))
    said = {"digests": sorted(each.hex() for each in excused)}
    forgot = Draft(kind="prune", action="forgot", about=1, details=said)
    async with open_book(tmp_path) as book:
        await book.append([*drafts, forgot])

        found = await verify(book, await anchor_of(book, tmp_path / "a"))

        assert (found.verdict, found.at) == ("broken", 501)


def digest(seq: int, which: int) -> bytes:
    return seq.to_bytes(31, "big") + bytes([which])


@given(st.integers(1, 50), st.integers(0, 200), st.integers(1, 60))
def test_ranges_follow_each_other(first: int, count: int, size: int) -> None:
    numbers = [n for each in in_ranges(first, count, size) for n in _all(each)]

    assert numbers == list(range(first, first + count))


def _all(entries: Any) -> range:
    return range(entries.first, entries.last + 1)


async def test_parts_of_contents_follow_each_other(folder: Path) -> None:
    async with open_book(folder) as book:
        count, parts = await read_contents(book, 20)

        assert count == ENTRIES
        assert [part.asked for part in parts] == [
            ("", "40"),
            ("40", "80"),
            ("80", "c0"),
            ("c0", None),
        ]
        await book.store.write([Statement("DELETE FROM ledger_content")])
        assert await read_contents(book, 20) == (0, [("contents", ("", None))])


def test_every_processor_takes_part_if_there_are_several() -> None:
    usual = Effort.usual()

    assert usual.processes == 0 or 2 <= usual.processes <= 8
    assert usual.python == sys.executable
