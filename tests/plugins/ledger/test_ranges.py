"""A range is beyond doubt exactly where each entry, read by itself, is as written."""

import ast
import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from plugins.ledger.test_chain import DRAFTS, ODD

from abilities_ledger import ranges
from abilities_ledger.chain import COLUMNS, first_hash, is_body_of, link
from abilities_ledger.content import keep
from abilities_ledger.draft import Draft
from abilities_ledger.ranges import Checked, Ranges, run, serve
from abilities_ledger.tables import MIGRATIONS

START = first_hash("r1")
NAMES = (*COLUMNS, "body", "hash")
ALTER = "UPDATE ledger_entry SET {} = ?"
READ = f"SELECT body, {', '.join(COLUMNS)} FROM ledger_entry"  # noqa: S608 - names
STATE = keep("bread", limit=100)
assert STATE is not None
EVERY_CHARACTER = "".join(map(chr, range(0x20AC))) + "\U0001f600"


@contextmanager
def record(*drafts: Draft, where: str = ":memory:") -> Iterator[sqlite3.Connection]:
    """Write entries into a database that nobody else has."""
    rows = link(START, [draft.row(n, 5) for n, draft in enumerate(drafts, 1)])
    with closing(sqlite3.connect(where, isolation_level=None)) as db:
        for statement in MIGRATIONS[0].statements:
            db.execute(statement)
        marks = ", ".join(f":{name}" for name in NAMES)
        db.executemany(
            f"INSERT INTO ledger_entry ({', '.join(NAMES)}) VALUES ({marks})",  # noqa: S608 - names of columns
            rows,
        )
        yield db


def check(db: sqlite3.Connection, first: int, last: int) -> Checked:
    start = START.hex() if first == 1 else None
    checking = Ranges(COLUMNS).entries(first, last, start)
    try:
        found = run(checking, lambda query: db.execute(*query))
    except sqlite3.OperationalError:  # JSON has no bytes: then all of it is doubted
        return Checked(first - 1, "", "", is_lost=False)
    assert isinstance(found, Checked)
    return found


def keeps(db: sqlite3.Connection, digest: bytes, data: bytes | None) -> None:
    db.execute("INSERT INTO ledger_content VALUES (?, 5, 0, ?, 1)", (digest, data))


@given(DRAFTS)
@example(Draft(kind="review", target=EVERY_CHARACTER))
def test_sqlite_writes_the_columns_as_the_host_does(draft: Draft) -> None:
    with record(draft) as db:
        assert check(db, 1, 1).through == 1


@given(DRAFTS, st.sampled_from([*COLUMNS[1:], "body"]), ODD)
@example(Draft(kind="review"), "before", b"")
@example(Draft(kind="review"), "after", "")
@example(Draft(kind="review", target="a"), "target", b"a")
@example(Draft(kind="review", before=b"1" * 32), "before", "31" * 32)
def test_an_altered_column_is_doubted_exactly_when_it_says_something_else(
    draft: Draft, name: str, value: Any
) -> None:
    with record(draft) as db:
        [(whole,)] = db.execute("SELECT body FROM ledger_entry")
        try:
            db.execute(ALTER.format(name), (value,))
        except (sqlite3.IntegrityError, OverflowError):
            return
        [(body, *values)] = db.execute(READ)
        is_same = body == whole and is_body_of(body, values)

        assert check(db, 1, 1).through == int(is_same)


def notes(count: int) -> list[Draft]:
    return [Draft(kind="review", target=str(n)) for n in range(count)]


@pytest.mark.parametrize("count", [1, 99, 100, 101, 2000, 2001])
def test_a_range_may_have_any_length(count: int) -> None:
    with record(*notes(count)) as db:
        [(hash_,)] = db.execute("SELECT hash FROM ledger_entry WHERE seq = ?", (count,))

        assert check(db, 1, count) == Checked(
            count, START.hex(), hash_.hex(), is_lost=False
        )


@pytest.mark.parametrize("seq", [1, 2, 100, 101, 1999, 2000, 2001, 2100])
@pytest.mark.parametrize(
    "attack",
    [
        "DELETE FROM ledger_entry WHERE seq = {}",
        "UPDATE ledger_entry SET actor = 'eve' WHERE seq = {}",
        "UPDATE ledger_entry SET hash = randomblob(32) WHERE seq = {}",
        "UPDATE ledger_entry SET hash = substr(hash, 1, 31) WHERE seq = {}",
        "UPDATE ledger_entry SET body = body || 'x' WHERE seq = {}",
        "UPDATE ledger_entry SET body = CAST(body AS TEXT) WHERE seq = {}",
    ],
)
def test_what_is_wrong_anywhere_in_a_range_ends_before_it(
    attack: str, seq: int
) -> None:
    with record(*notes(2100)) as db:
        db.execute(attack.format(seq))

        through = check(db, 1, 2100).through

        # What is good of a page is doubted with the rest of it.
        assert (seq - 1) // 2000 * 2000 == through


def test_a_range_says_what_it_started_from() -> None:
    with record(*notes(9)) as db:
        [(third,)] = db.execute("SELECT hash FROM ledger_entry WHERE seq = 3")

        assert check(db, 4, 9).before == third.hex()
        assert check(db, 4, 9).through == 9
        assert check(db, 11, 12) == Checked(10, "", "", is_lost=False)


BEFORE, AFTER = b"b" * 32, b"a" * 32


@pytest.mark.parametrize(
    ("kept", "is_lost"),
    [
        ({BEFORE: b"j", AFTER: b"j"}, False),
        ({BEFORE: b"j", AFTER: None}, True),
        ({BEFORE: None, AFTER: b"j"}, True),
        ({AFTER: b"j"}, True),
        ({BEFORE: b"j"}, True),
        ({}, True),
    ],
)
def test_the_states_of_a_change_must_be_whole(
    kept: dict[bytes, bytes | None],
    is_lost: bool,  # noqa: FBT001 - of the table
) -> None:
    with record(Draft(kind="change", before=BEFORE, after=AFTER)) as db:
        for digest, data in kept.items():
            keeps(db, digest, data)

        found = check(db, 1, 1)

    assert (found.through, found.is_lost) == (1, is_lost)


def test_digests_of_another_length_are_looked_at_one_by_one() -> None:
    before, after = b"a" * 16, b"a" * 16 + b"b" * 32
    with record(Draft(kind="change", before=before, after=after)) as db:
        keeps(db, b"a" * 32, b"j")
        keeps(db, b"b" * 32, b"j")

        assert check(db, 1, 1).is_lost


def test_a_partial_change_need_not_have_its_states() -> None:
    with record(Draft(kind="change", partial="size", after=b"a" * 32)) as db:
        found = check(db, 1, 1)

    assert (found.through, found.is_lost) == (1, False)


@pytest.mark.parametrize("name", ["arguments", "original_arguments"])
def test_arguments_must_be_kept_at_least_as_a_digest(name: str) -> None:
    digest = b"a" * 32
    with record(Draft(kind="intent", details={name: digest.hex()})) as db:
        assert check(db, 1, 1).through == 0
        keeps(db, digest, None)
        assert check(db, 1, 1).through == 1


@pytest.mark.parametrize(
    "draft",
    [
        Draft(kind="intent", details={"arguments": None}),
        Draft(kind="intent", details={"arguments": "z" * 64}),
        Draft(kind="intent", details={"said": '"arguments":"' + "a" * 64}),
        Draft(kind="review", details={"arguments": "a" * 64}),
    ],
)
def test_what_only_looks_like_arguments_is_none(draft: Draft) -> None:
    with record(draft) as db:
        assert check(db, 1, 1).through == 1


def test_what_was_kept_is_asked_for_once() -> None:
    asked: list[str] = []
    change = Draft(kind="change", after=b"a" * 32)
    with record(change, change) as db:
        keeps(db, b"a" * 32, b"j")
        checks = Ranges(COLUMNS)

        def read(query: ranges.Query) -> ranges.Rows:
            asked.append(query.sql)
            return db.execute(*query)

        first = run(checks.entries(1, 1, START.hex()), read)
        run(checks.entries(2, 2, first.hash), read)

    assert sum("ledger_content" in sql for sql in asked) == 1


def contents(db: sqlite3.Connection, after: str, until: str | None) -> list[str]:
    found = run(Ranges(COLUMNS).contents(after, until), lambda q: db.execute(*q))
    assert isinstance(found, list)
    return found


def test_contents_are_checked_between_two_digests() -> None:
    with record() as db:
        for first in (0x10, 0x20, 0x30):
            keeps(db, bytes([first]) * 32, b"j")
        odd = {n: bytes([n]) * 32 for n in (0x10, 0x20, 0x30)}

        assert contents(db, "", "10")[-1:] == []
        assert contents(db, "", "11")[-1:] == [odd[0x10].hex()]
        assert contents(db, "20", None)[-1:] == [odd[0x20].hex()]
        assert contents(db, "30" * 32, None) == []


def test_it_serves_one_line_for_each_line(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    with record(*notes(3), where=str(path)) as db:
        whole = check(db, 1, 3)
        lines = [
            [f"{path.as_uri()}?mode=ro", COLUMNS],
            ["entries", 1, 3, START.hex()],
            ["contents", "", None],
        ]
        answers = BytesIO()

        serve(BytesIO(b"".join(json.dumps(x).encode() + b"\n" for x in lines)), answers)

    given_, none = answers.getvalue().splitlines()
    assert Checked(*json.loads(given_)) == whole
    assert json.loads(none) == []


def test_it_has_no_answer_to_what_it_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    with record(*notes(3), where=str(path)) as db:
        db.execute("UPDATE ledger_entry SET actor = x'61' WHERE seq = 2")
        lines = [
            [f"{path.as_uri()}?mode=ro", COLUMNS],
            ["entries", 1, 3, START.hex()],
            ["entries", 3, 3, None],
        ]
        answers = BytesIO()

        serve(BytesIO(b"".join(json.dumps(x).encode() + b"\n" for x in lines)), answers)

    none, given_ = answers.getvalue().splitlines()
    assert json.loads(none) is None
    assert Checked(*json.loads(given_)).through == 3


def test_the_program_needs_nothing_but_python() -> None:
    tree = ast.parse(Path(ranges.__file__).read_text())
    names = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }

    assert names <= sys.stdlib_module_names
