"""Gate: takes decisions of people, seals them, and tells what is sealed."""

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from abilities_host.accounts import Accounts, Unlocked
from abilities_host.accounts.tables import IS_ON
from abilities_host.errors import AbilitiesError, LookupFailed, StoreError
from abilities_host.gate import tables
from abilities_host.gate.errors import NotTrusted, StaleHash
from abilities_host.gate.journal import Journal
from abilities_host.gate.kind import CountsWaiting, Kind, Waiting
from abilities_host.gate.looking import Looking
from abilities_host.gate.seal import Seal, Verb, hash_of
from abilities_host.gate.sealing import sealed, unsigned, values_of
from abilities_host.gate.survey import Alarm, Survey
from abilities_host.ledger import Ledger
from abilities_host.storage.base import Statement, Store, Transaction
from abilities_host.threads import run_in_thread

log = logging.getLogger(__name__)


def now_micros() -> int:
    """Give the time in microseconds since 1970."""
    return time.time_ns() // 1000


class Gate:
    """The one way from a draft to something that has an effect.

    It takes decisions only with an `Unlocked` account, which needs the secret; code
    that makes a false one gets a seal that nobody takes for good.

    Args:
        store: where seals are kept.
        accounts: of the same store.
        find_ledger: gives the record of writes; raises LookupError without one.
        journal: file outside the store that shows what was removed from it.
        clock: microseconds since 1970.
    """

    def __init__(
        self,
        store: Store,
        accounts: Accounts,
        *,
        find_ledger: Callable[[], Ledger],
        journal: Path | None = None,
        clock: Callable[[], int] = now_micros,
    ) -> None:
        self._store: Final = store
        self._accounts: Final = accounts
        self._find_ledger: Final = find_ledger
        self._journal: Final = Journal(journal)
        self._clock: Final = clock
        self._kinds: Final[dict[str, Kind]] = {}
        self._looking: Final = Looking(store, accounts, self._journal)

    async def migrate(self) -> None:
        """Make the tables, or bring them up to date; a pack with a kind calls it.

        Raises:
            StoreError: when that is not possible; nothing was changed.
        """
        await self._accounts.migrate()
        await self._store.migrate(tables.OWNER, tables.MIGRATIONS)

    def register_kind(self, kind: Kind) -> None:
        """Make a kind known.

        Args:
            kind: of drafts that wait for a human.

        Raises:
            ValueError: when there is another kind of this name.
        """
        if self._kinds.setdefault(kind.name, kind) is not kind:
            msg = f"there is a kind {kind.name!r} already"
            raise ValueError(msg)

    async def show(self, kind: str, id_: str) -> tuple[bytes, str]:
        """Give what a person is to see, and the hash to name when deciding.

        Args:
            kind: name of the kind.
            id_: of the entry.

        Returns:
            Canonical bytes and their hash.

        Raises:
            AbilitiesError: when there is no such kind or entry.
            StoreError: when it cannot be read.
        """
        get = self._kind(kind).canonical
        canonical = await self._store.transact(lambda changing: get(changing, id_))
        return canonical, hash_of(canonical)

    async def hashes(self, kind: str, ids: Iterable[str]) -> dict[str, str]:
        """Give the hashes to name when deciding on several entries.

        Args:
            kind: name of the kind.
            ids: of entries.

        Returns:
            Id to hash, of those that there are.

        Raises:
            LookupFailed: when there is no such kind.
            StoreError: when they cannot be read.
        """
        get, wanted = self._kind(kind).canonical, tuple(ids)

        def look(changing: Transaction) -> dict[str, str]:
            found = {}
            for id_ in wanted:
                with suppress(AbilitiesError):
                    found[id_] = hash_of(get(changing, id_))
            return found

        return await self._store.transact(look)

    async def approve(
        self,
        kind: str,
        id_: str,
        seen_hash: str,
        human: Unlocked,
        *,
        first: Callable[[Transaction], object] | None = None,
    ) -> Seal:
        """Approve an entry as a person saw it.

        Args:
            kind: name of the kind.
            id_: of the entry.
            seen_hash: of what was shown.
            human: who decides.
            first: what is done in the same transaction before, for what a person
                writes and approves in one go.

        Returns:
            The seal, durable.

        Raises:
            StaleHash: when the entry is not what was seen; nothing is changed.
            NotTrusted: when the account is off, or the key another one.
            AbilitiesError: when there is no such entry or its state forbids it.
            StoreError: when nothing could be stored.
        """
        await self._check_key(human)
        found = self._kind(kind)

        def act(changing: Transaction) -> tuple[Seal, tuple[str, ...], bool]:
            if first is not None:
                first(changing)
            return self._approve(found, id_, seen_hash, human, changing)

        seal, replaced, binds = await self._store.transact(act, bump=True)
        for other in replaced:
            await self._log("withdraw", unsigned(kind, other, "", human, seal.at))
        await self._log("approve", seal, binds=binds)
        await self._note("approved", seal, replaces=list(replaced))
        return seal

    async def withdraw(
        self, kind: str, id_: str, seen_hash: str, human: Unlocked
    ) -> None:
        """Withdraw an entry that is approved.

        Args:
            kind: name of the kind.
            id_: of the entry.
            seen_hash: of what was shown.
            human: who decides.

        Raises:
            StaleHash: when the entry is not what was seen; nothing is changed.
            NotTrusted: when the account is off, or the key another one.
            AbilitiesError: when there is no such entry or its state forbids it.
            StoreError: when nothing could be stored.
        """
        await self._check_key(human)
        act = partial(self._withdraw, self._kind(kind), id_, seen_hash, human)
        seal = await self._store.transact(act, bump=True)
        await self._log("withdraw", seal)
        await self._note("withdrawn", seal)

    async def reject(self, kind: str, id_: str, *, by: str) -> None:
        """Set aside an entry that waits; nothing takes effect or loses it.

        Args:
            kind: name of the kind.
            id_: of the entry.
            by: name of the account.

        Raises:
            AbilitiesError: when there is no such entry or its state forbids it.
            StoreError: when nothing could be stored.
        """
        reject, at = self._kind(kind).reject, self._clock()
        await self._store.transact(lambda changing: reject(changing, id_, by=by, at=at))
        await self._note("rejected", Seal(kind, id_, "", by, at, b""))

    async def waiting(self) -> dict[str, tuple[Waiting, ...]]:
        """Give what waits for a person.

        Returns:
            Name of every kind to its entries, oldest first, at most 200 of each.

        Raises:
            StoreError: when they cannot be read.
        """
        return {name: tuple(await kind.waiting()) for name, kind in self._kinds.items()}

    async def counts(self) -> dict[str, int]:
        """Count what waits for a person.

        Returns:
            Name of every kind to how many; 200 at most of one that cannot count.

        Raises:
            StoreError: when they cannot be read.
        """
        return {name: await _count(kind) for name, kind in self._kinds.items()}

    async def public_keys(self) -> dict[str, bytes]:
        """Give the keys that seals are judged by; see `Accounts.public_keys`."""
        return await self._accounts.public_keys()

    async def forget(self, kind: str, id_: str) -> None:
        """Remove what an entry said when it was approved; the seal itself stays.

        Args:
            kind: name of the kind.
            id_: of an entry that is withdrawn.

        Raises:
            StoreError: when nothing could be removed.
        """
        values = {"kind": kind, "id": id_}
        await self._store.write([Statement(tables.FORGET, values)])

    async def acknowledge(self, kind: str, id_: str, human: Unlocked) -> None:
        """Withdraw the seal of an entry that is gone, which ends its alarm.

        Args:
            kind: name of the kind.
            id_: that the entry had.
            human: who decides.

        Raises:
            LookupFailed: when no seal is of this entry.
            NotTrusted: when the account is off, or the key another one.
            StoreError: when nothing could be stored.
        """
        await self._check_key(human)

        def act(changing: Transaction) -> Seal | None:
            _check_on(changing, human)
            return self._end(changing, kind, id_, human)

        journal = await run_in_thread(lambda: self._journal.read(kind))
        seal = await self._store.transact(act, bump=True)
        if seal is None and id_ not in journal:
            raise LookupFailed("seal", id_, list(journal))
        seal = seal or unsigned(kind, id_, "", human, self._clock())
        await self._log("withdraw", seal)
        await self._note("acknowledged", seal)

    async def survey(self, kind: str) -> Survey:
        """Find out what of a kind is sealed; alarms are logged once.

        Args:
            kind: name of the kind.

        Returns:
            Every entry that counts, and every one that does not as it should.

        Raises:
            LookupFailed: when there is no such kind.
            AccountError: when the public keys cannot be understood.
            StoreError: when the store cannot be read.
            OSError: when the public keys cannot be read.
        """
        return await self._looking.survey(self._kind(kind))

    async def alarms(self) -> tuple[Alarm, ...]:
        """Give what is not as a person left it, of every kind.

        Returns:
            What was found less than 90 seconds ago; see `Looking.alarms`.

        Raises:
            AccountError: as `survey` does.
            StoreError: likewise.
            OSError: likewise.
        """
        found: list[Alarm] = []
        for kind in self._kinds.values():
            found += await self._looking.alarms(kind)
        return tuple(found)

    def _kind(self, name: str) -> Kind:
        if name not in self._kinds:
            raise LookupFailed("kind", name, list(self._kinds))
        return self._kinds[name]

    async def _check_key(self, human: Unlocked) -> None:
        keys = await self._accounts.public_keys()
        if keys.get(human.name) != human.public:
            raise NotTrusted(human.name)

    def _approve(
        self, kind: Kind, id_: str, seen: str, human: Unlocked, changing: Transaction
    ) -> tuple[Seal, tuple[str, ...], bool]:
        _check_on(changing, human)
        canonical = kind.canonical(changing, id_)
        if hash_of(canonical) != seen:
            raise StaleHash(kind.name, id_)
        at = self._clock()
        replaced = kind.approve(changing, id_, by=human.name, at=at)
        seal = sealed("approve", Seal(kind.name, id_, seen, human.name, at, b""), human)
        changing.execute(tables.ADD, {**values_of(seal), "canonical": canonical})
        for other in replaced:
            self._end(changing, kind.name, other, human)
        return seal, replaced, kind.binds(canonical)

    def _withdraw(
        self, kind: Kind, id_: str, seen: str, human: Unlocked, changing: Transaction
    ) -> Seal:
        _check_on(changing, human)
        if hash_of(kind.canonical(changing, id_)) != seen:
            raise StaleHash(kind.name, id_)
        at = self._clock()
        kind.withdraw(changing, id_, by=human.name, at=at)
        ended = self._end(changing, kind.name, id_, human)
        return ended or unsigned(kind.name, id_, seen, human, at)

    def _end(
        self, changing: Transaction, kind: str, id_: str, human: Unlocked
    ) -> Seal | None:
        """Seal the end of what was sealed; None when nothing was."""
        found = changing.execute(tables.HASH, {"kind": kind, "id": id_})
        if not found:
            return None
        draft = unsigned(kind, id_, found[0][0], human, self._clock())
        seal = sealed("withdraw", draft, human)
        changing.execute(tables.WITHDRAW, values_of(seal))
        return seal

    async def _log(self, verb: Verb, seal: Seal, *, binds: bool = False) -> None:
        try:
            await run_in_thread(lambda: self._journal.add(verb, seal, binds=binds))
        except OSError:  # the decision stands; only its removal would not be seen
            log.exception("%s %s: the journal is not written", seal.kind, seal.id)

    async def _note(self, action: str, seal: Seal, **details: Any) -> None:
        try:
            ledger = self._find_ledger()
        except LookupError:  # the seal itself says who and when
            return
        try:
            await ledger.note(
                "review",
                actor=seal.reviewer,
                action=action,
                target=f"{seal.kind}:{seal.id}",
                details={**details, "hash": seal.hash, "at": seal.at},
            )
        except StoreError:
            log.exception("%s %s: the review is not recorded", seal.kind, seal.id)


async def _count(kind: Kind) -> int:
    if isinstance(kind, CountsWaiting):
        return await kind.count()
    return len(await kind.waiting())


def _check_on(changing: Transaction, human: Unlocked) -> None:
    if not changing.execute(IS_ON, {"name": human.name}):
        raise NotTrusted(human.name)
