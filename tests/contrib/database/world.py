"""What a test of the database pack stands in: a real host and a real database."""

import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import abilities_database
from abilities_host import Actor, Domain, Outcome, State
from abilities_host.calls import Recorder
from abilities_host.domain import Restoration, RestoresAll
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.testing import build_host

SCHEMA = """
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, age INT, photo BLOB);
CREATE TABLE members (team TEXT, number INT, note, PRIMARY KEY (team, number))
  WITHOUT ROWID;
CREATE TABLE codes (code TEXT PRIMARY KEY COLLATE NOCASE, use ANY);
CREATE TABLE loose (note);
"""


@dataclass(frozen=True)
class World:
    path: Path
    host: Host

    @property
    def domain(self) -> Domain:
        return self.host.registry.get_domain("database")

    async def call(self, name: str, **arguments: Any) -> Outcome:
        actor = Actor("tester", scopes=frozenset({"read", "write"}))
        return await self.host.execute(f"database/{name}", arguments, actor=actor)

    async def run(self, name: str, **arguments: Any) -> Any:
        outcome = await self.call(name, **arguments)
        assert outcome.status == "ok", outcome.error
        return outcome.result

    async def code(self, name: str, **arguments: Any) -> str:
        """Run what must be refused; a refusal never tells where the database is."""
        outcome = await self.call(name, **arguments)
        assert outcome.error is not None
        assert str(self.path.parent) not in str(outcome.error)
        assert outcome.changes == ()
        return outcome.code

    async def undo(self, outcome: Outcome) -> None:
        """Put the changes of a call back, all in one step."""
        domain = self.domain
        assert isinstance(domain, RestoresAll)
        await domain.restore_all(
            [Restoration(c.target.name, c.after, c.before) for c in outcome.changes]
        )


def changes_of(outcome: Outcome) -> dict[str, tuple[State, State]]:
    return {each.target.name: (each.before, each.after) for each in outcome.changes}


def run_sql(
    path: Path, sql: str, *parameters: Any, seconds: float = 5
) -> list[tuple[Any, ...]]:
    opened = sqlite3.connect(path, isolation_level=None, timeout=seconds)
    with closing(opened) as connection:
        connection.text_factory = lambda raw: raw.decode(errors="replace")
        return connection.execute(sql, parameters).fetchall()


def run_script(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(script)


def rows_of(path: Path, table: str) -> list[tuple[Any, ...]]:
    return sorted(run_sql(path, f'SELECT * FROM "{table}"'), key=repr)  # noqa: S608 - of a test


def database_pack() -> Pack:
    """Give the pack under its own distribution, which alone may claim its name."""
    name = "abilities-host/database"
    return Pack(name, "database", "", is_policy=False, load=lambda: abilities_database)


def write_settings(settings: Mapping[str, Any]) -> str:
    lines = [f"{key} = {_spell(value)}" for key, value in settings.items()]
    return "\n".join(["[packs.database]", *lines, ""])


def _spell(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(list(value)) if isinstance(value, tuple) else repr(value)


@asynccontextmanager
async def open_world(
    folder: Path,
    schema: str = SCHEMA,
    *,
    packs: Sequence[Pack | tuple[str, Any]] = (),
    recorder: Recorder | None = None,
    config: str = "",
    **settings: Any,
) -> AsyncIterator[World]:
    path = folder / "data" / "content.db"
    path.parent.mkdir(exist_ok=True)
    run_script(path, schema)
    table = write_settings({"path": "../data/content.db"} | settings)
    async with build_host(
        folder / "host",
        packs=[database_pack(), *packs],
        config=table + config,
        recorder=recorder,
    ) as host:
        yield World(path, host)
