"""Soak: clients, switches, tokens and deaths of the host, all at the same time."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.servers import free_port
from benchmarks.soak.caller import Caller
from benchmarks.soak.churn import Churn
from benchmarks.soak.faults import Faults
from benchmarks.soak.keys import Keys
from benchmarks.soak.life import Life
from benchmarks.soak.listener import Listener
from benchmarks.soak.reckoning import Reckoning
from benchmarks.soak.record import Record
from benchmarks.soak.scene import Scene
from benchmarks.soak.service import Service
from benchmarks.soak.site import Site
from benchmarks.soak.switches import Switches
from benchmarks.soak.tally import Tally

from abilities_host.adjustments import Adjustments
from abilities_host.storage import Store
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.toggles import Toggles
from abilities_host.tokens import Tokens

CALLERS: Final = 48
LISTENERS: Final = 16
SWITCH_SECONDS: Final = 1.0


class Soak:
    """One soak.

    Args:
        folder: of everything.
        log: what the host says on standard error is added to it.
        lives: as planned.

    Attributes:
        faults: what should not have happened.
        service: the host.
        told: words to figures, once it has run.
    """

    def __init__(self, folder: Path, log: Path, lives: Sequence[Life]) -> None:
        self.faults: Final = Faults()
        self.told: Mapping[str, object] = {}
        self._lives: Final = lives
        self._site: Final = Site(folder)
        config = self._site.config
        self.service: Final = Service(config, free_port(), log, self.faults)
        self.tally: Tally

    async def run(self) -> None:
        """Load, switch, end and start again until the time is over, and compare."""
        async with open_sqlite(self._site.load().store_path) as store:
            scene = await self._scene(store)
            watcher = await scene.keys.make()
            async with self.service.living():
                churn, listeners = await self._load(scene, watcher.value)
            await self._reckon(scene, store)
        self.told = {
            **self.told,
            "tokens ended": scene.keys.ended,
            "tries with them": churn.tried,
            "heard on streams": sum(each.heard for each in listeners),
            "longest stream after its token": (
                f"{max(each.latest for each in listeners):.2f} s"
            ),
            "switches of the ability": scene.switches.ability.times,
            "of a server": scene.switches.team.times,
            "of the listing": scene.switches.compact.times,
        }

    async def _scene(self, store: Store) -> Scene:
        tokens, toggles = Tokens(store), Toggles(store)
        adjustments = Adjustments(store)
        for each in (tokens, toggles, adjustments):
            await each.migrate()
        switches = Switches(self._site, toggles, adjustments)
        self.tally = Tally(self.service, switches, self.faults)
        return Scene(self.service, switches, Keys(tokens), self.faults, self.tally)

    async def _load(
        self, scene: Scene, watcher: str
    ) -> tuple[Churn, Sequence[Listener]]:
        churn = Churn(scene)
        callers = [Caller(number, scene) for number in range(CALLERS)]
        listeners = [Listener(number, scene) for number in range(LISTENERS)]
        async with asyncio.TaskGroup() as group:
            for caller in callers:
                group.create_task(caller.run())
            for listener in listeners:
                group.create_task(listener.run())
            group.create_task(churn.run())
            group.create_task(_switch(scene))
            await self.service.run(self._lives, watcher)
            scene.over.set()
        return churn, listeners

    async def _reckon(self, scene: Scene, store: Store) -> None:
        reckoning = Reckoning(self._site, self.faults)
        await asyncio.to_thread(reckoning.verify)
        record = await Record.read(store)
        reckoning.check_writes(scene.papers, record)
        await asyncio.to_thread(reckoning.check_files, scene.papers, record)
        logged = await asyncio.to_thread(reckoning.check_log, self.service.lives)
        self.told = {
            "processes": len(self.service.lives),
            "acknowledged writes": len(scene.papers.told),
            "entries of the record": record.entries,
            **{f"requests {word}": number for word, number in logged.items()},
        }


async def _switch(scene: Scene) -> None:
    while not await scene.rest(SWITCH_SECONDS):
        await scene.switches.turn()
