"""What is chosen for modules outlives upgrades, and is seeded once for each."""

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from abilities_host import Module, Site
from abilities_host.hooks.packs import Pack, local_pack
from abilities_host.modules import Modules
from abilities_host.modules.choices import Choices, ModuleChoice
from abilities_host.registry import Registry
from abilities_host.storage.base import Store
from abilities_host.storage.sqlite import SqliteStore, open_sqlite

PACK = "dist/parts"
ON = Module("a", "A", "A", default_active=True)
OFF = Module("b", "B", "B")

# Seeds as a host does; started many times at once.
SEED = """
import asyncio, sys
from pathlib import Path
from abilities_host import Module, Site
from abilities_host.hooks.packs import Pack, local_pack
from abilities_host.modules import Modules
from abilities_host.modules.choices import Choices
from abilities_host.storage.base import Store
from abilities_host.storage.sqlite import open_sqlite

async def main():
    sys.stdin.readline()
    async with open_sqlite(Path(sys.argv[1])) as store:
        choices = Choices(store)
        await choices.migrate()
        await choices.seed([("p", Module(str(i), "M", "M", True)) for i in range(5)])

asyncio.run(main())
"""


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with open_sqlite(tmp_path / "store.db") as store:
        await Choices(store).migrate()
        yield store


def choice(slug: str, *, is_on: bool, turn: int = 0, by: str = "") -> ModuleChoice:
    return ModuleChoice(PACK, slug, is_on, turn, by, "")


async def kept(store: SqliteStore) -> list[ModuleChoice]:
    found = await Choices(store).load()
    assert all(each.at.endswith("+00:00") for each in found.values())
    return [replace(each, at="") for each in found.values()]


async def test_each_default_is_taken_once_and_a_later_one_changes_nothing(
    store: SqliteStore,
) -> None:
    choices = Choices(store)
    await choices.seed([(PACK, ON)])
    await choices.seed([(PACK, replace(ON, default_active=False)), (PACK, OFF)])

    assert await kept(store) == [choice("a", is_on=True), choice("b", is_on=False)]


async def test_what_a_person_chose_stays_through_upgrades_and_absence(
    store: SqliteStore,
) -> None:
    choices = Choices(store)
    await choices.seed([(PACK, ON)])
    await choices.choose(PACK, "a", is_on=False, by="ann")
    await choices.seed([(PACK, OFF)])
    await choices.seed([(PACK, ON), (PACK, OFF)])

    assert await kept(store) == [
        choice("a", is_on=False, turn=1, by="ann"),
        choice("b", is_on=False),
    ]


async def test_every_change_is_told_by_the_generation_and_no_repetition_is(
    store: SqliteStore,
) -> None:
    choices, seen = Choices(store), []
    for change in (
        choices.seed([(PACK, ON), (PACK, OFF)]),
        choices.seed([(PACK, ON), (PACK, OFF)]),
        choices.choose(PACK, "b", is_on=True, by="ann"),
        choices.choose(PACK, "b", is_on=True, by="bob"),
    ):
        before = store.generation()
        await change
        seen.append(store.generation() - before)

    assert seen == [1, 0, 1, 1]
    assert (await kept(store))[1] == choice("b", is_on=True, turn=2, by="bob")


class Meanwhile:
    """A store on which somebody chooses between the look and the write."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self.write = store.write

    async def read(self, sql: str) -> list[tuple[Any, ...]]:
        rows = await self._store.read(sql)
        await Choices(self._store).choose(PACK, "a", is_on=False, by="bob")
        return rows


async def test_what_is_chosen_while_a_process_seeds_is_not_undone(
    store: SqliteStore,
) -> None:
    await Choices(cast("Store", Meanwhile(store))).seed([(PACK, ON)])

    assert await kept(store) == [choice("a", is_on=False, turn=1, by="bob")]


async def test_processes_that_start_at_once_seed_each_module_once(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    async with open_sqlite(path) as store:
        before = store.generation()
        starting = [
            await asyncio.create_subprocess_exec(
                sys.executable, "-c", SEED, str(path), stdin=asyncio.subprocess.PIPE
            )
            for _ in range(4)
        ]
        ends = await asyncio.gather(*(each.communicate(b"\n") for each in starting))
        found = await Choices(store).load()
        after = store.generation()

    assert [each.returncode for each in starting] == [0] * len(ends)
    assert [c.slug for c in found.values()] == [str(i) for i in range(5)]
    assert {c.turn for c in found.values()} == {0}
    assert after > before


@pytest.mark.parametrize(
    ("is_seen", "state"), [(True, ("off", "ann")), (False, ("active", ""))]
)
async def test_a_store_that_is_only_read_has_what_was_chosen_or_the_default(
    tmp_path: Path,
    is_seen: bool,  # noqa: FBT001 - one of two worlds
    state: tuple[str, str],
) -> None:
    path = tmp_path / "store.db"
    async with open_sqlite(path) as store:
        if is_seen:
            await Choices(store).migrate()
            await Choices(store).choose(PACK, "a", is_on=False, by="ann")
    pack = local_pack("parts", None)
    pack.identity, pack.state, pack.modules = PACK, "healthy", (ON,)
    async with open_sqlite(path, read_only=True) as frozen:
        modules = Modules(
            frozen,
            Registry(),
            seconds=1,
            call_seconds=1,
            is_frozen=True,
            sites_of=never,
            changed=lambda: None,
        )
        await modules.open([pack])
        [shown] = modules.list()
        await modules.close()

    assert (shown.state, shown.by) == state


def never(pack: Pack, owner: str) -> Site:
    raise AssertionError(pack, owner)
