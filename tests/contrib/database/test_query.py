import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from contrib.database.world import open_world, rows_of, run_script, run_sql

TABLES = """
CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT, body);
INSERT INTO notes VALUES (1, 'one', NULL), (2, 'two', x'00ff'), (3, 'three', 9e999);
CREATE TABLE hidden (secret TEXT);
INSERT INTO hidden VALUES ('SECRET');
CREATE VIEW titles AS SELECT title FROM notes;
CREATE VIEW leak AS SELECT secret FROM hidden;
CREATE VIRTUAL TABLE words USING fts5(text);
INSERT INTO words VALUES ('hello world'), ('other');
CREATE VIRTUAL TABLE hidden_words USING fts5(text);
INSERT INTO hidden_words VALUES ('SECRET');
CREATE VIRTUAL TABLE outside USING fts5(secret, content='hidden');
"""
HIDDEN = ("hidden*",)
SEE = "See database/list-tables."
SLOW = (
    "SELECT sum(length(replace(hex(zeroblob(400000 + a.id)), '0', 'ab'))) "
    "FROM notes a, notes b, notes c, notes d, notes e, notes f, notes g"
)
LONG = "SELECT hex(zeroblob(200)) FROM n"
ENDLESS = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
    "SELECT count(*) FROM n"
)


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT 1, 'a', 1.0, NULL", [[1, "a", 1.0, None]]),
        ("VALUES (1), (2)", [[1], [2]]),
        ("SELECT body FROM notes WHERE id = 2", [[{"base64": "AP8="}]]),
        ("SELECT body FROM notes WHERE id = 3", [[{"real": "inf"}]]),
        ("SELECT CAST(x'ff' AS TEXT)", [[{"text_base64": "/w=="}]]),
        ("SELECT count(*) FROM Notes", [[3]]),
        ("SELECT rowid FROM notes ORDER BY rowid DESC LIMIT 1", [[3]]),
        ("SELECT title FROM titles ORDER BY title", [["one"], ["three"], ["two"]]),
        ("SELECT text FROM words WHERE words MATCH 'hello'", [["hello world"]]),
        ("SELECT bm25(words) < 0 FROM words WHERE words MATCH 'other'", [[1]]),
        ("SELECT value FROM json_each('[4,5]')", [[4], [5]]),
        ("SELECT json_extract('{\"a\": 3}', '$.a')", [[3]]),
        ("SELECT sum(id) OVER () FROM notes LIMIT 1", [[6]]),
        ("WITH a(x) AS (SELECT 1) SELECT x FROM a;", [[1]]),
        ("/* a remark */ SELECT 1 -- and another", [[1]]),
        ("SELECT hidden.x FROM (SELECT 1 AS x) AS hidden", [[1]]),
    ],
)
async def test_a_select_gives_its_rows(tmp_path: Path, sql: str, rows: Any) -> None:
    async with open_world(tmp_path, TABLES, exclude=HIDDEN) as world:
        result = await world.run("query", sql=sql)
        assert (result["rows"], result["truncated"]) == (rows, False)


async def test_parameters_are_bound_and_columns_named(tmp_path: Path) -> None:
    async with open_world(tmp_path, TABLES) as world:
        result = await world.run(
            "query",
            sql="SELECT id, id AS id, ? AS x, ?, ? FROM notes WHERE title = ?",
            parameters=[True, {"base64": "AA=="}, None, "two"],
        )
        assert result == {
            "columns": ["id", "id", "x", "?", "?"],
            "rows": [[2, 2, 1, {"base64": "AA=="}, None]],
            "truncated": False,
        }


async def test_rows_are_cut_at_the_limit_and_at_the_size(tmp_path: Path) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) {}"
    async with open_world(tmp_path, TABLES, max_rows=5, max_bytes=1024) as world:
        cases = [
            await world.run("query", sql=endless.format("SELECT x FROM n"), limit=3),
            await world.run("query", sql=endless.format("SELECT x FROM n")),
            await world.run("query", sql=endless.format("SELECT x FROM n LIMIT 5")),
            await world.run("query", sql=endless.format(LONG)),
        ]
        found = [(len(case["rows"]), case["truncated"]) for case in cases]
        assert found == [(3, True), (5, True), (5, False), (2, True)]
        assert await world.code("query", sql="SELECT hex(zeroblob(600))") == "too_large"


# What SQLite asks first when a table of its own is opened depends on its version.
EITHER = "unknown_table or not_read_only"
ATTACKS = {
    "INSERT INTO notes VALUES (9, 'x', 1)": "not_read_only",
    "UPDATE notes SET title = 'x'": "not_read_only",
    "DELETE FROM notes": "not_read_only",
    "REPLACE INTO notes VALUES (1, 'x', 1)": "not_read_only",
    "INSERT INTO notes(title) VALUES ('x') RETURNING id": "not_read_only",
    "WITH a AS (SELECT 1) DELETE FROM notes": "not_read_only",
    "EXPLAIN DELETE FROM notes": "not_read_only",
    "CREATE TABLE x (a)": "not_read_only",
    "CREATE TEMP TABLE x (a)": "not_read_only",
    "CREATE TABLE x AS SELECT * FROM notes": "not_read_only",
    "CREATE VIRTUAL TABLE x USING fts5(a)": "not_read_only",
    "CREATE INDEX x ON notes (title)": "not_read_only",
    "CREATE TEMP VIEW x AS SELECT 1": "not_read_only",
    "CREATE TEMP TRIGGER x AFTER INSERT ON notes BEGIN SELECT 1; END": "not_read_only",
    "DROP TABLE notes": "not_read_only",
    "ALTER TABLE notes ADD COLUMN x": "not_read_only",
    "ALTER TABLE notes RENAME TO x": "not_read_only",
    "REINDEX": "not_read_only",
    "ANALYZE": "not_read_only",
    "BEGIN": "not_read_only",
    "COMMIT": "not_read_only",
    "ROLLBACK": "not_read_only",
    "SAVEPOINT x": "not_read_only",
    "PRAGMA query_only = OFF": "not_read_only",
    "PRAGMA writable_schema = ON": "not_read_only",
    "PRAGMA journal_mode = DELETE": "not_read_only",
    "PRAGMA user_version = 7": "not_read_only",
    "PRAGMA table_list": "not_read_only",
    "PRAGMA wal_checkpoint(TRUNCATE)": "not_read_only",
    "PRAGMA temp_store_directory = '/x'": "not_read_only",
    "INSERT INTO words(words) VALUES ('optimize')": "not_read_only",
    "SELECT * FROM pragma_user_version": EITHER,
    "SELECT * FROM pragma_table_list": EITHER,
    "SELECT count(*) FROM pragma_table_list": EITHER,
    "SELECT count(*) FROM dbstat": EITHER,
    "SELECT * FROM dbstat": EITHER,
    "SELECT * FROM sqlite_stmt": EITHER,
    "SELECT * FROM sqlite_schema": "protected_table",
    "SELECT * FROM sqlite_master": "protected_table",
    "SELECT sql FROM main.sqlite_master": "protected_table",
    "SELECT * FROM sqlite_temp_master": "protected_table",
    "SELECT count(*) FROM sqlite_schema": "protected_table",
    "SELECT * FROM hidden": "unknown_table",
    "SELECT * FROM HIDDEN": "unknown_table",
    'SELECT * FROM main."hidden"': "unknown_table",
    "SELECT count(*) FROM hidden": "unknown_table",
    "SELECT 1 FROM notes, hidden": "unknown_table",
    "SELECT (SELECT secret FROM hidden)": "unknown_table",
    "SELECT * FROM leak": "unknown_table",
    "SELECT EXISTS (SELECT 1 FROM hidden)": "unknown_table",
    "SELECT * FROM hidden_words": "unknown_table",
    "SELECT * FROM hidden_words WHERE hidden_words MATCH 'SECRET'": "unknown_table",
    "SELECT * FROM hidden_words_content": "unknown_table",
    "SELECT * FROM outside WHERE rowid = 1": "unknown_table",
    "ATTACH DATABASE 'stolen.db' AS x": "file_access_blocked",
    "ATTACH ':memory:' AS x": "file_access_blocked",
    "DETACH main": "file_access_blocked",
    "SELECT load_extension('evil')": "file_access_blocked",
    "SELECT readfile('/etc/passwd')": "invalid_sql",
    "SELECT writefile('x', 'y')": "invalid_sql",
    "SELECT fts3_tokenizer('simple')": "function_blocked",
    "SELECT sqlite_compileoption_get(1)": "function_blocked",
    "SELECT randomblob(10)": "function_blocked",
    "SELECT 1; DELETE FROM notes": "multi_statement",
    "SELECT 1; SELECT 2": "multi_statement",
    "": "empty_sql",
    " -- nothing": "empty_sql",
    ";": "empty_sql",
    "SELEC 1": "invalid_sql",
    "SELECT 'open": "invalid_sql",
    "SELECT nothing FROM notes": "invalid_sql",
    "SELECT 1\0; DROP TABLE notes": "invalid_sql",
    "SELECT '\ud800'": "ability_invalid_input",
    "SELECT * FROM missing": "unknown_table",
    "SELECT ?": "invalid_parameters",
    "SELECT :name": "invalid_parameters",
    "VACUUM": "invalid_sql",
    "VACUUM INTO 'copy.db'": "invalid_sql",
}


@pytest.fixture
def untouched(tmp_path: Path) -> Iterator[None]:
    """What the attacks could have left somewhere."""
    here = Path()
    before = set(here.iterdir())
    yield
    data = tmp_path / "data"
    assert set(here.iterdir()) == before
    assert [path.name for path in data.iterdir()] == ["content.db"]
    assert len(rows_of(data / "content.db", "notes")) == 3
    assert run_sql(data / "content.db", "PRAGMA user_version") == [(0,)]


@pytest.mark.usefixtures("untouched")
async def test_a_query_cannot_write_or_look_elsewhere(tmp_path: Path) -> None:
    async with open_world(tmp_path, TABLES, exclude=HIDDEN) as world:
        before = world.path.read_bytes()
        found = {}
        for sql, code in ATTACKS.items():
            outcome = await world.call("query", sql=sql)
            assert "SECRET" not in str((outcome.result, outcome.error)), sql
            is_either = code == EITHER and outcome.code in EITHER.split(" or ")
            found[sql] = EITHER if is_either else outcome.code
        assert found == ATTACKS
        assert world.path.read_bytes() == before


async def test_a_refusal_repeats_no_text_of_the_query(tmp_path: Path) -> None:
    async with open_world(tmp_path, TABLES) as world:
        outcomes = [
            await world.call("query", sql="SELECT 'hunter2' 'hunter2' FROM 'x' x x"),
            await world.call("query", sql="SELECT 'hunter2"),
            await world.call("query", sql="SELECT ?", parameters=["hunter2", 2]),
            await world.call("query", sql="SELECT ?", parameters=[["hunter2"]]),
        ]
        assert all(outcome.error for outcome in outcomes)
        assert "hunter2" not in str([outcome.error for outcome in outcomes])


async def test_a_refusal_helps(tmp_path: Path) -> None:
    async with open_world(tmp_path, TABLES) as world:
        outcomes = [
            await world.call("query", sql="SELECT * FROM nodes"),
            await world.call("query", sql="SELECT titel FROM notes"),
            await world.call("query", sql="SELECT regexp('a', 'b')"),
        ]
        assert [str(outcome.error) for outcome in outcomes] == [
            f"There is no table 'nodes'. Did you mean 'notes'? {SEE}",
            "SQLite does not understand the SQL: no such column: titel.",
            "SQLite does not understand the SQL: no such function: regexp.",
        ]


@pytest.mark.parametrize("sql", [ENDLESS, SLOW])
async def test_an_endless_query_is_interrupted(tmp_path: Path, sql: str) -> None:
    async with open_world(tmp_path, TABLES, seconds=1) as world:
        assert await world.code("query", sql=sql) == "too_slow"
        assert (await world.run("query", sql="SELECT 1"))["rows"] == [[1]]


async def test_a_value_over_the_limit_is_refused(tmp_path: Path) -> None:
    async with open_world(tmp_path, TABLES) as world:
        assert await world.code("query", sql="SELECT zeroblob(9999999)") == "too_large"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT printf('%.*c', 1000000000, 'x')",
        "SELECT format('%.1000000000c', 'x')",
        "SELECT instr(hex(zeroblob(100000)), hex(zeroblob(50000)) || '1')",
        "SELECT replace(hex(zeroblob(100000)), hex(zeroblob(50000)) || '1', '')",
        "SELECT rtrim(hex(zeroblob(100000)), hex(zeroblob(50000)) || '1')",
    ],
)
async def test_one_step_that_could_take_hours_is_refused(
    tmp_path: Path, sql: str
) -> None:
    async with open_world(tmp_path, TABLES) as world:
        assert await world.code("query", sql=sql) == "too_much_work"


async def test_guarded_functions_do_what_they_did(tmp_path: Path) -> None:
    schema = "CREATE VIEW v AS SELECT replace('abc', 'b', printf('%.2f', 1.0)) AS x;"
    sql = (
        "SELECT instr('abc', 'c'), instr(x'0102', x'02'), instr(NULL, 1), instr(123, 3)"
        ", trim('xax', 'x'), ltrim(' a'), replace('aa', 'a', 'b'), format('%d%s', 1, 2)"
        ", printf(NULL), 'abc' LIKE 'A%', x FROM v"
    )
    async with open_world(tmp_path, schema) as world:
        result = await world.run("query", sql=sql)
        plain = run_sql(world.path, sql)
        assert result["rows"] == [list(plain[0])]


async def test_a_table_named_like_a_function_is_the_table(tmp_path: Path) -> None:
    schema = "CREATE TABLE json_each (a); INSERT INTO json_each VALUES ('SECRET');"
    async with open_world(tmp_path, schema, exclude=("json_each",)) as world:
        code = await world.code("query", sql="SELECT * FROM json_each")
        assert code == "unknown_table"


async def test_a_query_reads_one_state_while_others_write(tmp_path: Path) -> None:
    async with open_world(tmp_path, TABLES + "PRAGMA journal_mode = WAL;") as world:
        with sqlite3.connect(world.path, isolation_level=None) as writer:
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("DELETE FROM notes")
            count = await world.run("query", sql="SELECT count(*) FROM notes")
            writer.execute("COMMIT")
        writer.close()
        assert count["rows"] == [[3]]


async def test_a_table_whose_module_is_unknown_harms_no_other(tmp_path: Path) -> None:
    schema = """
    PRAGMA writable_schema = ON;
    INSERT INTO sqlite_schema VALUES
      ('table', 'alien', 'alien', 0, 'CREATE VIRTUAL TABLE alien USING nobody(x)');
    """
    async with open_world(tmp_path, TABLES + schema) as world:
        assert (await world.run("query", sql="SELECT 1 FROM notes"))["rows"]
        assert await world.code("query", sql="SELECT * FROM alien") == "invalid_sql"


async def test_tables_made_while_the_host_runs_are_seen(tmp_path: Path) -> None:
    async with open_world(tmp_path, TABLES) as world:
        run_script(world.path, "CREATE TABLE later (a); INSERT INTO later VALUES (1);")
        assert (await world.run("query", sql="SELECT a FROM later"))["rows"] == [[1]]
