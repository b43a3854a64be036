"""Kept: what the store and the file outside it know of definitions."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from abilities_host.gate import hash_of
from abilities_host.pins import tables
from abilities_host.pins.change import Change, Status
from abilities_host.pins.outside import PinFile, Seen
from abilities_host.storage.base import Store, Transaction
from abilities_host.threads import run_in_thread

log = logging.getLogger(__name__)


class First(NamedTuple):
    """A definition as it was first seen.

    Attributes:
        hash: of the definition.
        version: of the pack, empty for a file or when nobody knows it.
    """

    hash: str
    version: str


class Found(NamedTuple):
    """A definition that an ability has now."""

    pack: str
    version: str
    ability: str
    definition: bytes


FirstSight = Mapping[str, Mapping[str, First]]
"""Pack to ability to what was first seen."""


class Kept:
    """Pins and changes of one store.

    Args:
        store: with the tables of pins.
        file: beside the anchor.
    """

    def __init__(self, store: Store, file: PinFile) -> None:
        self._store: Final = store
        self._file: Final = file

    async def migrate(self) -> None:
        """Make the tables, or bring them up to date; raises StoreError."""
        await self._store.migrate(tables.OWNER, tables.MIGRATIONS)

    async def first_sight(self, *, notes: bool) -> FirstSight:
        """Give what was first seen of every pack.

        Of a pack that the file speaks of the file is believed: it takes more than
        writing to the store to change it.

        Args:
            notes: write into the file what only the store knows.

        Raises:
            StoreError: when the store cannot be read.
        """
        rows: dict[str, dict[str, First]] = {}
        for pack, ability, hash_, version in await self._store.read(tables.PINS):
            rows.setdefault(pack, {})[ability] = First(hash_, version)
        noted = await self._noted()
        if noted is None:
            return rows
        missing = [pack for pack in rows if pack not in noted]
        if missing and notes:
            # The file is new, or a host died between the store and the file.
            log.warning("what was first seen of %s is noted again", ", ".join(missing))
            await self._note(_seen(rows, missing))
        return {**rows, **{pack: _held(noted[pack], rows.get(pack)) for pack in noted}}

    async def pin(self, found: Sequence[Found], *, at: int, is_late: bool) -> None:
        """Keep what is seen for the first time, of at most 100,000 in all.

        Another process may have been first; then what it saw is kept.

        Args:
            found: definitions that abilities have.
            at: microseconds since 1970.
            is_late: also of a pack that is known.

        Raises:
            StoreError: when nothing could be stored.
        """
        kept = await self._store.transact(
            lambda changing: _pin(changing, found, at, is_late=is_late)
        )
        await self._note(kept)

    async def definitions(
        self, pack: str, first: Mapping[str, First]
    ) -> dict[str, bytes]:
        """Give the definitions that were first seen of a pack.

        Args:
            pack: its identity.
            first: their hashes; a definition that somebody changed is left out.

        Raises:
            StoreError: when they cannot be read.
        """
        rows = await self._store.read(tables.DEFINITIONS, {"pack": pack})
        return {
            ability: definition
            for ability, definition in rows
            if ability in first and _is_of(definition, first[ability])
        }

    async def states(self) -> dict[str, tuple[str, Status]]:
        """Give pack and status of every change that is known; raises StoreError."""
        rows = await self._store.read(tables.STATES)
        return {id_: (pack, status) for id_, pack, status in rows}

    async def edited(self, changes: Iterable[Change]) -> set[str]:
        """Give the ids of changes that the store has with another text.

        Args:
            changes: of any packs.

        Raises:
            StoreError: when they cannot be read.
        """
        ids: set[str] = set()
        for change in changes:
            rows = await self._store.read(tables.GET, {"id": change.id})
            if rows and rows[0][0] != change.canonical:
                ids.add(change.id)
        return ids

    async def record(self, pack: str, changes: Sequence[Change], *, at: int) -> None:
        """Have changes of a pack wait for a person, and no others of it.

        Args:
            pack: its identity.
            changes: all there are now.
            at: microseconds since 1970.

        Raises:
            StoreError: when they cannot be stored.
        """
        await self._store.transact(
            lambda changing: _record(changing, pack, changes, at)
        )

    async def _noted(self) -> Mapping[str, Mapping[str, str]] | None:
        try:
            return await run_in_thread(self._file.read)
        except OSError:  # whoever writes only to the store cannot bring this about
            log.exception("what was first seen of packs is only read from the store")
            return None

    async def _note(self, seen: Sequence[Seen]) -> None:
        try:
            await run_in_thread(lambda: self._file.add(seen))
        except OSError:  # the store has it
            log.exception("what was first seen of packs is not noted out of the store")


def _seen(rows: FirstSight, packs: Iterable[str]) -> list[Seen]:
    return [
        Seen(pack, ability, first.hash)
        for pack in packs
        for ability, first in rows[pack].items()
    ]


def _held(
    noted: Mapping[str, str], rows: Mapping[str, First] | None
) -> dict[str, First]:
    """Take the hashes of the file, with the versions that the store has for them."""
    known = rows or {}
    firsts = {name: First(hash_, "") for name, hash_ in noted.items()}
    return {
        name: known[name] if name in known and known[name].hash == first.hash else first
        for name, first in firsts.items()
    }


def _is_of(definition: object, first: First) -> bool:
    return isinstance(definition, bytes) and hash_of(definition) == first.hash


def _pin(
    changing: Transaction, found: Sequence[Found], at: int, *, is_late: bool
) -> list[Seen]:
    [(count,)] = changing.execute(tables.COUNT)
    packs = {each.pack for each in found}
    known = {p for p in packs if changing.execute(tables.KNOWN, {"pack": p})}
    kept: list[Seen] = []
    for each in found[: max(0, tables.LIMIT - count)]:
        if each.pack in known and not is_late:
            continue
        hash_ = hash_of(each.definition)
        values = {**each._asdict(), "hash": hash_, "at": at}
        changing.execute(tables.PIN, values)
        if changing.changes():
            kept.append(Seen(each.pack, each.ability, hash_))
    return kept


def _record(
    changing: Transaction, pack: str, changes: Sequence[Change], at: int
) -> None:
    ids = {change.id for change in changes}
    for (id_,) in changing.execute(tables.WAITING_OF, {"pack": pack}):
        if id_ not in ids:
            changing.execute(tables.DROP, {"id": id_})
    for change in changes:
        values = {"id": change.id, "pack": pack, "title": change.title, "at": at}
        changing.execute(tables.ADD, {**values, "canonical": change.canonical})
