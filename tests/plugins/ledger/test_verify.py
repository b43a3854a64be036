"""A record that was tampered with is found, and named where it shows."""

import asyncio
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from plugins.ledger.desk import ANN, open_book, open_room

from abilities_host import run_in_thread
from abilities_host.ledger import Verification
from abilities_host.storage import Statement
from abilities_ledger.anchor import Anchor
from abilities_ledger.book import Book
from abilities_ledger.chain import next_hash
from abilities_ledger.content import keep
from abilities_ledger.continuity import Continuity
from abilities_ledger.crew import Effort
from abilities_ledger.draft import Draft, Whose
from abilities_ledger.retention import Retention
from abilities_ledger.verify import verify

# What `write_record` leaves, with the numbers that the tests speak of.
FIRST_CHANGE, SECOND_CHANGE, LONG_CHANGE, UNDONE = 2, 5, 14, 14
HEAD = 21


async def write_record(folder: Path) -> None:
    """Write a record of every kind of thing, with an anchor at its head."""
    async with open_room(folder, f"anchor = '{folder}/anchor'\n") as room:
        await room.run("put", "a", "one")
        await room.run("put", "a", "two")
        await room.run("remove", "a")
        await room.run("put", "secret-x", "s3cret")
        await room.run("put", "b", "q" * 3000)
        await room.run("nothing", "c")
        undone = await room.host.execute(
            "ledger/rollback-change", {"id": LONG_CHANGE}, actor=ANN
        )
        assert undone.is_ok, undone.error
        assert (await room.book.head()).seq == HEAD


@pytest.fixture(scope="module")
async def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write it once for all tests, of which each has a copy."""
    folder = tmp_path_factory.mktemp("written")
    await write_record(folder)
    return folder


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "copy"))


def database(folder: Path) -> Path:
    return folder / "host" / "abilities.db"


def tamper(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(database(folder))) as db, db:
        for statement in statements:
            db.execute(statement)


async def check(folder: Path, anchor: Path | None = None) -> Verification:
    """Verify as a host would that is started anew, and in small parts."""
    async with open_book(folder / "host", "abilities.db") as book:
        seen = await anchor_of(book, anchor or folder / "anchor")
        found = await verify(book, seen)
        in_parts = await verify(book, seen, effort=Effort(0, part=4))
        assert shown(in_parts) == shown(found)
        return found


def shown(found: Verification) -> tuple[object, ...]:
    """Give all but how far it was read when something was found."""
    return found.verdict, found.at, found.sentence, found.notes


async def anchor_of(book: Book, path: Path) -> Anchor:
    [(record,)] = await book.store.read("SELECT id FROM ledger_total")
    return Anchor(path, record, Continuity(book, record).course)


async def test_a_record_that_nobody_touched_is_intact(folder: Path) -> None:
    steps: list[tuple[int, int]] = []

    async with open_book(folder / "host", "abilities.db") as book:
        anchor = await anchor_of(book, folder / "anchor")
        found = await verify(
            book, anchor, lambda done, all_: steps.append((done, all_))
        )

    assert found == Verification(
        verdict="intact",
        at=None,
        entries=HEAD,
        first=1,
        head=HEAD,
        sentence="Intact, as far as the anchor goes.",
    )
    assert steps == [(HEAD, HEAD)]


async def test_an_empty_record_is_intact(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        found = await verify(book, await anchor_of(book, tmp_path / "anchor"))

    assert (found.verdict, found.entries, found.head) == ("intact", 0, 0)


CHANGE = "UPDATE ledger_entry SET {} WHERE seq = 2"
TEXTS = (
    "kind",
    "call",
    "parent",
    "actor",
    "session",
    "ability",
    "domain",
    "target",
    "action",
    "result",
    "real",
    "partial",
)


@pytest.mark.parametrize(
    "change",
    [
        *(f"{name} = {name} || 'x'" for name in TEXTS),
        *(f"{name} = CAST({name} AS BLOB)" for name in TEXTS),
        "at = at + 1",
        "at = CAST(at AS BLOB)",
        "listed = 1 - listed",
        "about = 1",
        "about = ''",
        "before = randomblob(32)",
        "before = x''",
        "after = NULL",
        "after = CAST(hex(after) AS TEXT)",
        "hash = randomblob(32)",
        "body = body || 'x'",
        "body = CAST(body AS TEXT)",
        "body = CAST(replace(CAST(body AS TEXT), '_bytes', '_bytez') AS BLOB)",
        "body = x'ff'",
        "actor = CAST(x'ff' AS TEXT)",
    ],
)
async def test_a_change_in_any_column_is_found_at_its_entry(
    folder: Path, change: str
) -> None:
    await run_in_thread(lambda: tamper(folder, CHANGE.format(change)))

    found = await check(folder)

    assert (found.verdict, found.at) == ("broken", FIRST_CHANGE)


ATTACKS: list[tuple[str, tuple[str, ...], int | None, str]] = [
    (
        "a middle row is deleted",
        ("DELETE FROM ledger_entry WHERE seq = 7",),
        7,
        "Entry 7 is missing",
    ),
    (
        "the last rows are dropped",
        ("DELETE FROM ledger_entry WHERE seq > 18",),
        19,
        "the last 3 were cut off",
    ),
    ("every row is dropped", ("DELETE FROM ledger_entry",), 1, "were cut off"),
    (
        "the first rows are dropped",
        ("DELETE FROM ledger_entry WHERE seq < 4",),
        4,
        "no mark says why",
    ),
    (
        "two rows are swapped",
        (
            "UPDATE ledger_entry SET seq = -1 WHERE seq = 6",
            "UPDATE ledger_entry SET seq = 6 WHERE seq = 9",
            "UPDATE ledger_entry SET seq = 9 WHERE seq = -1",
        ),
        6,
        "is not as it was written",
    ),
    (
        "a row is added at the end",
        (
            "CREATE TABLE copy AS SELECT * FROM ledger_entry WHERE seq = 2",
            "UPDATE copy SET seq = 22",
            "INSERT INTO ledger_entry SELECT * FROM copy",
            "DROP TABLE copy",
        ),
        22,
        "is not as it was written",
    ),
    (
        "two things are altered, and the earlier one is named",
        (
            "UPDATE ledger_entry SET body = x'00' WHERE seq = 9",
            "UPDATE ledger_entry SET actor = 'eve' WHERE seq = 5",
        ),
        5,
        "columns of entry 5",
    ),
    (
        "a kept state is altered",
        (
            (
                "UPDATE ledger_content SET data = CAST('j\"owe\"' AS BLOB) "
                "WHERE digest = (SELECT after FROM ledger_entry WHERE seq = 2)"
            ),
        ),
        FIRST_CHANGE,
        "A kept state was altered",
    ),
    (
        "a packed state is altered",
        (
            (
                "UPDATE ledger_content SET data = x'789c00' "
                "WHERE digest = (SELECT after FROM ledger_entry WHERE seq = 14)"
            ),
        ),
        LONG_CHANGE,
        "A kept state was altered",
    ),
    (
        "a packed state is called unpacked",
        ("UPDATE ledger_content SET packed = 0 WHERE packed = 1",),
        LONG_CHANGE - 1,  # its arguments are packed too, and named before
        "A kept state was altered",
    ),
    (
        "the size of a state is altered",
        (
            (
                "UPDATE ledger_content SET size = size + 1 "
                "WHERE digest = (SELECT after FROM ledger_entry WHERE seq = 5)"
            ),
        ),
        SECOND_CHANGE,
        "A kept state was altered",
    ),
    (
        "a state is put under another digest",
        (
            (
                "UPDATE ledger_content SET digest = randomblob(32) "
                "WHERE digest = (SELECT after FROM ledger_entry WHERE seq = 5)"
            ),
        ),
        SECOND_CHANGE,
        "A kept state was altered",
    ),
    (
        "a state is taken away",
        (
            (
                "DELETE FROM ledger_content "
                "WHERE digest = (SELECT after FROM ledger_entry WHERE seq = 5)"
            ),
        ),
        SECOND_CHANGE,
        "no mark says why",
    ),
    (
        "a state is emptied",
        (
            (
                "UPDATE ledger_content SET data = NULL "
                "WHERE digest = (SELECT before FROM ledger_entry WHERE seq = 5)"
            ),
        ),
        FIRST_CHANGE,
        "no mark says why",
    ),
    (
        "the arguments of a run are altered",
        (
            (
                "UPDATE ledger_content SET data = CAST('j{}' AS BLOB), size = 2 "
                "WHERE last = 4"
            ),
        ),
        4,
        "A kept state was altered",
    ),
    (
        "the arguments of a run are taken away",
        ("DELETE FROM ledger_content WHERE last = 4",),
        4,
        "arguments of entry 4 are gone",
    ),
    (
        "a state that no entry names is altered",
        ("INSERT INTO ledger_content VALUES (randomblob(32), 1, 0, x'6a31', 9)",),
        None,
        "A kept state was altered",
    ),
    (
        "an undone change is called not undone",
        ("DELETE FROM ledger_undone",),
        UNDONE,
        "was undone is not as the record has it",
    ),
    (
        "another change is called undone",
        ("INSERT INTO ledger_undone (seq, by) VALUES (5, 21)",),
        SECOND_CHANGE,
        "was undone is not as the record has it",
    ),
    (
        "a change is called undone by another undo",
        ("UPDATE ledger_undone SET by = by - 1",),
        UNDONE,
        "was undone is not as the record has it",
    ),
    (
        "a verdict is invented",
        (
            (
                "INSERT INTO ledger_verdict (call, real, seq) "
                "SELECT call, 'ok', seq FROM ledger_entry WHERE seq = 17"
            ),
        ),
        17,
        "What came of a run",
    ),
    (
        "a row is added far behind the end",
        (
            "CREATE TABLE copy AS SELECT * FROM ledger_entry WHERE seq = 2",
            "UPDATE copy SET seq = 4611686018427387904",
            "INSERT INTO ledger_entry SELECT * FROM copy",
            "DROP TABLE copy",
        ),
        22,
        "Entry 22 is missing",
    ),
    (
        "a row is added before the first",
        (
            "CREATE TABLE copy AS SELECT * FROM ledger_entry WHERE seq = 2",
            "UPDATE copy SET seq = 0",
            "INSERT INTO ledger_entry SELECT * FROM copy",
            "DROP TABLE copy",
        ),
        0,
        "is not as it was written",
    ),
    (
        "a text that is none stands behind a row that was altered",
        (
            "UPDATE ledger_entry SET actor = CAST(x'ff' AS TEXT) WHERE seq = 6",
            "UPDATE ledger_entry SET actor = 'eve' WHERE seq = 3",
        ),
        3,
        "columns of entry 3",
    ),
    (
        "the record is given another name",
        ("UPDATE ledger_total SET id = 'another'",),
        1,
        "is not as it was written",
    ),
]


@pytest.mark.parametrize(
    ("statements", "at", "words"),
    [attack[1:] for attack in ATTACKS],
    ids=[attack[0] for attack in ATTACKS],
)
async def test_tampering_is_found_and_named(
    folder: Path, statements: tuple[str, ...], at: int | None, words: str
) -> None:
    await run_in_thread(lambda: tamper(folder, *statements))

    found = await check(folder)

    assert (found.verdict, found.at) == ("broken", at)
    assert words in found.sentence


def rewrite(folder: Path, since: int) -> None:
    """Compute the whole chain anew from an entry on, as who has the code can."""
    with closing(sqlite3.connect(database(folder))) as db, db:
        rows = db.execute("SELECT seq, body, hash FROM ledger_entry ORDER BY seq")
        previous = b""
        for seq, body, hash_ in rows.fetchall():
            if seq == since:
                body = body.replace(b"after_bytes", b"after_bytez")  # noqa: PLW2901
            if seq >= since:
                hash_ = next_hash(previous, body)  # noqa: PLW2901 - as attackers do
                db.execute(
                    "UPDATE ledger_entry SET body = ?, hash = ? WHERE seq = ?",
                    (body, hash_, seq),
                )
            previous = hash_


async def test_a_chain_that_was_written_anew_is_found_by_its_anchor(
    folder: Path,
) -> None:
    await run_in_thread(lambda: rewrite(folder, SECOND_CHANGE))

    found = await check(folder)

    assert (found.verdict, found.at) == ("broken", HEAD)
    assert "written anew" in found.sentence


async def test_without_an_anchor_the_verdict_says_that_it_is_no_proof(
    folder: Path,
) -> None:
    await run_in_thread(lambda: rewrite(folder, SECOND_CHANGE))

    found = await check(folder, folder / "nowhere")

    assert (found.verdict, found.at) == ("unanchored", 1)
    assert "could have rewritten it" in found.sentence


async def test_an_old_copy_in_place_of_the_file_is_found(folder: Path) -> None:
    old = await run_in_thread(lambda: database(folder).read_bytes())
    async with open_room(folder, f"anchor = '{folder}/anchor'\n") as room:
        await room.run("put", "d")
    await run_in_thread(lambda: database(folder).write_bytes(old))

    found = await check(folder)

    assert (found.verdict, found.at) == ("broken", HEAD + 1)
    assert "an older file was put in place" in found.sentence


async def test_a_host_does_not_destroy_the_evidence(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    seen = await run_in_thread((folder / "anchor").read_bytes)
    await run_in_thread(
        lambda: tamper(folder, "DELETE FROM ledger_entry WHERE seq > 9")
    )

    async with open_room(folder, f"anchor = '{folder}/anchor'\n") as room:
        for _ in range(10):
            await room.run("put", "e")

    assert await run_in_thread((folder / "anchor").read_bytes) == seen
    assert "does not go on from what the anchor" in caplog.text
    assert (await check(folder)).verdict == "broken"


@pytest.mark.parametrize(
    ("edit", "verdict", "at", "words"),
    [
        (lambda a: {**a, "hash": "00" * 32}, "broken", HEAD, "not the one the anchor"),
        (lambda a: {**a, "seq": HEAD + 5}, "broken", HEAD + 1, "were cut off"),
        (lambda a: {**a, "record": "x"}, "broken", 1, "another record"),
        (lambda a: {**a, "seq": 3}, "broken", 3, "not the one the anchor saw"),
        (lambda a: {**a, "seq": "3"}, "unanchored", 1, "unanchored since 1"),
        (lambda a: {**a, "record": None}, "unanchored", 1, "unanchored since 1"),
        (lambda a: [a], "unanchored", 1, "unanchored since 1"),
    ],
)
async def test_an_altered_anchor_is_found(
    folder: Path,
    edit: Callable[[dict[str, object]], object],
    verdict: str,
    at: int,
    words: str,
) -> None:
    path = folder / "anchor"
    text = await run_in_thread(path.read_text)
    altered = json.dumps(edit(json.loads(text)))
    await run_in_thread(lambda: path.write_text(altered))

    found = await check(folder)

    assert (found.verdict, found.at) == (verdict, at)
    assert words in found.sentence
    if verdict == "unanchored":
        assert found.notes[-1].startswith("The anchor cannot be read")


async def test_entries_that_the_anchor_has_not_seen_are_named(folder: Path) -> None:
    async with open_book(folder / "host", "abilities.db") as book:
        await book.append([Draft(kind="review")])

    found = await check(folder)

    assert (found.verdict, found.at) == ("unanchored", HEAD + 1)


def restored(anchor: Path, *, seq: int | None = None) -> Draft:
    """Make the entry that a restored store begins with."""
    old = json.loads(anchor.read_text())
    details = {"old": {**old, "seq": seq or old["seq"]}, "new": {"seq": 9}}
    return Draft(
        kind="restore", whose=Whose(actor="root"), action="restored", details=details
    )


async def test_a_restored_copy_is_told_from_a_replayed_one(folder: Path) -> None:
    await run_in_thread(
        lambda: tamper(
            folder,
            "DELETE FROM ledger_entry WHERE seq > 9",
            "DELETE FROM ledger_undone",
        )
    )
    mark = await run_in_thread(lambda: restored(folder / "anchor"))
    async with open_book(folder / "host", "abilities.db") as book:
        await book.append([mark])

    found = await check(folder)

    assert (found.verdict, found.at) == ("restored", 10)
    assert "Entry 10: root put a copy in place." in found.notes


async def test_the_anchor_follows_a_restored_record(folder: Path) -> None:
    await run_in_thread(
        lambda: tamper(
            folder,
            "DELETE FROM ledger_entry WHERE seq > 9",
            "DELETE FROM ledger_undone",
        )
    )
    mark = await run_in_thread(lambda: restored(folder / "anchor"))
    async with open_book(folder / "host", "abilities.db") as book:
        anchor = await anchor_of(book, folder / "anchor")
        book.on_append(anchor.note)
        await book.append([mark])
        await anchor.write()

        anchored = await anchor.read()

        assert anchored is not None
        assert (anchored.seq, anchored.hash) == await book.head()
        found = await verify(book, anchor)
        assert (found.verdict, found.at, len(found.notes)) == ("restored", 10, 1)


async def test_a_restore_that_names_another_head_explains_nothing(
    folder: Path,
) -> None:
    await run_in_thread(
        lambda: tamper(
            folder,
            "DELETE FROM ledger_entry WHERE seq > 9",
            "DELETE FROM ledger_undone",
        )
    )
    mark = await run_in_thread(lambda: restored(folder / "anchor", seq=HEAD - 1))
    async with open_book(folder / "host", "abilities.db") as book:
        await book.append([mark, Draft(kind="restore", details={"old": "odd"})])

    found = await check(folder)

    assert (found.verdict, found.at) == ("broken", 12)


async def test_large_states_are_read_one_after_the_other(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        for n in range(5):
            content = keep(bytes([n]) + os.urandom(5 << 20), limit=1 << 30)
            assert content is not None
            change = Draft(kind="change", after=content.digest)
            await book.append([change], [content])
        [(last,)] = await book.store.read("SELECT max(digest) FROM ledger_content")
        anchor = await anchor_of(book, tmp_path / "anchor")
        assert (await verify(book, anchor)).verdict == "unanchored"

        odd = "UPDATE ledger_content SET data = x'62' WHERE digest = :digest"
        await book.store.write([Statement(odd, {"digest": last})])

        found = await verify(book, anchor)
        named = await book.select("WHERE after = :digest LIMIT 1", {"digest": last})
        assert (found.verdict, found.at) == ("broken", named[0].seq)


# --- pruned records -------------------------------------------------------------


async def prune(folder: Path) -> None:
    """Remove the first entries of a record, as years later."""
    async with open_book(folder / "host", "abilities.db") as book:
        anchor = await anchor_of(book, folder / "anchor")
        book.on_append(anchor.note)
        [(at,)] = await book.store.read("SELECT max(at) FROM ledger_entry")
        later = at + 400 * 86_400_000_000
        retention = Retention(
            book, days=365, entries=10**6, contents_bytes=1 << 30, clock=lambda: later
        )
        # The newest entry is never removed.
        assert (await retention.prune(by="host")).entries == HEAD - 1
        await anchor.write()


async def test_a_pruned_record_is_intact_and_says_what_went(folder: Path) -> None:
    await prune(folder)

    found = await check(folder)

    assert (found.verdict, found.first, found.head) == ("intact", HEAD, HEAD + 1)
    assert found.notes == (f"Entries up to {HEAD - 1} were pruned by host.",)


@pytest.mark.parametrize(
    ("statement", "at"),
    [
        ("DELETE FROM ledger_entry WHERE seq = 21", 22),
        ("UPDATE ledger_entry SET body = x'00' WHERE seq = 22", 22),
        ("UPDATE ledger_entry SET body = x'7b7d0a' || body WHERE seq = 22", 22),
        ("UPDATE ledger_entry SET actor = 'eve' WHERE seq = 21", 21),
        ("UPDATE ledger_entry SET kind = 'review' WHERE seq = 22", 21),
    ],
)
async def test_a_pruned_record_cannot_be_altered_either(
    folder: Path, statement: str, at: int
) -> None:
    await prune(folder)
    await run_in_thread(lambda: tamper(folder, statement))

    found = await check(folder)

    assert (found.verdict, found.at) == ("broken", at)


# --- a record that is written meanwhile -----------------------------------------


async def test_a_record_that_is_written_and_undone_meanwhile_is_intact(
    tmp_path: Path,
) -> None:
    async with open_room(tmp_path, f"anchor = '{tmp_path}/anchor'\n") as room:
        is_over = False

        async def write(note: str) -> None:
            while not is_over:
                done = await room.run("put", note, "x")
                changes = await room.book.of_call(done.call)
                await room.host.execute(
                    "ledger/rollback-change", {"id": changes[1].seq}, actor=ANN
                )

        writing = [asyncio.create_task(write(note)) for note in "abc"]
        verdicts = [(await room.ledger.verify()).verdict for _ in range(30)]
        is_over = True
        await asyncio.gather(*writing)

        assert set(verdicts) <= {"intact", "unanchored"}


async def test_a_record_that_is_pruned_meanwhile_is_not_called_broken(
    tmp_path: Path,
) -> None:
    async with open_book(tmp_path) as book:
        await book.append([Draft(kind="review") for _ in range(12_000)])
        anchor = await anchor_of(book, tmp_path / "anchor")
        [(at,)] = await book.store.read("SELECT max(at) FROM ledger_entry")
        later = at + 400 * 86_400_000_000
        retention = Retention(
            book, days=365, entries=10**6, contents_bytes=1 << 30, clock=lambda: later
        )

        found, pruned = await asyncio.gather(
            verify(book, anchor), retention.prune(by="host")
        )

        assert pruned.entries == 11_999
        assert found.verdict == "unanchored"


async def test_a_record_that_cannot_be_read_raises(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        anchor = await anchor_of(book, tmp_path / "anchor")
        await book.append([Draft(kind="review")])
        await book.store.write([Statement("DROP TABLE ledger_verdict")])

        with pytest.raises(Exception, match="ledger_verdict"):
            await verify(book, anchor)
