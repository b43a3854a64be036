import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from contrib.database.world import run_script, run_sql

from abilities_database.authorizer import Authorizer
from abilities_database.connection import open_reader, open_writer, refusing, time_limit
from abilities_database.database import Database
from abilities_database.settings import Settings
from abilities_database.transaction import open_transaction
from abilities_host import AbilityFailed
from abilities_host.protected import ProtectedPaths

SCHEMA = """
CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b NOT NULL DEFAULT 1);
INSERT INTO t (a) VALUES ('x');
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a ?#%20.db"
    run_script(path, SCHEMA)
    return path


def refuse(connection: sqlite3.Connection, *statements: str) -> tuple[str, str]:
    *first, last = statements
    for statement in first:
        connection.execute(statement)
    with pytest.raises(AbilityFailed) as refusal, refusing(5):
        connection.execute(last)
    return refusal.value.code, str(refusal.value)


@pytest.mark.parametrize(
    ("statements", "code", "words"),
    [
        (["INSERT INTO t (a) VALUES ('x')"], "not_unique", "the same t.a."),
        (["INSERT INTO t (b) VALUES (NULL)"], "constraint_failed", "t.b"),
        (["INSERT INTO t (id) VALUES ('x')"], "constraint_failed", "mismatch"),
        (["INSERT INTO none VALUES (1)"], "constraint_failed", "no such table"),
        (["SELECT zeroblob(20000000)"], "too_large", "16,777,216 bytes"),
        (
            [
                "PRAGMA max_page_count = 4",
                "INSERT INTO t (a) VALUES (hex(zeroblob(40000)))",
            ],
            "write_failed",
            "no space is left",
        ),
    ],
)
def test_an_error_of_sqlite_is_said_in_words(
    path: Path, statements: list[str], code: str, words: str
) -> None:
    with closing(open_writer(path)) as writer:
        found, sentence = refuse(writer, *statements)
    assert found == code
    assert words in sentence


def test_a_reader_cannot_write_and_waits_for_a_lock(path: Path) -> None:
    with (
        closing(open_reader(path, 0.01)) as reader,
        closing(open_writer(path)) as other,
    ):
        found = [refuse(reader, "DELETE FROM t")[0]]
        reader.execute("PRAGMA query_only = OFF")
        found.append(refuse(reader, "DELETE FROM t")[0])
        found.append(refuse(reader, "PRAGMA user_version = 1")[0])
        other.execute("BEGIN EXCLUSIVE")
        found.append(refuse(reader, "SELECT * FROM t")[0])
    assert found == ["read_only", "read_only", "read_only", "busy"]


def test_a_database_that_is_gone_is_not_made_anew(tmp_path: Path) -> None:
    for open_it in (lambda path: open_reader(path, 1), open_writer):
        with pytest.raises(AbilityFailed) as refusal, refusing(5):
            open_it(tmp_path / "gone.db")
        assert refusal.value.code == "unavailable"
    assert list(tmp_path.iterdir()) == []


def test_nothing_else_can_be_attached(path: Path) -> None:
    with closing(open_writer(path)) as writer:
        code, _ = refuse(writer, "ATTACH ':memory:' AS other")
    assert code == "constraint_failed"


def test_the_time_limit_goes_on_until_the_work_ends(path: Path) -> None:
    endless = (
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
        "SELECT count(*) FROM n"
    )
    with closing(open_writer(path)) as writer:
        with time_limit(writer, 0.01):
            found = [refuse(writer, endless)[0] for _ in range(3)]
        assert writer.execute("SELECT count(*) FROM t").fetchall() == [(1,)]
    assert found == ["too_slow"] * 3


def test_only_what_is_listed_is_authorised() -> None:
    authorizer = Authorizer(["shown"], ["shown", "hidden"])
    questions = [
        (sqlite3.SQLITE_READ, "SHOWN", "a", "main"),
        (sqlite3.SQLITE_READ, "shown", "a", "temp"),
        (sqlite3.SQLITE_READ, "hidden", "", None),
        (sqlite3.SQLITE_READ, "with_of_the_query", "", None),
        (sqlite3.SQLITE_READ, "module_of_a_newer_sqlite", "a", "main"),
        (sqlite3.SQLITE_FUNCTION, None, "UPPER", None),
        (sqlite3.SQLITE_FUNCTION, None, "load_extension", None),
        (sqlite3.SQLITE_PRAGMA, "data_version", None, "main"),
        (sqlite3.SQLITE_PRAGMA, "data_version", "1", "main"),
        (999, None, None, None),
    ]
    answers = [
        authorizer(*question, None) == sqlite3.SQLITE_OK for question in questions
    ]
    yes = [True, False, False, True, False, True, False, True, False, False]
    assert answers == yes
    assert authorizer.refused == ("table", "shown")


async def test_outside_its_transaction_a_step_is_refused(path: Path) -> None:
    database = Database(path, Settings(), ProtectedPaths([]).protects)
    async with open_transaction(database) as transaction:
        await transaction.do(lambda connection: connection.execute("ROLLBACK"))
        with pytest.raises(AbilityFailed) as refusal:
            await transaction.do(lambda connection: connection.execute("DELETE FROM t"))
    assert refusal.value.code == "busy"
    assert run_sql(path, "SELECT count(*) FROM t") == [(1,)]
    with pytest.raises(AbilityFailed):
        await transaction.begin()
