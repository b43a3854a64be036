"""A store that cannot be written, or never was, stops no start and lets nothing in."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pins.world import HOLD, MODULE, Said, World, serving

from abilities_host.accounts import Accounts
from abilities_host.gate import Gate
from abilities_host.hooks.packs import Pack
from abilities_host.ledger import Ledger
from abilities_host.pins import PinFile, Pins
from abilities_host.registry import Registry
from abilities_host.storage.frozen import open_frozen
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.threads import run_in_thread

FIRST: Said = {"add": {}, "list": {}}
OTHER: Said = {"add": {"label": "Put \ud800"}, "list": {}}
LARGE = {"description": "x" * 50_000}
SECONDS = 10.0


def no_ledger() -> Ledger:
    raise LookupError


@asynccontextmanager
async def frozen(
    path: Path, registry: Registry, packs: Iterable[Pack], pin_file: Path
) -> AsyncIterator[Pins]:
    """Look at abilities with a store that is only read."""
    async with open_frozen(path) as store:
        gate = Gate(store, Accounts(store), find_ledger=no_ledger)
        file = PinFile(pin_file)
        pins = Pins(store, gate, registry, file=file, holds=True, is_frozen=True)
        await pins.open(packs)
        yield pins


async def held(pins: Pins, registry: Registry) -> list[str]:
    holds = await pins.holding()
    return [a.name for a in registry.list_abilities() if holds(a)]


async def second(folder: Path) -> World:
    """Start two versions after one another; give the world of the second, stopped."""
    async with serving(folder, "1.0", FIRST):
        pass
    async with serving(folder, "2.0", OTHER) as world:
        return world


async def test_a_frozen_store_holds_what_it_knows_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    host = (await second(tmp_path)).host
    file = tmp_path / "s.pins"

    async with frozen(host.loaded.store_path, host.registry, host.packs, file) as pins:
        names, changes = await held(pins, host.registry), pins.changes

    assert names == ["acme/add"]
    assert [change.status for change in changes] == ["waiting"]
    assert not await run_in_thread(file.exists)


async def test_a_frozen_store_without_seals_takes_no_approval_for_good(
    tmp_path: Path,
) -> None:
    host = (await second(tmp_path)).host
    async with open_sqlite(host.loaded.store_path) as store:
        for sql in (
            "UPDATE pin_change SET status = 'approved'",
            "DROP TABLE gate_seal",
            "DELETE FROM migration WHERE owner = 'gate'",
        ):
            await store.transact(lambda changing, sql=sql: changing.execute(sql))  # type: ignore[misc]  # binds this one
    file = tmp_path / "s.pins"

    async with frozen(host.loaded.store_path, host.registry, host.packs, file) as pins:
        names = await held(pins, host.registry)

    assert names == ["acme/add"]


async def test_a_frozen_store_that_never_saw_a_pack_holds_nothing(
    tmp_path: Path,
) -> None:
    host = (await second(tmp_path)).host
    path, file = tmp_path / "s.db", tmp_path / "s.pins"
    async with open_sqlite(path):
        pass

    async with frozen(path, host.registry, host.packs, file) as pins:
        names, changes = await held(pins, host.registry), pins.changes

    assert (names, changes) == ([], ())


async def fill(world: World) -> None:
    """Let the store grow no more, as on a full disk."""
    store = world.host.site_of(world.pack).store
    [(count,)] = await store.read("PRAGMA page_count")
    sql = f"PRAGMA max_page_count={count}"
    await store.transact(lambda changing: changing.execute(sql))


async def said(caplog: pytest.LogCaptureFixture, message: str) -> None:
    """Wait until the log has a line."""
    async with asyncio.timeout(SECONDS):
        while message not in caplog.messages:
            await asyncio.sleep(0.01)


async def test_what_cannot_be_pinned_is_served_and_is_no_change(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path, "1.0", {"list": {}}) as world:
        await fill(world)
        sys.modules[MODULE].add("add", LARGE)
        await said(caplog, "what packs say is not kept, so changes will not be seen")
        active, changes = await world.active(), world.changes

    assert active == {"acme/list": True, "acme/add": True}
    assert changes == ()


async def test_what_cannot_wait_for_a_person_is_held_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD) as world:
        await world.gate.migrate()
        await fill(world)
        world.host.registry.unregister_ability("acme/add")
        sys.modules[MODULE].add("add", LARGE)
        await said(caplog, "changed definitions of acme-notes/acme do not wait yet")
        active = await world.active()

    assert active == {"acme/list": True, "acme/add": False}


async def test_a_store_that_cannot_be_read_meanwhile_is_looked_at_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD) as world:
        path = world.host.loaded.store_path
        away = path.with_name("away.db")
        await run_in_thread(lambda: path.rename(away))
        world.host.registry.unregister_ability("acme/list")
        await said(caplog, "changed definitions were not looked for")
        await run_in_thread(lambda: away.rename(path))
        world.host.registry.unregister_ability("acme/add")
        sys.modules[MODULE].add("add", OTHER["add"])
        async with asyncio.timeout(SECONDS):
            while not await world.waiting():
                await asyncio.sleep(0.01)


def test_what_is_registered_after_the_end_is_nobody_s_news(tmp_path: Path) -> None:
    host = asyncio.run(second(tmp_path)).host

    host.registry.unregister_ability("acme/add")

    assert not host.registry.has_ability("acme/add")
