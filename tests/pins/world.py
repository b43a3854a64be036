"""A pack that is installed in one version after another, and a host that has it."""

import importlib
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, NamedTuple

from accounts.world import CHEAP, SECRET

from abilities_host import Actor
from abilities_host.accounts import Accounts, Unlocked, keys_beside
from abilities_host.denylist import Decision
from abilities_host.gate import Gate
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.pins import Change, Pins
from abilities_host.storage import Statement
from abilities_host.testing import build_host, installed_pack
from abilities_host.threads import run_in_thread

HOLD: Final = '[plugins]\nchanged_definitions = "hold"\n'
ANN: Final = Actor("ann", "agent", frozenset({"read", "write"}))
MODULE: Final = "acme_notes_of_a_test"
METADATA: Final = "Metadata-Version: 2.1\nName: acme-notes\nVersion: {version}\n"
ENTRY: Final = f"[abilities_host]\nacme = {MODULE}\n"
SOURCE: Final = """
import json
from abilities_host import hookimpl

SAID = json.loads({said!r})
REGISTRY = []


@hookimpl
def register_categories(registry):
    registry.register_category("acme", label="Acme", description="For the tests.")


@hookimpl
def register_abilities(registry):
    REGISTRY.append(registry)
    for name, more in SAID.items():
        add(name, more)


def add(name, more):
    given = {{
        "label": name, "description": "Does it.", "category": "acme",
        "meta": {{"annotations": {{"readonly": True}}}}, **more,
    }}
    REGISTRY[-1].register_ability(
        "acme/" + name, execute_callback=lambda: "done of " + name,
        permission_callback=lambda: True, **given)
"""

Said = Mapping[str, Mapping[str, Any]]
"""Name of an ability, without the namespace, to what it says otherwise."""


def install(folder: Path, version: str, said: Said) -> Path:
    """Lay a version of the pack out as an installer does, alone in a folder."""
    site = Path(mkdtemp(prefix=f"site-{version}-", dir=folder))
    info = site / f"acme_notes-{version}.dist-info"
    info.mkdir(parents=True)
    source = SOURCE.format(said=json.dumps(said))
    (site / f"{MODULE}.py").write_text(source, encoding="utf-8")
    (info / "METADATA").write_text(METADATA.format(version=version), encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRY, encoding="utf-8")
    return site


@asynccontextmanager
async def imported(site: Path) -> AsyncIterator[Pack]:
    """Give the pack that is installed in a folder, for as long as the block runs."""
    sys.path.insert(0, str(site))
    sys.modules.pop(MODULE, None)
    importlib.invalidate_caches()
    try:
        yield await run_in_thread(lambda: installed_pack("acme"))
    finally:
        sys.path.remove(str(site))
        sys.modules.pop(MODULE, None)


class World(NamedTuple):
    """A host with one version of the pack."""

    host: Host
    pack: Pack

    @property
    def changes(self) -> tuple[Change, ...]:
        return self.host.services.find(Pins).changes

    @property
    def gate(self) -> Gate:
        return self.host.services.find(Gate)

    @property
    def keys(self) -> Path:
        anchor = self.host.loaded.anchor_path
        assert anchor
        return keys_beside(anchor)

    @property
    def accounts(self) -> Accounts:
        store = self.host.site_of(self.pack).store
        return Accounts(store, cost=CHEAP, keys=self.keys)

    async def names(self) -> list[str]:
        """Give what an agent is shown."""
        return [a.name for a in await self.host.list_abilities(ANN)]

    async def call(self, name: str) -> str:
        """Give the code of a call; empty when it went well."""
        return (await self.host.execute(name, actor=ANN)).code

    async def active(self) -> dict[str, bool]:
        """Give what runs; the listing must say the same."""
        names = [a.name for a in self.host.registry.list_abilities()]
        runs = {name: await self.call(name) == "" for name in names}
        assert [name for name, does in runs.items() if does] == await self.names()
        return runs

    def decide(self, name: str) -> Decision:
        """Give what the operator is told."""
        return self.host.decide(self.host.registry.get_ability(name))

    async def waiting(self) -> dict[str, str]:
        """Give ids and titles of what waits for a person."""
        return {w.id: w.title for w in (await self.gate.waiting())["definition"]}

    async def ana(self) -> Unlocked:
        """Give the person, who gets an account when there is none."""
        if not await self.accounts.list():
            await self.accounts.add("ana", SECRET, by=None)
        return await self.accounts.unlock("ana", SECRET)

    async def show(self, id_: str) -> tuple[Any, str]:
        canonical, seen = await self.gate.show("definition", id_)
        return json.loads(canonical), seen

    async def approve(self, id_: str) -> None:
        _, seen = await self.show(id_)
        await self.gate.approve("definition", id_, seen, await self.ana())

    async def withdraw(self, id_: str) -> None:
        _, seen = await self.show(id_)
        await self.gate.withdraw("definition", id_, seen, await self.ana())

    async def sql(self, sql: str, **values: Any) -> None:
        """Do what somebody does who can write to the store, and has no secret."""
        store = self.host.site_of(self.pack).store
        await store.write([Statement(sql, values)], bump=True)

    async def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return await self.host.site_of(self.pack).store.read(sql)


@asynccontextmanager
async def serving(
    folder: Path,
    version: str,
    said: Said,
    config: str = "",
    *,
    more: Sequence[Pack] = (),
) -> AsyncIterator[World]:
    """Start a host on the store of this folder, with this version of the pack."""
    site = await run_in_thread(lambda: install(folder, version, said))
    async with (
        imported(site) as pack,
        build_host(folder / "host", packs=[pack, *more], config=config) as host,
    ):
        assert pack.state == "healthy", pack.reason
        yield World(host, pack)
