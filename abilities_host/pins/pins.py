"""Pins: compares what foreign packs say with what they said when first seen."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Final

from abilities_host.ability import Ability
from abilities_host.errors import StoreError
from abilities_host.gate import Gate
from abilities_host.hooks.packs import Pack
from abilities_host.pins.accepted import Approvals, newest
from abilities_host.pins.change import Accepted, Change, Pair, changes_of
from abilities_host.pins.definition import HashMemo, definition_of
from abilities_host.pins.kept import FirstSight, Found, Kept
from abilities_host.pins.kind import DefinitionKind
from abilities_host.pins.outside import PinFile
from abilities_host.pins.telling import headline
from abilities_host.pins.trust import Holding, Trusted, is_foreign
from abilities_host.registry import Registry
from abilities_host.storage.base import Store
from abilities_host.threads import run_in_thread

log = logging.getLogger(__name__)


def now_micros() -> int:
    """Give the time in microseconds since 1970."""
    return time.time_ns() // 1000


class Pins:
    """What the abilities of foreign packs said when they were first seen, and say now.

    Args:
        store: where it is kept.
        gate: where a person accepts what changed.
        registry: with the abilities.
        file: beside the anchor.
        holds: what changed is not served until a person accepts it.
        is_frozen: the store can only be read.

    Attributes:
        holds: what changed is not served until a person accepts it.
        is_frozen: the store can only be read.
        changes: what differs and was not accepted, as of the last look.
    """

    def __init__(
        self,
        store: Store,
        gate: Gate,
        registry: Registry,
        *,
        file: PinFile,
        holds: bool,
        is_frozen: bool,
    ) -> None:
        self.holds: Final = holds
        self.is_frozen: Final = is_frozen
        self.changes: tuple[Change, ...] = ()
        self._registry: Final = registry
        self._kept: Final = Kept(store, file)
        self._kind: Final = DefinitionKind(store)
        self._approvals: Final = Approvals(gate, self._kind, is_frozen=is_frozen)
        self._versions: Mapping[str, str] = {}
        self._hash: Final = HashMemo()
        self._first: Trusted = frozenset()
        self._told: Final[set[str]] = set()
        self._has_news: Final = asyncio.Event()
        gate.register_kind(self._kind)

    async def open(self, packs: Iterable[Pack]) -> None:
        """Look at the abilities of these packs, now and whenever they register more.

        Args:
            packs: all that were found.

        Raises:
            StoreError: when the store cannot be read.
        """
        self._versions = {pack.identity: pack.version for pack in packs}
        loop = asyncio.get_running_loop()

        def tell() -> None:  # maybe in another thread, maybe after the host's end
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._has_news.set)

        self._registry.on_change(tell)
        await self.look()

    async def follow(self, looked: Callable[[], Awaitable[None]]) -> None:
        """Look again after each change of what is registered, until it is cancelled.

        Args:
            looked: awaited after each look.
        """
        while True:
            await self._has_news.wait()
            self._has_news.clear()
            try:
                await self.look()
                await looked()
            except StoreError:
                log.exception("changed definitions were not looked for")

    async def look(self) -> None:
        """Keep what is seen for the first time, and find what has changed.

        Raises:
            StoreError: when the store cannot be read.
        """
        abilities = [a for a in self._registry.list_abilities() if is_foreign(a.pack)]
        if not abilities:
            return
        await self._prepare()
        first = await self._first_sight(abilities)
        accepted = await self._approvals.read()
        trusted = self._first.union(*(each.trusted for each in accepted))
        others = [a for a in abilities if self._key(a) not in trusted]
        changes = await self._changes(self._said_other(others, first), first, accepted)
        self.changes = await self._recorded({a.pack for a in abilities}, changes)
        self._tell()

    async def holding(self) -> Callable[[Ability], bool]:
        """Say which abilities wait for a person now.

        Returns:
            A function for the deny-list.

        Raises:
            StoreError: when the store cannot be read.
        """
        accepted = await self._approvals.read()
        trusted = self._first.union(*(each.trusted for each in accepted))
        return Holding(trusted, self._hash)

    async def _prepare(self) -> None:
        """The tables are only made where there is something to keep."""
        if self._kind.is_ready:
            return
        try:
            await self._kept.migrate()
            self._kind.is_ready = True
        except StoreError:
            if not self.is_frozen:
                raise
            log.info("definitions are not compared", exc_info=True)

    async def _first_sight(self, abilities: Sequence[Ability]) -> FirstSight:
        """What was first seen, with what is seen for the first time now."""
        first = await self._read_first()
        fresh = [a for a in abilities if self._is_fresh(a, first)]
        if fresh and not self.is_frozen and await self._pin(fresh):
            first = await self._read_first()
            # Another process was first, or the table is full: such a one waits.
            still = [a for a in fresh if self._is_fresh(a, first)]
            fresh = [] if self.holds else still
        self._first = frozenset(map(self._key, fresh)).union(
            (pack, name, seen.hash)
            for pack, names in first.items()
            for name, seen in names.items()
        )
        return first

    async def _read_first(self) -> FirstSight:
        if not self._kind.is_ready:
            return {}
        return await self._kept.first_sight(notes=not self.is_frozen)

    def _is_fresh(self, ability: Ability, first: FirstSight) -> bool:
        """Where changes are held, what is new in a known pack is one."""
        known = first.get(ability.pack)
        return not known or (not self.holds and ability.name not in known)

    async def _pin(self, fresh: Sequence[Ability]) -> bool:
        found = [
            Found(a.pack, self._versions.get(a.pack, ""), a.name, definition_of(a))
            for a in fresh
        ]
        try:
            await self._kept.pin(found, at=now_micros(), is_late=not self.holds)
        except StoreError:  # they are served as what they are: never seen before
            log.exception("what packs say is not kept, so changes will not be seen")
            return False
        return True

    def _key(self, ability: Ability) -> tuple[str, str, str]:
        return ability.pack, ability.name, self._hash(ability)

    def _said_other(
        self, others: Iterable[Ability], first: FirstSight
    ) -> Sequence[Ability]:
        if self.holds:
            return tuple(others)
        return [a for a in others if a.name in first.get(a.pack, ())]

    async def _changes(
        self,
        abilities: Iterable[Ability],
        first: FirstSight,
        accepted: Sequence[Accepted],
    ) -> list[Change]:
        changes: list[Change] = []
        by_pack = attrgetter("pack")
        for pack, group in groupby(sorted(abilities, key=by_pack), by_pack):
            seen, those = first.get(pack, {}), list(group)
            old = await self._kept.definitions(pack, seen)
            old.update(newest(accepted, pack))
            pairs = [Pair(a.name, old.get(a.name), definition_of(a)) for a in those]
            was = [seen[a.name].version for a in those if a.name in seen]
            was += [one.version for one in accepted if one.pack == pack]
            now = self._versions.get(pack, "")
            found = partial(changes_of, pack, was[-1] if was else "", now, pairs)
            changes += await run_in_thread(found)
        return changes

    async def _recorded(
        self, packs: Iterable[str], changes: Sequence[Change]
    ) -> tuple[Change, ...]:
        """Have them wait, unless they do already or were decided on."""
        states = await self._kept.states() if self._kind.is_ready else {}
        for id_ in await self._kept.edited(changes):
            states.pop(id_, None)
        for pack in packs if not self.is_frozen else ():
            now = {change.id for change in changes if change.pack == pack}
            waiting = {i for i, (p, s) in states.items() if (p, s) == (pack, "waiting")}
            if waiting - now or now - states.keys():
                await self._record(pack, [c for c in changes if c.id in now])
        return tuple(
            replace(change, status=states[change.id][1])
            if change.id in states
            else change
            for change in changes
        )

    async def _record(self, pack: str, changes: Sequence[Change]) -> None:
        try:
            await self._approvals.migrate()
            await self._kept.record(pack, changes, at=now_micros())
        except StoreError:  # what is held stays held, only nobody can accept it
            log.exception("changed definitions of %s do not wait yet", pack)

    def _tell(self) -> None:
        for change in self.changes:
            if change.id not in self._told:
                self._told.add(change.id)
                log.warning("%s", headline(change, holds=self.holds))
