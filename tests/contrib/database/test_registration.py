import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from contrib.database.world import database_pack, open_world, run_script, write_settings

from abilities_database.refusals import TableRefused
from abilities_database.settings import (
    SettingRefused,
    Settings,
    check_version,
    read_settings,
)
from abilities_host.testing import build_host, check_pack


async def test_six_abilities_with_their_annotations(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        found = {}
        for ability in world.host.registry.list_abilities():
            notes = ability.annotations
            found[ability.name] = (
                notes.readonly,
                notes.destructive,
                notes.idempotent,
                ability.reversal,
                ability.requires,
            )
        assert found == {
            "database/list-tables": (True, False, True, False, "read"),
            "database/describe-table": (True, False, True, False, "read"),
            "database/query": (True, False, True, False, "read"),
            "database/insert-row": (False, False, False, "rows only", "write"),
            "database/update-rows": (False, True, True, "rows only", "write"),
            "database/delete-rows": (False, True, True, "rows only", "write"),
        }


async def test_a_read_only_database_has_no_writers(tmp_path: Path) -> None:
    async with open_world(tmp_path, read_only=True) as world:
        names = [ability.name for ability in world.host.registry.list_abilities()]
        assert names == [
            "database/list-tables",
            "database/describe-table",
            "database/query",
        ]


async def test_the_pack_troubles_no_client(tmp_path: Path) -> None:
    (tmp_path / "x.db").touch()
    config = write_settings({"path": "x.db"})
    assert await check_pack(database_pack(), tmp_path, config=config) == []


async def set_aside(folder: Path, settings: dict[str, Any], config: str = "") -> str:
    pack = database_pack()
    config = write_settings(settings) + config
    async with build_host(folder, packs=[pack], config=config):
        return pack.reason


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"max_rows": 5},
            "'content.db' does not exist. Write where your SQLite database is.",
        ),
        ({"path": ""}, "it must be the path of an SQLite database"),
        ({"path": 3}, "it must be the path of an SQLite database"),
        ({"path": "loop"}, "'loop' does not exist"),
        ({"path": "folder"}, "'folder' is not an SQLite database"),
        ({"path": "text"}, "'text' is not an SQLite database"),
        ({"path": "abilities.toml"}, "'abilities.toml' belongs to the host itself"),
        ({"path": "to-config"}, "'to-config' belongs to the host itself"),
        ({"path": "hard"}, "'hard' belongs to the host itself"),
        ({"path": "."}, "'.' belongs to the host itself"),
        ({"path": "closed/inner.db"}, "'closed/inner.db' belongs to the host itself"),
        ({"path": "beside.db"}, "'beside.db' belongs to the host itself"),
        ({"pth": "x"}, "there is no such setting. Did you mean 'path'?"),
        ({"colour": 1}, "There are: path, read_only"),
        ({"read_only": "yes"}, "it must be true or false"),
        ({"tables": "users"}, "it must be a list of texts"),
        ({"exclude": (1,)}, "it must be a list of texts"),
        ({"secret_columns": ("pin",)}, "it must be a list of table.column"),
        ({"max_rows": 0}, "it must be a whole number from 1 to 10,000"),
        ({"max_bytes": True}, "it must be a whole number from 1,024 to 67,108,864"),
        ({"seconds": 61}, "it must be a whole number from 1 to 60"),
    ],
)
async def test_what_the_operator_got_wrong_is_said_with_the_fix(
    tmp_path: Path, settings: dict[str, Any], sentence: str
) -> None:
    folder = tmp_path / "host"
    (folder / "folder").mkdir(parents=True, mode=0o700)
    (folder / "closed").mkdir()
    folder.chmod(0o700)
    (folder / "text").write_text("not a database at all")
    (folder / "loop").symlink_to("loop")
    (folder / "to-config").symlink_to("abilities.toml")
    for name in ("closed/inner.db", "beside.db", "beside.db-wal"):
        (folder / name).touch()
    (folder / "abilities.toml").touch(mode=0o600)
    (folder / "hard").hardlink_to(folder / "abilities.toml")
    protected = '\n[protect]\npaths = ["closed", "beside.db-wal"]\n'
    reason = await set_aside(folder, settings, protected)
    assert sentence in reason
    assert "[packs.database]" in reason


async def test_without_settings_there_is_nothing_and_nothing_is_wrong(
    tmp_path: Path,
) -> None:
    pack = database_pack()
    async with build_host(tmp_path, packs=[pack]) as host:
        names = [ability.name for ability in host.registry.list_abilities()]

    assert (pack.state, names) == ("healthy", [])


async def test_the_store_of_the_host_is_never_the_database(tmp_path: Path) -> None:
    async with open_world(tmp_path):
        pass
    stores = [path for path in (tmp_path / "host").rglob("*.db*") if path.is_file()]
    assert stores
    for store in stores:
        reason = await set_aside(tmp_path / "host", {"path": str(store)})
        assert "belongs to the host itself" in reason


async def test_a_database_exchanged_for_the_hosts_own_is_closed(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.path.unlink()
        world.path.symlink_to(tmp_path / "host" / "abilities.toml")
        found = [
            await world.code("query", sql="SELECT 1"),
            await world.code("insert-row", table="users", values={"id": 1}),
        ]
        world.path.unlink()
        found.append(await world.code("list-tables"))
        assert found == ["protected", "protected", "unavailable"]


@pytest.mark.parametrize("contents", [b"not a database", b"SQLite format 3\0" * 40])
async def test_a_file_that_is_no_database_any_more_is_said_so(
    tmp_path: Path, contents: bytes
) -> None:
    async with open_world(tmp_path) as world:
        world.path.write_bytes(contents)
        found = [
            await world.code("query", sql="SELECT 1"),
            await world.code("insert-row", table="users", values={"id": 1}),
        ]
        assert found == ["unavailable", "unavailable"]


def test_every_setting_is_read() -> None:
    table = {
        "path": "x",
        "read_only": True,
        "tables": ["a*"],
        "exclude": ["ab"],
        "max_rows": 2,
        "max_bytes": 2048,
        "seconds": 3,
        "secret_columns": ["a.b"],
        "allow_irreversible": True,
    }
    expected = Settings("x", True, ("a*",), ("ab",), 2, 2048, 3, ("a.b",), True)  # noqa: FBT003 - in the order of the fields
    assert read_settings(table) == expected


def test_exclusion_is_stronger_and_case_does_not_matter() -> None:
    settings = Settings(tables=("User*", "log"), exclude=("*_Secret",))
    names = ["users", "USERS", "users_secret", "Log", "logs", "sqlite_sequence"]
    shown = [settings.shows(name) for name in names]
    assert shown == [True, True, False, True, False, False]
    assert not replace(settings, tables=("*",)).shows("SQLite_schema")


def test_an_old_sqlite_is_refused() -> None:
    with pytest.raises(SettingRefused, match=r"older than 3\.37"):
        check_version((3, 36, 0))
    check_version((3, 37, 0))


def test_every_refusal_of_a_table_names_it() -> None:
    for refusal in TableRefused.__subclasses__():
        assert "'orders'" in str(refusal("orders"))


async def test_tables_are_listed_and_described(tmp_path: Path) -> None:
    schema = """
    CREATE TABLE people (id INTEGER PRIMARY KEY, Email TEXT NOT NULL DEFAULT 'x' UNIQUE,
      password TEXT, twice AS (id * 2), boss REFERENCES people ON DELETE CASCADE,
      hidden REFERENCES hidden);
    CREATE INDEX people_twice ON people (twice, id + 1);
    CREATE TRIGGER watch AFTER DELETE ON people BEGIN SELECT 1; END;
    CREATE VIEW emails AS SELECT email FROM people;
    CREATE VIRTUAL TABLE words USING fts5(text);
    CREATE TABLE hidden (id INTEGER PRIMARY KEY);
    """

    def column(name: str, kind: str, **more: Any) -> dict[str, Any]:
        plain = {"nullable": True, "default": None, "generated": False, "secret": False}
        return {"name": name, "type": kind, **plain, **more}

    async with open_world(tmp_path, schema, exclude=("hidden",)) as world:
        assert await world.run("list-tables") == {
            "tables": [
                {"name": "emails", "kind": "view", "columns": 1},
                {"name": "people", "kind": "table", "columns": 6},
                {"name": "words", "kind": "virtual", "columns": 3},
            ],
            "truncated": False,
        }
        key = {"table": "people", "on_delete": "CASCADE", "on_update": "NO ACTION"}
        assert await world.run("describe-table", table="PEOPLE") == {
            "name": "people",
            "kind": "table",
            "columns": [
                column("id", "INTEGER"),
                column("Email", "TEXT", nullable=False, default="'x'"),
                column("password", "TEXT", secret=True),
                column("twice", "", generated=True),
                column("boss", ""),
                column("hidden", ""),
            ],
            "key": ["id"],
            "reversible": False,
            "indexes": [
                {"unique": False, "columns": ["twice", None]},
                {"unique": True, "columns": ["Email"]},
            ],
            "foreign_keys": [
                {**key, "table": None, "on_delete": "NO ACTION", "columns": ["hidden"]},
                {**key, "columns": ["boss"]},
            ],
            "triggers": ["watch"],
        }
        words = await world.run("describe-table", table="words")
        assert (words["key"], [each["name"] for each in words["columns"]]) == (
            [],
            ["text"],
        )
        assert await world.code("describe-table", table="hidden") == "unknown_table"


async def test_a_database_locked_at_the_start_is_served_later(tmp_path: Path) -> None:
    path = tmp_path / "data" / "content.db"
    path.parent.mkdir()
    run_script(path, "CREATE TABLE Users (id INTEGER PRIMARY KEY, a);")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    async with open_world(tmp_path, "", seconds=1) as world:
        assert await world.code("list-tables") == "busy"
        holder.close()
        await world.run("insert-row", table="users", values={"a": 1})
        assert world.domain.canonical("users/1") == "Users/1"
