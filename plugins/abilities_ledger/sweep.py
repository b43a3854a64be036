"""Sweep: runs whose host died become unknown, and then what is true is read."""

import logging
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from abilities_host import Domain, Site, State, StoreError, Target, run_in_thread
from abilities_host.ledger import Entry
from abilities_host.storage import Statement, Transaction
from abilities_ledger.aftermath import (
    After,
    Before,
    Witnesses,
    changed,
    kept_before,
    known,
    rolled_back,
    targets_of,
    unknown,
)
from abilities_ledger.book import Book
from abilities_ledger.content import Content
from abilities_ledger.draft import Draft
from abilities_ledger.recorder import mark_rollbacks
from abilities_ledger.states import States

log = logging.getLogger(__name__)

AT_ONCE: Final = 200  # runs of one host
SECONDS: Final = 20.0  # after which no further one is begun; the next sweep goes on
_LEFT: Final = "SELECT DISTINCT lease FROM ledger_open"
_OPEN: Final = (
    "SELECT call, seq, lease, phase FROM ledger_open WHERE lease = :lease "
    "ORDER BY seq LIMIT :limit"
)
_TAKE: Final = (
    "UPDATE ledger_open SET lease = :own, phase = 'unknown' "
    "WHERE call = :call AND lease = :lease"
)
_CLOSE: Final = "DELETE FROM ledger_open WHERE call = :call AND lease = :own"


class _TakenElsewhere(Exception):
    """Another host takes care of this run."""


class Sweep:
    """Settles what dead hosts left behind; safe in any number of hosts at once.

    Args:
        site: leases, locks and domains.
        book: the entries.
        states: what is kept of states.
    """

    def __init__(self, site: Site, book: Book, states: States) -> None:
        self._site: Final = site
        self._book: Final = book
        self._states: Final = states
        self._witnesses: Final = Witnesses(book)
        # What was taken and not settled, with the host it is given back to.
        self._taken: Final[dict[str, str]] = {}

    async def run(self) -> int:
        """Settle the runs of dead hosts, oldest first.

        Returns:
            How many were settled here.

        Raises:
            StoreError: when the store cannot be read.
        """
        for call in tuple(self._taken):
            await self._give_back(call)
        settled, ends = 0, time.monotonic() + SECONDS
        for call, seq, lease, phase in await self._dead():
            if time.monotonic() > ends:
                break
            settled += await self._try(call, seq, lease, phase)
        await self._forget_leases()
        return settled

    async def _dead(self) -> list[tuple[Any, ...]]:
        rows = await self._book.store.read(_LEFT)
        leases = {lease for (lease,) in rows}
        lease = self._site.lease
        dead = await run_in_thread(lambda: [x for x in leases if lease.is_dead(x)])
        runs: list[tuple[Any, ...]] = []
        for each in dead:
            values = {"lease": each, "limit": AT_ONCE}
            runs += await self._book.store.read(_OPEN, values)
        return sorted(runs, key=lambda run: run[1])

    async def _try(self, call: str, seq: int, lease: str, phase: str) -> bool:
        try:
            await self._take(call, seq, lease, phase)
            await self._settle(call)
        except _TakenElsewhere:
            return False
        except BaseException as error:
            await self._give_back(call)
            if not isinstance(error, Exception):
                raise  # this host stops, or the sweep took too long
            log.exception("run %s of a dead host cannot be settled yet", call)
            return False
        del self._taken[call]
        return True

    async def _take(self, call: str, seq: int, lease: str, phase: str) -> None:
        """Say unknown, once, before anything is looked at."""
        drafts = []
        if phase != "unknown":
            [intent] = await self._book.select("WHERE seq = :seq", {"seq": seq})
            drafts = [unknown(intent)]
        own = self._site.lease.id
        self._taken[call] = lease
        take = partial(_change, _TAKE, {"call": call, "lease": lease, "own": own})
        try:
            await self._book.append(drafts, also=take)
        except _TakenElsewhere:
            del self._taken[call]
            raise

    async def _give_back(self, call: str) -> None:
        """Leave it to the next sweep, here or elsewhere."""
        if call not in self._taken:
            return
        own = self._site.lease.id
        values = {"call": call, "lease": own, "own": self._taken[call]}
        try:
            await self._book.store.write([Statement(_TAKE, values)])
        except Exception:
            log.exception("run %s cannot be given back yet", call)
        else:
            del self._taken[call]

    async def _settle(self, call: str) -> None:
        """Read under locks what is true now, and record it as a second outcome."""
        entries = await self._book.of_call(call)
        before = targets_of(entries)
        held = await self._site.lock(before, call)
        try:
            after, failed = await self._read(before, entries[0])
            drafts, contents = await self._drafts(entries[0], before, after, failed)
            values = {"call": call, "own": self._site.lease.id}
            close = partial(_close, values, drafts)
            await self._book.append(drafts, contents, also=close)
        finally:
            held.release()

    async def _read(
        self, before: Mapping[Target, Before], intent: Entry
    ) -> tuple[dict[Target, After], list[str]]:
        found: dict[Target, After] = {}
        failed: list[str] = []
        for target, was in before.items():
            try:
                seen = await self._witnesses.find(target, was, intent)
                found[target] = seen or await self._capture(target)
            except StoreError:
                raise
            except Exception:
                log.exception("%s cannot be read", target)
                failed.append(str(target))
        return found, failed

    async def _capture(self, target: Target) -> After:
        domain: Domain = self._site.get_domain(target.domain)
        state: State = await domain.capture(target.name)
        [kept] = await self._states.keep([(target, state)])
        return After(kept.digest, kept.partial, kept.size, kept.content)

    async def _drafts(
        self,
        intent: Entry,
        before: Mapping[Target, Before],
        after: Mapping[Target, After],
        failed: Sequence[str],
    ) -> tuple[list[Draft], list[Content]]:
        """Compare by digest: what was too large to keep was still there or not."""
        real = {t: new for t, new in after.items() if new.digest != before[t].digest}
        drafts = [changed(intent, t, before[t], new) for t, new in real.items()]
        drafts.append(known(intent, len(drafts), failed))
        drafts += await rolled_back(self._book, intent, real)
        contents = [new.content for new in real.values() if new.content]
        kept = [kept_before(before[target]) for target in real]
        return drafts, [*contents, *(each for each in kept if each)]

    async def _forget_leases(self) -> None:
        rows = await self._book.store.read(_LEFT)
        needed = {lease for (lease,) in rows} | {*self._taken.values()}
        lease = self._site.lease

        def forget() -> None:
            for dead in lease.list_dead():
                if dead not in needed:
                    lease.forget(dead)

        await run_in_thread(forget)


def _change(
    sql: str, values: Mapping[str, Any], db: Transaction, _: Sequence[int]
) -> None:
    db.execute(sql, values)
    if db.changes() != 1:
        raise _TakenElsewhere


def _close(
    values: Mapping[str, Any],
    drafts: Sequence[Draft],
    db: Transaction,
    seqs: Sequence[int],
) -> None:
    _change(_CLOSE, values, db, seqs)
    mark_rollbacks(drafts, db, seqs)
