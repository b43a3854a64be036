from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any

import pytest
from contrib.database.world import World, open_world, rows_of, run_sql
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abilities_database.refusals import InvalidTarget
from abilities_host import MISSING, AbilityFailed, Domain, Drifted, Outcome
from abilities_host.domain import HidesSecrets, Restoration, RestoresAll
from abilities_host.frozen import freeze

SCHEMA = """
CREATE TABLE Users (id INTEGER PRIMARY KEY, name TEXT UNIQUE, age);
INSERT INTO Users VALUES (1, 'ann', 30), (2, 'bob', NULL);
CREATE TABLE codes (code TEXT PRIMARY KEY COLLATE NOCASE, n);
INSERT INTO codes VALUES ('Ab', 1);
CREATE TABLE secrets (id INTEGER PRIMARY KEY, apiToken);
CREATE VIEW v AS SELECT 1;
"""
ANN = {"id": 1, "name": "ann", "age": 30}
BOB = {"id": 2, "name": "bob", "age": None}


async def restore_all(world: World, *changes: Restoration) -> None:
    domain = world.domain
    assert isinstance(domain, RestoresAll)
    await domain.restore_all(changes)


async def refused(restoring: Coroutine[Any, Any, None]) -> str:
    with pytest.raises(AbilityFailed) as refusal:
        await restoring
    return refusal.value.code


async def test_a_state_is_the_row_without_what_is_computed(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        names = ["Users/1", "Users/2", "Users/3", 'Users/"1"', "Users/[1,2]"]
        assert isinstance(world.domain, Domain)
        assert [await world.domain.capture(name) for name in names] == [
            ANN,
            BOB,
            MISSING,
            MISSING,
            MISSING,
        ]


async def test_a_table_has_one_spelling(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        assert world.domain.canonical("USERS/ [1]") == "Users/1"
        assert world.domain.canonical("later/1") == "later/1"
        run_sql(world.path, "CREATE TABLE Later (id INTEGER PRIMARY KEY)")
        with pytest.raises(InvalidTarget):
            await world.domain.capture("later/1")
        assert world.domain.canonical("later/1") == "Later/1"


async def test_a_key_that_only_compares_equal_is_another_row(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        found = [await world.domain.capture(f'codes/"{code}"') for code in ("Ab", "aB")]
        assert found == [{"code": "Ab", "n": 1}, MISSING]
        restoring = world.domain.restore(
            'codes/"aB"', MISSING, {"code": "aB", "n": None}
        )
        assert await refused(restoring) == "not_unique"


async def test_secrets_are_known_by_their_column(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        domain = world.domain
        assert isinstance(domain, HidesSecrets)
        targets = ["secrets/1", "Users/1", "unseen/1"]
        assert [domain.is_secret(each) for each in targets] == [True, False, True]


@pytest.mark.parametrize("table", ["none", "v", "sqlite_schema", "codes"])
async def test_what_is_not_shown_has_no_state(tmp_path: Path, table: str) -> None:
    async with open_world(tmp_path, SCHEMA, exclude=("CODE?",)) as world:
        with pytest.raises(AbilityFailed):
            await world.domain.capture(f"{table}/1")


async def test_a_state_is_put_back_only_over_the_expected_one(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        domain, older = world.domain, {**ANN, "age": 29}
        await domain.restore("Users/1", freeze(ANN), freeze(older))
        drifted = [(ANN, older), (MISSING, ANN), ({**older, "age": 29.0}, ANN)]
        for expected, state in drifted:
            with pytest.raises(Drifted) as drift:
                await domain.restore("Users/1", expected, state)
            assert drift.value.current == older
        with pytest.raises(Drifted) as drift:
            await domain.restore("Users/3", {**ANN, "id": 3}, MISSING)
        assert drift.value.current is MISSING
        assert rows_of(world.path, "Users") == [(1, "ann", 29), (2, "bob", None)]


async def test_all_are_put_back_or_none(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        before = world.path.read_bytes()
        with pytest.raises(Drifted):
            await restore_all(
                world,
                Restoration("Users/1", ANN, MISSING),
                Restoration("Users/2", ANN, MISSING),
            )
        assert world.path.read_bytes() == before


async def test_unique_values_move_in_the_order_that_works(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        await restore_all(
            world,
            Restoration("Users/3", MISSING, {"id": 3, "name": "ann", "age": 1}),
            Restoration("Users/1", ANN, {**ANN, "name": "bob"}),
            Restoration("Users/2", BOB, MISSING),
        )
        assert rows_of(world.path, "Users") == [(1, "bob", 30), (3, "ann", 1)]


async def test_what_is_no_state_of_the_row_is_refused(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        restore = world.domain.restore
        with pytest.raises(TypeError):
            await restore("Users/1", ANN, "ann")
        with pytest.raises(ValueError, match="another row"):
            await restore("Users/1", ANN, BOB)
        run_sql(world.path, "ALTER TABLE Users ADD COLUMN more")
        now = {**ANN, "more": None}
        assert await refused(restore("Users/1", now, ANN)) == "schema_changed"
        with pytest.raises(Drifted):
            await restore("Users/1", ANN, ANN)


KEYS = """
CREATE TABLE parent (id INTEGER PRIMARY KEY);
CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent {});
INSERT INTO parent VALUES (1);
"""


@pytest.mark.parametrize("action", ["", "ON DELETE CASCADE", "ON DELETE SET NULL"])
async def test_an_undo_takes_no_row_along_and_leaves_none_dangling(
    tmp_path: Path, action: str
) -> None:
    async with open_world(tmp_path, KEYS.format(action)) as world:
        inserted = await world.call("insert-row", table="parent", values={"id": 2})
        child = await world.call("insert-row", table="child", values={"parent": 2})
        codes = [await refused(world.undo(inserted))]
        deleted = await world.call("delete-rows", table="child", where={"parent": 2})
        removed = await world.call("delete-rows", table="parent", where={"id": 2})
        codes.append(await refused(world.undo(deleted)))
        assert codes == ["foreign_key", "foreign_key"]
        for outcome in (removed, deleted, child, inserted):
            await world.undo(outcome)
        assert rows_of(world.path, "parent") == [(1,)]


async def test_rows_that_refer_to_each_other_are_put_back_together(
    tmp_path: Path,
) -> None:
    schema = """
    CREATE TABLE a (id INTEGER PRIMARY KEY, b REFERENCES b);
    CREATE TABLE b (id INTEGER PRIMARY KEY, a REFERENCES a);
    """
    async with open_world(tmp_path, schema) as world:
        one = Restoration("a/1", MISSING, {"id": 1, "b": 1})
        other = Restoration("b/1", MISSING, {"id": 1, "a": 1})
        assert await refused(restore_all(world, one)) == "foreign_key"
        await restore_all(world, one, other)
        assert (rows_of(world.path, "a"), rows_of(world.path, "b")) == (
            [(1, 1)],
            [(1, 1)],
        )


@pytest.mark.parametrize(
    ("when", "code"),
    [("AFTER UPDATE OF name ON t", ""), ("AFTER UPDATE ON t", "trigger_interferes")],
)
async def test_a_trigger_is_put_right_or_the_undo_is_refused(
    tmp_path: Path, when: str, code: str
) -> None:
    schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, name, seen);
    INSERT INTO t VALUES (1, 'a', 0);
    CREATE TRIGGER u {} BEGIN
      UPDATE t SET seen = old.seen + 1 WHERE id = new.id;
    END;
    """
    async with open_world(tmp_path, schema.format(when)) as world:
        outcome = await world.call(
            "update-rows", table="t", where={"id": 1}, values={"name": "b"}
        )
        assert rows_of(world.path, "t") == [(1, "b", 1)]
        if code:
            assert await refused(world.undo(outcome)) == code
            assert rows_of(world.path, "t") == [(1, "b", 1)]
        else:
            await world.undo(outcome)
            assert rows_of(world.path, "t") == [(1, "a", 0)]


async def test_text_that_is_not_utf8_is_put_back_as_it_was(tmp_path: Path) -> None:
    async with open_world(tmp_path, "CREATE TABLE t (a TEXT PRIMARY KEY, b);") as world:
        sql = "INSERT INTO t VALUES (CAST(x'ff' AS TEXT), CAST(x'fe' AS TEXT))"
        run_sql(world.path, sql)
        outcome = await world.call(
            "update-rows",
            table="t",
            where={"a": {"text_base64": "/w=="}},
            values={"b": 1},
        )
        assert [str(change.target) for change in outcome.changes] == [
            'database:t/{"text_base64":"/w=="}'
        ]
        await world.undo(outcome)
        sql = "SELECT hex(a), hex(b), typeof(a), typeof(b) FROM t"
        assert run_sql(world.path, sql) == [("FF", "FE", "text", "text")]


async def test_a_row_changed_by_others_is_never_overwritten(tmp_path: Path) -> None:
    async with open_world(tmp_path, SCHEMA) as world:
        outcomes = [
            await world.call("insert-row", table="Users", values={"name": "c"}),
            await world.call(
                "update-rows", table="Users", where={"id": 1}, values={"age": 31}
            ),
            await world.call("delete-rows", table="Users", where={"id": 2}),
        ]
        run_sql(world.path, "UPDATE Users SET age = 99")
        run_sql(world.path, "INSERT INTO Users VALUES (2, 'eve', 99)")
        before = world.path.read_bytes()
        for outcome in outcomes:
            with pytest.raises(Drifted):
                await world.undo(outcome)
        assert world.path.read_bytes() == before


# --- any sequence ---------------------------------------------------------------

PLAYGROUND = """
CREATE TABLE plain (id INTEGER PRIMARY KEY, a TEXT, b);
CREATE TABLE pairs (x TEXT, y, z, PRIMARY KEY (x, y)) WITHOUT ROWID;
CREATE TABLE named (n TEXT PRIMARY KEY COLLATE NOCASE, r REAL, i INT UNIQUE);
CREATE TABLE strict_ (id INT PRIMARY KEY, b BLOB, a ANY) STRICT;
"""
TABLES = {
    "plain": ("id", "a", "b"),
    "pairs": ("x", "y", "z"),
    "named": ("n", "r", "i"),
    "strict_": ("id", "b", "a"),
}
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([(1 << 63) - 1, -(1 << 63), 1 << 53, 0.0, -0.0, 1.0, 1e308, 0.1]),
    st.sampled_from([{"real": "inf"}, {"real": "-inf"}, {"text_base64": "/w=="}]),
    st.sampled_from(["", "a", "A", "1", "1.0", "é", "e\u0301", "\0", "🙂", "a/b"]),
    st.sampled_from([{"base64": ""}, {"base64": "AP8="}, {"base64": "YQ=="}]),
)


NAMES = ("insert-row", "insert-row", "update-rows", "delete-rows")
Move = tuple[str, dict[str, Any]]


@st.composite
def moves(draw: st.DrawFn) -> Move:
    table = draw(st.sampled_from(sorted(TABLES)))
    columns = st.sampled_from(TABLES[table])
    name = draw(st.sampled_from(NAMES))
    arguments: dict[str, Any] = {"table": table}
    if name != "insert-row":
        where = st.dictionaries(columns, VALUES, min_size=1, max_size=1)
        arguments["where"] = draw(where)
    if name != "delete-rows":
        arguments["values"] = draw(st.dictionaries(columns, VALUES, min_size=1))
    return name, arguments


@pytest.fixture(scope="module")
async def playground(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """One host for all examples, since a host takes longer than its calls."""
    async with open_world(tmp_path_factory.mktemp("play"), PLAYGROUND) as world:
        yield world


def clear(world: World) -> None:
    for table in TABLES:
        run_sql(world.path, f"DELETE FROM {table}")  # noqa: S608 - of a test


def everything(world: World) -> dict[str, list[tuple[Any, ...]]]:
    """Give all cells with their types, which a comparison in Python would lose."""
    found = {}
    for table, columns in TABLES.items():
        cells = ", ".join(f"quote({name}), hex({name})" for name in columns)
        found[table] = sorted(run_sql(world.path, f"SELECT {cells} FROM {table}"))  # noqa: S608 - of a test
    return found


async def play(world: World, played: list[Move]) -> list[Outcome]:
    outcomes = [await world.call(name, **arguments) for name, arguments in played]
    codes = {outcome.code for outcome in outcomes}
    assert codes <= {"", "not_unique", "constraint_failed", "no_key"}
    return [outcome for outcome in outcomes if outcome.changes]


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(moves(), max_size=8), st.lists(moves(), min_size=1, max_size=12))
async def test_any_changes_undone_in_reverse_give_the_rows_of_before(
    playground: World, first: list[Move], then: list[Move]
) -> None:
    clear(playground)
    await play(playground, first)
    before = everything(playground)
    for outcome in reversed(await play(playground, then)):
        await playground.undo(outcome)
    assert everything(playground) == before


EDITS = (
    "UPDATE plain SET b = 'outside'",
    "UPDATE pairs SET y = y || 'x'",
    "UPDATE OR REPLACE named SET i = 1",
    "DELETE FROM strict_ WHERE id > 0",
    "INSERT OR REPLACE INTO plain VALUES (1, 'a', 'outside')",
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(moves(), min_size=1, max_size=8), st.sets(st.sampled_from(EDITS)))
async def test_after_edits_from_outside_an_undo_is_exact_or_refused(
    playground: World, played: list[Move], edits: set[str]
) -> None:
    clear(playground)
    changed = await play(playground, played)
    for edit in sorted(edits):
        run_sql(playground.path, edit)
    for outcome in reversed(changed):
        await check_undo(playground, outcome)


async def check_undo(world: World, outcome: Outcome) -> None:
    before = everything(world)
    now = [await world.domain.capture(each.target.name) for each in outcome.changes]
    is_drifted = now != [each.after for each in outcome.changes]
    code = await undo_code(world, outcome)
    if code:  # not_unique: a row from outside has the value now
        assert code == "not_unique" or (code == "drifted" and is_drifted)
        assert everything(world) == before
    else:
        found = [await world.domain.capture(c.target.name) for c in outcome.changes]
        assert found == [each.before for each in outcome.changes]
        assert not is_drifted


async def undo_code(world: World, outcome: Outcome) -> str:
    try:
        await world.undo(outcome)
    except Drifted:
        return "drifted"
    except AbilityFailed as refusal:
        return refusal.code
    return ""
