"""The host that is killed: files, slips, the record, and a store that may stand."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from copy import copy
from pathlib import Path
from typing import Any, Final

from faults.drawer import Drawer
from faults.standing import Stand, StandingStore

import abilities_files
import abilities_ledger
from abilities_host import (
    Actor,
    Declaration,
    Outcome,
    RegistryView,
    Site,
    hookimpl,
    run_in_thread,
)
from abilities_host.config import LoadedConfig, load_config
from abilities_host.hooks.packs import Pack, local_pack
from abilities_host.host import Host
from abilities_host.ledger import Entry, Ledger
from abilities_host.opening import open_host
from abilities_host.storage import Store
from abilities_host.testing import write_config
from abilities_ledger.book import Book

ANN: Final = Actor("ann", "human", frozenset({"read", "write", "ledger:*"}))
WRITE: Final = ("intent", "touch", "outcome")
UNDO: Final = "ledger/rollback-change"


class StandingLedger:
    """The ledger pack on a store that may stand.

    Args:
        stand: where to stop.
        names: of the transactions, in their order.
    """

    def __init__(self, stand: Stand, names: Sequence[str]) -> None:
        self._stand: Final = stand
        self._names: Final = names

    @hookimpl
    def declare_pack(self) -> Declaration:
        return abilities_ledger.declare_pack()

    @hookimpl
    def register_categories(self, registry: RegistryView) -> None:
        abilities_ledger.register_categories(registry)

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        abilities_ledger.register_abilities(registry)

    @hookimpl
    def open_pack(self, site: Site) -> AbstractAsyncContextManager[None]:
        standing = copy(site)
        vars(standing)["store"] = StandingStore(site.store, self._stand, self._names)
        return abilities_ledger.open_pack(standing)


class World:
    """One host in a folder, and what lies around it.

    Args:
        folder: of everything.
        host: runs there.
        drawer: its slips.
    """

    def __init__(self, folder: Path, host: Host, drawer: Drawer) -> None:
        self.folder: Final = folder
        self.host: Final = host
        self.drawer: Final = drawer
        self.store: Final[Store] = host._store  # noqa: SLF001 - the tests look at the rows
        self.book: Final = Book(self.store)

    @property
    def ledger(self) -> Ledger:
        return self.host.services.find(Ledger)

    async def run(self, name: str, **arguments: Any) -> Outcome:
        return await self.host.execute(name, arguments, actor=ANN, session="s1")

    async def undo(self, seq: int, **switches: Any) -> Outcome:
        return await self.run(UNDO, id=seq, **switches)

    async def entries(self) -> list[Entry]:
        found: list[Entry] = []
        where = "WHERE seq > :after ORDER BY seq LIMIT 5000"
        while True:
            after = {"after": found[-1].seq if found else 0}
            page = await self.book.select(where, after)
            found += page
            if not page:
                return found

    async def sweep(self) -> None:
        """Do what the host does every thirty seconds, now."""
        for job in self.host.jobs.all:
            if job.name == "ledger-sweep":
                await job.work()

    async def slips(self) -> dict[str, Any]:
        """Give every slip in the drawer."""
        drawer = self.drawer

        def read() -> dict[str, Any]:
            paths = (self.folder / "slips").glob("[!.]*")
            return {path.name: drawer.read(path.name) for path in paths}

        return await run_in_thread(read)

    async def files(self) -> dict[str, bytes]:
        """Give every file of the files pack, unfinished ones left out."""

        def read() -> dict[str, bytes]:
            paths = (self.folder / "content").glob("[!.]*")
            return {path.name: path.read_bytes() for path in paths}

        return await run_in_thread(read)


def prepare(folder: Path, config: str = "") -> Path:
    """Lay out the folders and write the configuration; blocks.

    Args:
        folder: of everything.
        config: TOML text, from the middle of the table ``[ledger]`` on.

    Returns:
        The configuration file; one that is there stays, for others may be reading it.
    """
    for name in ("slips", "content"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    path = folder / "host" / "abilities.toml"
    if not path.exists():
        text = "[packs.files]\nroot = '../content'\n[ledger]\nrequired = true\n"
        write_config(folder / "host", text + config)
    return path


@asynccontextmanager
async def open_world(
    folder: Path,
    stand: Stand | None = None,
    *,
    names: Sequence[str] = WRITE,
    config: str = "",
    packs: Sequence[Pack] = (),
) -> AsyncIterator[World]:
    """Run a host; a second one in the same folder has the same store."""
    drawer = Drawer(folder / "slips", stand or Stand("", None, folder))
    every = [
        _own("ledger", StandingLedger(drawer.stand, names)),
        _own("files", abilities_files),
        local_pack("drawer", drawer),
        *packs,
    ]
    loaded = await run_in_thread(lambda: _load(folder, config))
    async with open_host(
        loaded, packs=every, finds_packs=False, is_traced=False
    ) as host:
        assert [pack.reason for pack in host.packs if pack.reason] == []
        assert [pack.refused for pack in host.packs if pack.refused] == []
        yield World(folder, host, drawer)


def _load(folder: Path, config: str) -> LoadedConfig:
    path = prepare(folder, config)
    environ = {"XDG_STATE_HOME": str(folder / "state")}
    return load_config(path, environ=environ, cwd=folder)


def _own(name: str, plugin: Any) -> Pack:
    """Give a pack under its own distribution, which alone may claim its name."""
    return Pack(
        f"abilities-host/{name}", name, "", is_policy=False, load=lambda: plugin
    )
