import asyncio
import sqlite3
from contextvars import Context
from pathlib import Path
from typing import Any

import pytest
from contrib.database.world import changes_of, open_world, rows_of, run_sql

from abilities_host import MISSING, Domain, ProposedWrite, Veto, hookimpl
from abilities_host.testing import RecordingRecorder

SCHEMA = """
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, age INT, photo BLOB);
CREATE TABLE members (team TEXT, number INT, note, PRIMARY KEY (team, number))
  WITHOUT ROWID;
CREATE TABLE loose (note);
INSERT INTO loose VALUES (1), (1), (2);
CREATE VIEW names AS SELECT name FROM users;
INSERT INTO users VALUES (1, 'ann', 30, NULL), (2, 'bob', NULL, x'00ff');
"""
ANN = {"id": 1, "name": "ann", "age": 30, "photo": None}
BOB = {"id": 2, "name": "bob", "age": None, "photo": {"base64": "AP8="}}


async def test_an_inserted_row_is_recorded_with_its_key(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        values = {"Name": "Zoë", "photo": {"base64": "AA=="}, "age": True}
        outcome = await world.call("insert-row", table="USERS", values=values)
        assert outcome.result == {
            "table": "users",
            "inserted": 1,
            "key": {"id": 3},
            "other_changes": 0,
            "reversible": True,
        }
        row = {"id": 3, "name": "Zoë", "age": 1, "photo": {"base64": "AA=="}}
        assert changes_of(outcome) == {"users/3": (MISSING, row)}


async def test_every_updated_row_is_recorded_before_and_after(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        outcome = await world.call(
            "update-rows", table="users", where={"age": None}, values={"age": 5}
        )
        assert outcome.result == {
            "table": "users",
            "matched": 1,
            "updated": 1,
            "other_changes": 0,
            "reversible": True,
        }
        assert changes_of(outcome) == {"users/2": (BOB, {**BOB, "age": 5})}


async def test_every_deleted_row_is_recorded(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        where = {"photo": {"base64": "AP8="}, "name": "bob"}
        outcome = await world.call("delete-rows", table="users", where=where)
        assert (outcome.result["matched"], outcome.result["deleted"]) == (1, 1)
        assert changes_of(outcome) == {"users/2": (BOB, MISSING)}
        assert rows_of(world.path, "users") == [(1, "ann", 30, None)]


async def test_no_match_is_no_change(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        outcome = await world.call("delete-rows", table="users", where={"name": None})
        assert (outcome.result["matched"], outcome.changes) == (0, ())


async def test_a_changed_key_is_another_row(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        run_sql(world.path, "INSERT INTO members VALUES ('a', 1, NULL), ('b', 1, 'x')")
        outcome = await world.call(
            "update-rows", table="members", where={"number": 1}, values={"number": "7"}
        )
        assert changes_of(outcome) == {
            'members/["a",1]': ({"team": "a", "number": 1, "note": None}, MISSING),
            'members/["b",1]': ({"team": "b", "number": 1, "note": "x"}, MISSING),
            'members/["a",7]': (MISSING, {"team": "a", "number": 7, "note": None}),
            'members/["b",7]': (MISSING, {"team": "b", "number": 7, "note": "x"}),
        }
        await world.undo(outcome)
        assert rows_of(world.path, "members") == [("a", 1, None), ("b", 1, "x")]


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("insert-row", {"table": "user", "values": {"a": 1}}, "unknown_table"),
        ("insert-row", {"table": "us\0ers", "values": {"a": 1}}, "unknown_table"),
        ("insert-row", {"table": "sqlite_schema", "values": {}}, "protected_table"),
        ("insert-row", {"table": "names", "values": {"name": "x"}}, "not_writable"),
        ("insert-row", {"table": "users", "values": {}}, "no_data"),
        ("insert-row", {"table": "users", "values": {"nam": 1}}, "unknown_column"),
        ("insert-row", {"table": "users", "values": {"rowid": 1}}, "unknown_column"),
        (
            "insert-row",
            {"table": "users", "values": {"age": 1, "AGE": 2}},
            "invalid_value",
        ),
        ("insert-row", {"table": "users", "values": {"age": {}}}, "invalid_value"),
        ("insert-row", {"table": "users", "values": {"age": 1 << 63}}, "invalid_value"),
        ("insert-row", {"table": "users", "values": {"id": 1}}, "not_unique"),
        ("insert-row", {"table": "users", "values": {"id": "x"}}, "constraint_failed"),
        (
            "insert-row",
            {"table": "members", "values": {"team": "a"}},
            "constraint_failed",
        ),
        ("insert-row", {"table": "loose", "values": {"note": 1}}, "no_key"),
        (
            "update-rows",
            {"table": "users", "where": {}, "values": {}},
            "where_required",
        ),
        ("delete-rows", {"table": "users", "where": {}}, "where_required"),
        (
            "update-rows",
            {"table": "users", "where": {"id": 1}, "values": {}},
            "no_data",
        ),
        (
            "update-rows",
            {"table": "users", "where": {"id": 1}, "values": {"id": 2}},
            "not_unique",
        ),
        ("delete-rows", {"table": "loose", "where": {"note": 1}}, "no_key"),
        (
            "delete-rows",
            {"table": "users", "where": {"1=1; --": 1}},
            "unknown_column",
        ),
        ("delete-rows", {"table": "users"}, "ability_invalid_input"),
    ],
)
async def test_what_cannot_be_done_changes_nothing(
    tmp_path: Path, name: str, arguments: dict[str, Any], code: str
) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        before = world.path.read_bytes()
        assert await world.code(name, **arguments) == code
        assert world.path.read_bytes() == before


async def test_more_rows_than_the_limit_are_left_alone(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA, max_rows=2) as world:
        run_sql(world.path, "INSERT INTO users (name) VALUES ('x'), ('x'), ('x')")
        before = world.path.read_bytes()
        found = [
            await world.code("delete-rows", table="users", where={"name": "x"}),
            await world.code(
                "update-rows", table="users", where={"name": "x"}, values={"age": 1}
            ),
        ]
        assert found == ["too_many_rows", "too_many_rows"]
        assert world.path.read_bytes() == before


async def test_a_row_with_null_in_its_key_is_not_changed(tmp_path: Path) -> None:
    schema = "CREATE TABLE t (a TEXT PRIMARY KEY, b); INSERT INTO t VALUES (NULL, 1);"
    async with open_world(tmp_path, schema, allow_irreversible=True) as world:
        found = [
            await world.code("delete-rows", table="t", where={"b": 1}),
            await world.code("insert-row", table="t", values={"b": 2}),
        ]
        assert found == ["no_key", "no_key"]
        assert rows_of(world.path, "t") == [(None, 1)]


async def test_a_key_too_long_for_a_name_is_refused(tmp_path: Path) -> None:
    async with open_world(tmp_path, "CREATE TABLE t (a TEXT PRIMARY KEY);") as world:
        code = await world.code("insert-row", table="t", values={"a": "x" * 5000})
        assert code == "key_too_long"
        assert rows_of(world.path, "t") == []


async def test_a_table_without_key_is_changed_only_if_allowed(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA, allow_irreversible=True) as world:
        updated = await world.call(
            "update-rows", table="loose", where={"note": 1}, values={"note": 3}
        )
        deleted = await world.call("delete-rows", table="loose", where={"note": 2})
        inserted = await world.call("insert-row", table="loose", values={"note": 4})
        assert [each.result for each in (updated, deleted, inserted)] == [
            {
                "table": "loose",
                "matched": 2,
                "updated": 2,
                "other_changes": 0,
                "reversible": False,
            },
            {
                "table": "loose",
                "matched": 1,
                "deleted": 1,
                "other_changes": 0,
                "reversible": False,
            },
            {
                "table": "loose",
                "inserted": 1,
                "key": None,
                "other_changes": 0,
                "reversible": False,
            },
        ]
        assert [each.changes for each in (updated, deleted, inserted)] == [()] * 3
        assert rows_of(world.path, "loose") == [(3,), (3,), (4,)]


# --- what the schema does besides ----------------------------------------------


async def test_what_a_trigger_does_to_the_row_belongs_to_the_change(
    tmp_path: Path,
) -> None:
    schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a, seen DEFAULT 0);
    CREATE TABLE log (id INTEGER PRIMARY KEY AUTOINCREMENT, a);
    CREATE TRIGGER i AFTER INSERT ON t BEGIN
      UPDATE t SET seen = 1 WHERE id = new.id;
      INSERT INTO log (a) VALUES (new.a);
    END;
    """
    async with open_world(tmp_path, schema) as world:
        outcome = await world.call("insert-row", table="t", values={"a": "x"})
        assert outcome.result["other_changes"] == 2
        row = {"id": 1, "a": "x", "seen": 1}
        assert changes_of(outcome) == {"t/1": (MISSING, row)}


async def test_rows_a_constraint_would_replace_stay(tmp_path: Path) -> None:
    schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY ON CONFLICT REPLACE,
                    a UNIQUE ON CONFLICT REPLACE);
    INSERT INTO t VALUES (1, 'x'), (2, 'y');
    """
    async with open_world(tmp_path, schema) as world:
        found = [
            await world.code("insert-row", table="t", values={"id": 1}),
            await world.code("insert-row", table="t", values={"a": "x"}),
            await world.code(
                "update-rows", table="t", where={"id": 2}, values={"a": "x"}
            ),
        ]
        assert found == ["not_unique"] * 3
        assert rows_of(world.path, "t") == [(1, "x"), (2, "y")]


@pytest.mark.parametrize(
    ("clause", "code", "last"), [("IGNORE", "", 5), ("ROLLBACK", "not_unique", 1)]
)
async def test_other_clauses_change_nothing_by_halves(
    tmp_path: Path, clause: str, code: str, last: int
) -> None:
    schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE ON CONFLICT {}, b);
    INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2), (3, 'z', 1);
    """
    async with open_world(tmp_path, schema.format(clause)) as world:
        outcome = await world.call(
            "update-rows", table="t", where={"b": 1}, values={"a": "z", "b": 5}
        )
        assert (outcome.code, len(outcome.changes)) == (code, 0 if code else 1)
        rows = [(1, "x", 1), (2, "y", 2), (3, "z", last)]
        assert rows_of(world.path, "t") == rows


async def test_computed_columns_are_read_and_not_written(tmp_path: Path) -> None:
    schema = (
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, b AS (a * 2), c AS (1) STORED);"
    )
    async with open_world(tmp_path, schema) as world:
        outcome = await world.call("insert-row", table="t", values={"a": 2})
        assert changes_of(outcome) == {"t/1": (MISSING, {"id": 1, "a": 2})}
        code = await world.code("insert-row", table="t", values={"b": 2})
        assert code == "generated_column"
        await world.run("update-rows", table="t", where={"b": 4}, values={"a": 3})
        assert rows_of(world.path, "t") == [(1, 3, 6, 1)]


FAMILY = """
CREATE TABLE parent (id INTEGER PRIMARY KEY, code UNIQUE);
CREATE TABLE child (id INTEGER PRIMARY KEY,
  parent INT REFERENCES parent {actions}, code REFERENCES parent (code) {actions});
CREATE TABLE tree (id INTEGER PRIMARY KEY, up INT REFERENCES Tree {actions}, kind);
INSERT INTO parent VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO child VALUES (1, 1, NULL), (2, NULL, 'b');
INSERT INTO tree VALUES (1, NULL, 'x'), (2, 1, 'x'), (3, 3, 'x'), (4, 2, 'y');
"""
CASCADE = "ON DELETE CASCADE ON UPDATE CASCADE"
SET_NULL = "ON DELETE SET NULL ON UPDATE SET DEFAULT"
RESTRICT = "ON DELETE RESTRICT ON UPDATE RESTRICT"


@pytest.mark.parametrize("actions", [CASCADE, SET_NULL, RESTRICT, ""])
async def test_a_foreign_key_changes_no_other_row(tmp_path: Path, actions: str) -> None:
    async with open_world(tmp_path, FAMILY.format(actions=actions)) as world:
        before = world.path.read_bytes()
        where: list[tuple[str, dict[str, Any], dict[str, Any] | None]] = [
            ("parent", {"id": 1}, None),
            ("parent", {"id": 1}, {"id": 9}),
            ("parent", {"id": 2}, {"code": "z"}),
            ("tree", {"id": 1}, None),
            ("child", {"id": 1}, {"parent": 9}),
        ]
        for table, match, values in where:
            name = "delete-rows" if values is None else "update-rows"
            more = {} if values is None else {"values": values}
            code = await world.code(name, table=table, where=match, **more)
            assert code == "foreign_key", (table, match, values)
        assert world.path.read_bytes() == before
        assert await world.run("delete-rows", table="parent", where={"id": 3})
        await world.run(
            "update-rows", table="parent", where={"id": 1}, values={"id": 1, "code": 5}
        )


@pytest.mark.parametrize("actions", [CASCADE, SET_NULL, RESTRICT, ""])
async def test_rows_that_refer_to_one_another_go_together(
    tmp_path: Path, actions: str
) -> None:
    async with open_world(tmp_path, FAMILY.format(actions=actions)) as world:
        run_sql(world.path, "UPDATE tree SET kind = 'x'")
        before = rows_of(world.path, "tree")
        outcome = await world.call("delete-rows", table="tree", where={"kind": "x"})
        assert (outcome.code, outcome.result["deleted"]) == ("", 4)
        await world.undo(outcome)
        assert rows_of(world.path, "tree") == before


# --- what the host does meanwhile ----------------------------------------------


class Judge:
    """Vetoes a write as soon as it is about one row."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.asked: list[dict[str, Any]] = []

    @hookimpl
    async def before_write(self, write: ProposedWrite) -> Veto | None:
        states = {each.name: await write.before(each) for each in write.targets}
        self.asked.append(states)
        return Veto("not this one") if self.target in states else None


@pytest.mark.parametrize(
    ("name", "arguments", "asked"),
    [
        ("insert-row", {"values": {"id": 7}}, {"users/7": MISSING}),
        ("delete-rows", {"where": {"age": 30}}, {"users/1": ANN}),
        ("update-rows", {"where": {"id": 1}, "values": {"id": 7}}, {"users/1": ANN}),
    ],
)
async def test_a_veto_about_a_row_undoes_everything(
    tmp_path: Path, name: str, arguments: dict[str, Any], asked: dict[str, Any]
) -> None:
    judge = Judge(next(iter(asked)))
    async with open_world(tmp_path, SCHEMA, packs=[("judge", judge)]) as world:
        before = world.path.read_bytes()
        code = await world.code(name, table="users", **arguments)
        assert (code, judge.asked) == ("write_vetoed", [{}, asked])
        assert world.path.read_bytes() == before
        assert await world.run("delete-rows", table="users", where={"id": 2})


async def test_a_row_that_cannot_be_recorded_is_not_changed(tmp_path: Path) -> None:
    recorder = RecordingRecorder(fails_at=["before"])
    async with open_world(tmp_path, SCHEMA, recorder=recorder) as world:
        before = world.path.read_bytes()
        found = [
            await world.code("insert-row", table="users", values={"name": "x"}),
            await world.code("delete-rows", table="users", where={"id": 1}),
        ]
        assert found == ["store_unwritable", "store_unwritable"]
        assert world.path.read_bytes() == before


async def test_rows_are_recorded_in_order_before_they_change(tmp_path: Path) -> None:
    recorder = RecordingRecorder()
    async with open_world(tmp_path, SCHEMA, recorder=recorder) as world:
        await world.run(
            "update-rows", table="users", where={"photo": None}, values={"id": 5}
        )
        found = [(event.method, event.targets) for event in recorder.events]
        assert found == [
            ("intent", ()),
            ("before", ("database:users/1",)),
            ("before", ("database:users/5",)),
            ("outcome", ("database:users/1", "database:users/5")),
        ]


class Witness:
    """Captures rows while they are judged."""

    domain: Domain

    def __init__(self) -> None:
        self.seen: list[Any] = []

    @hookimpl
    async def before_write(self, write: ProposedWrite) -> None:
        if write.targets:
            names = ("users/1", "users/3")
            own = [await self.domain.capture(name) for name in names]
            others = [self.domain.capture(name) for name in names]
            outside = [
                await asyncio.get_running_loop().create_task(each, context=Context())
                for each in others
            ]
            self.seen.append((own, outside))


async def test_a_capture_sees_what_the_running_call_did(tmp_path: Path) -> None:
    witness = Witness()
    async with open_world(tmp_path, SCHEMA, packs=[("witness", witness)]) as world:
        witness.domain = world.domain
        await world.run("insert-row", table="users", values={"name": "c"})
        await world.run("delete-rows", table="users", where={"id": 1})
        new = {"id": 3, "name": "c", "age": None, "photo": None}
        assert witness.seen == [
            ([ANN, new], [ANN, MISSING]),
            ([ANN, new], [ANN, new]),
        ]


async def test_readers_are_let_in_while_a_large_write_is_judged(
    tmp_path: Path,
) -> None:
    class Reader:
        rows: Any = None

        @hookimpl
        async def before_write(self, write: ProposedWrite) -> None:
            if 'members/["0",2]' in {target.name for target in write.targets}:
                where = "SELECT count(*) FROM members WHERE note IS NULL"
                self.rows = (await world.run("query", sql=where))["rows"]

    reader = Reader()
    async with open_world(
        tmp_path, SCHEMA, packs=[("reader", reader)], seconds=1
    ) as world:
        for team in range(4):
            run_sql(world.path, "INSERT INTO members VALUES (?, 1, NULL)", str(team))
        outcome = await world.call(
            "update-rows",
            table="members",
            where={"number": 1},
            values={"number": 2, "note": "x" * 900_000},
        )
        assert (outcome.code, len(outcome.changes)) == ("", 8)
        assert reader.rows == [[4]]


class Gate:
    """Holds a write while one of its rows is judged."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    @hookimpl
    async def before_write(self, write: ProposedWrite) -> None:
        if write.targets:
            self.reached.set()
            await self.opened.wait()


async def test_a_write_whose_caller_leaves_changes_nothing(tmp_path: Path) -> None:
    gate = Gate()
    async with open_world(tmp_path, SCHEMA, packs=[("gate", gate)]) as world:
        before = world.path.read_bytes()
        task = asyncio.create_task(
            world.call("delete-rows", table="users", where={"id": 1})
        )
        await gate.reached.wait()
        task.cancel()
        await asyncio.wait([task])
        gate.opened.set()
        assert task.cancelled()
        assert world.path.read_bytes() == before
        assert await world.run("delete-rows", table="users", where={"id": 1})


async def test_writers_of_one_host_take_turns(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        outcomes = await asyncio.gather(
            *(
                world.call("insert-row", table="users", values={"name": str(number)})
                for number in range(16)
            )
        )
        assert {outcome.status for outcome in outcomes} == {"ok"}
        names = {state[1]["name"] for o in outcomes for state in changes_of(o).values()}
        assert names == {str(number) for number in range(16)}
        assert run_sql(world.path, "SELECT count(*) FROM users") == [(18,)]


async def test_a_writer_waits_only_so_long_for_its_turn(tmp_path: Path) -> None:
    gate = Gate()
    async with open_world(tmp_path, SCHEMA, packs=[("gate", gate)], seconds=1) as world:
        first = asyncio.create_task(
            world.call("delete-rows", table="users", where={"id": 1})
        )
        await gate.reached.wait()
        code = await world.code("insert-row", table="users", values={"age": 1})
        read = await world.run("query", sql="SELECT count(*) FROM users")
        gate.opened.set()
        assert (code, read["rows"], (await first).status) == ("busy", [[2]], "ok")


ENDLESS = """
CREATE TABLE t (id INTEGER PRIMARY KEY);
CREATE TRIGGER i AFTER INSERT ON t BEGIN
  INSERT INTO t SELECT x FROM (
    WITH RECURSIVE n(x) AS (SELECT 1000 UNION ALL SELECT x + 1 FROM n)
    SELECT max(x) AS x FROM n);
END;
"""


async def test_an_endless_trigger_is_interrupted_and_undone(tmp_path: Path) -> None:
    async with open_world(tmp_path, ENDLESS, seconds=1) as world:
        assert await world.code("insert-row", table="t", values={"id": 1}) == "too_slow"
        assert rows_of(world.path, "t") == []


async def test_work_that_nobody_waits_for_is_interrupted(tmp_path: Path) -> None:
    async with open_world(tmp_path, ENDLESS, seconds=60) as world:
        task = asyncio.create_task(
            world.call("insert-row", table="t", values={"id": 1})
        )
        while not is_locked(world.path):
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])
        run_sql(world.path, "DROP TRIGGER i")
        await world.run("insert-row", table="t", values={"id": 1})
        assert task.cancelled()


def is_locked(path: Path) -> bool:
    try:
        run_sql(path, "BEGIN IMMEDIATE", seconds=0)
    except sqlite3.OperationalError:
        return True
    return False


async def test_a_table_with_secrets_is_said_to_be_irreversible(tmp_path: Path) -> None:
    schema = """
    CREATE TABLE logins (id INTEGER PRIMARY KEY, password_hash TEXT);
    CREATE TABLE cards (id INTEGER PRIMARY KEY, pin TEXT);
    CREATE TABLE plain (id INTEGER PRIMARY KEY, a TEXT);
    """
    async with open_world(tmp_path, schema, secret_columns=("cards.pin",)) as world:
        facts = {
            table: (await world.run("insert-row", table=table, values={"id": 1}))[
                "reversible"
            ]
            for table in ("logins", "cards", "plain")
        }
        assert facts == {"logins": False, "cards": False, "plain": True}
