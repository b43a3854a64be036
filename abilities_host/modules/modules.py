"""Modules: all optional parts of a host's packs, as chosen and as they are now."""

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from abilities_host.errors import LookupFailed, StoreError
from abilities_host.hooks.packs import Pack
from abilities_host.modules.arranging import Arrangement, arrange, judge
from abilities_host.modules.choices import Choices, ModuleChoice
from abilities_host.modules.living import START, STOP, live, obstacle_of
from abilities_host.modules.news import News
from abilities_host.modules.standing import Off, Standing
from abilities_host.modules.unit import Unit
from abilities_host.registry import Registry
from abilities_host.site import Site
from abilities_host.storage.base import Store

log = logging.getLogger(__name__)

SitesOf = Callable[[Pack, str], Site]


class Modules:
    """The modules of one host; without any it costs nothing.

    Args:
        store: where the choices are kept.
        registry: with the abilities.
        seconds: for each question to a pack.
        call_seconds: how long a call may run whose module is switched off meanwhile.
        is_frozen: the store can only be read.
        sites_of: makes what a module is given, of pack and owner.
        changed: called after each change of what is active.

    Attributes:
        news: told whenever a module has become something else.
        seconds: for each question to a pack.
        call_seconds: how long a call may run that began at any time.
    """

    def __init__(
        self,
        store: Store,
        registry: Registry,
        *,
        seconds: float,
        call_seconds: float,
        is_frozen: bool,
        sites_of: SitesOf,
        changed: Callable[[], None],
    ) -> None:
        self.news: Final = News()
        self.seconds = seconds
        self._registry: Final = registry
        self.call_seconds = call_seconds
        self._is_frozen: Final = is_frozen
        self._sites_of: Final = sites_of
        self._tell: Final = changed
        self._choices: Final = Choices(store)
        self._units: Final[dict[str, Unit]] = {}
        self._packs: Final[dict[str, Arrangement]] = {}
        self._tasks: Final[list[asyncio.Task[None]]] = []
        self._under_way: Final[Counter[str]] = Counter()
        self._leaving: Final[dict[str, float]] = {}
        self._gone: tuple[ModuleChoice, ...] = ()
        self._is_kept = False
        self._is_closing = False

    def __repr__(self) -> str:
        return f"Modules({list(self._units.values())!r})"

    # --- start and stop -------------------------------------------------------

    async def open(self, packs: Iterable[Pack]) -> None:
        """Take in the modules of healthy packs, and start those that shall be active.

        What fails to start harms nothing else; see `list`.

        Args:
            packs: all that were found.

        Raises:
            StoreError: when what was chosen cannot be read or kept.
        """
        for pack in packs:
            if pack.is_healthy and pack.modules:
                arrangement = arrange(pack.modules, pack.namespaces)
                self._packs[pack.identity] = arrangement
                units = [Unit(pack, module) for module in arrangement.order]
                self._units.update((unit.name, unit) for unit in units)
        if not self._units:
            return
        await self._prepare()
        await self.refresh()
        for unit in self._units.values():
            self._tasks.append(asyncio.create_task(live(unit, self), name=unit.name))
        self._tell()
        await self.settle()

    async def _prepare(self) -> None:
        """The table is only made where there is something to keep."""
        try:
            await self._choices.migrate()
            if not self._is_frozen:
                own = [(u.pack.identity, u.module) for u in self._units.values()]
                await self._choices.seed(own)
            self._is_kept = True
        except StoreError:
            if not self._is_frozen:
                raise
            log.info("no module was ever chosen here: defaults hold", exc_info=True)

    async def refresh(self) -> None:
        """Read anew what was chosen; what is off now is off for the next call.

        Raises:
            StoreError: when it cannot be read.
        """
        if not self._units:
            return
        found: Mapping[tuple[str, str], ModuleChoice] = {}
        if self._is_kept:
            found = await self._choices.load()
        for unit in self._units.values():
            unit.take(found.get((unit.pack.identity, unit.module.slug)))
        own = {(u.pack.identity, u.module.slug) for u in self._units.values()}
        self._gone = tuple(c for key, c in found.items() if key not in own)
        self._judge()

    async def settle(self) -> None:
        """Wait until every module is what it shall be, no longer than one may take."""
        seconds = (START + STOP) * self.seconds
        if not await self.news.until(self._is_settled, seconds):
            late = [u.short for u in self._units.values() if not u.is_settled]
            log.warning("modules %s are not ready yet", ", ".join(late))

    async def close(self) -> None:
        """Tear every module down, in the reverse order of the start."""
        self._is_closing = True
        self._judge()
        tasks = [task for task in self._tasks if not task.done()]
        await self.news.until(self._is_closed, (STOP + 1) * self.seconds)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=1)

    def _is_settled(self) -> bool:
        return all(unit.is_settled for unit in self._units.values())

    def _is_closed(self) -> bool:
        return all(unit.phase == "closed" for unit in self._units.values())

    # --- what is chosen, what is active ---------------------------------------

    def list(self) -> tuple[Standing, ...]:
        """Give every module as it is now, each after those it requires."""
        abilities = self._registry.list_abilities()
        return tuple(unit.standing(abilities) for unit in self._units.values())

    @property
    def gone(self) -> tuple[ModuleChoice, ...]:
        """Choices for modules that no healthy pack declares now; they are kept."""
        return self._gone

    def off(self) -> Off:
        """Give what keeps abilities off now, for the deny-list."""
        units = self._units.values()
        return Off([(u.belonging, u.off_because) for u in units if not u.is_active])

    async def choose(self, name: str, *, is_on: bool, by: str) -> None:
        """Switch a module, in every running host.

        Args:
            name: ``distribution/entry-point/slug``.
            is_on: on or off.
            by: id of who chose.

        Raises:
            LookupFailed: when there is none.
            StoreError: when it could not be kept.
        """
        unit = self._unit(name)
        pack, slug = unit.pack.identity, unit.module.slug
        await self._choices.choose(pack, slug, is_on=is_on, by=by)

    async def obstacle(self, name: str) -> str:
        """Ask a module whether it could be started.

        Args:
            name: ``distribution/entry-point/slug``.

        Returns:
            The reason why not, empty when it could.

        Raises:
            LookupFailed: when there is none.
        """
        unit = self._unit(name)
        fault = self._packs[unit.pack.identity].faults.get(unit.module.slug, "")
        return fault or await obstacle_of(unit, self)

    def _unit(self, name: str) -> Unit:
        if name not in self._units:
            raise LookupFailed("module", name, self._units)
        return self._units[name]

    # --- calls under way ------------------------------------------------------

    @property
    def is_empty(self) -> bool:
        """Whether no pack has any."""
        return not self._units

    def begin(self, ability: str) -> None:
        """Note a call, so that what it needs is not torn down under it."""
        self._under_way[ability] += 1

    def end(self, ability: str) -> None:
        """Note that a call has ended."""
        self._under_way[ability] -= 1
        if self._under_way[ability] <= 0:
            del self._under_way[ability]
        if self._leaving:
            self.news.tell()

    def _is_idle(self, unit: Unit) -> bool:
        found = map(self._registry.find_ability, self._under_way)
        return not any(each and unit.belonging.has(each) for each in found)

    # --- for the tasks --------------------------------------------------------

    def may_start(self, unit: Unit) -> bool:
        """Answer whether it is wanted and everything it requires is active."""
        return unit.is_wanted and all(u.is_active for u in self._required_by(unit))

    def may_stop(self, unit: Unit) -> bool:
        """Answer whether it is not wanted and nobody needs it any more."""
        if unit.is_wanted or any(u.phase != "closed" for u in self._requiring(unit)):
            self._leaving.pop(unit.name, None)
            return False
        if self._is_closing or self._is_idle(unit) or self._is_late(unit):
            self._leaving.pop(unit.name, None)
            return True
        return False

    def site_of(self, unit: Unit) -> Site:
        """Make what a module is given; what it offers is its own."""
        return self._sites_of(unit.pack, unit.name)

    def changed(self) -> None:
        """Judge and tell anew: some module has become something else."""
        self._judge()
        self._tell()

    def _is_late(self, unit: Unit) -> bool:
        """Calls under way end as they began; one that hangs is not waited for."""
        loop = asyncio.get_running_loop()
        if unit.name not in self._leaving:
            seconds = self._longest_call(unit)
            self._leaving[unit.name] = loop.time() + seconds
            loop.call_later(seconds, self.news.tell)
        return loop.time() >= self._leaving[unit.name]

    def _longest_call(self, unit: Unit) -> float:
        every = self._registry.list_abilities()
        own = [each.time_limit or 0.0 for each in every if unit.belonging.has(each)]
        return max([self.call_seconds, *own])

    def _required_by(self, unit: Unit) -> Sequence[Unit]:
        pack = unit.pack.identity
        return [self._units[f"{pack}/{slug}"] for slug in unit.module.requires]

    def _requiring(self, unit: Unit) -> Sequence[Unit]:
        slug, pack = unit.module.slug, unit.pack.identity
        others = (u for u in self._units.values() if u.pack.identity == pack)
        return [u for u in others if slug in u.module.requires]

    def _judge(self) -> None:
        chosen: defaultdict[str, dict[str, bool]] = defaultdict(dict)
        missing: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for unit in self._units.values():
            pack, slug = unit.pack.identity, unit.module.slug
            chosen[pack][slug] = unit.is_on and not self._is_closing
            if unit.unavailable:
                missing[pack][slug] = unit.unavailable
        for pack, arrangement in self._packs.items():
            judged = judge(arrangement, chosen[pack], missing[pack])
            for slug, judgement in judged.items():
                self._units[f"{pack}/{slug}"].judgement = judgement
        for unit in self._units.values():
            if unit.judgement.verdict in ("off", "waiting"):
                unit.unavailable = ""  # it is asked again before the next start
        self.news.tell()
