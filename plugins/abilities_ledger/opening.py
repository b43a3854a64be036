"""Opening: the parts of the record, from the host's start to its stop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from abilities_host import Recorder, Site
from abilities_host.ledger import Ledger
from abilities_ledger.anchor import Anchor
from abilities_ledger.book import Book
from abilities_ledger.continuity import Continuity
from abilities_ledger.recorder import LedgerRecorder
from abilities_ledger.refusals import Refusals
from abilities_ledger.retention import Retention
from abilities_ledger.service import LedgerService
from abilities_ledger.states import States
from abilities_ledger.sweep import Sweep
from abilities_ledger.tables import MIGRATIONS, OWNER, RECORD
from abilities_ledger.undoing import Undoing

SWEEP_SECONDS = 30.0
UPKEEP_SECONDS = 3600.0
TICK_SECONDS = 1.0


class _Record:
    """The parts of one record."""

    def __init__(self, site: Site, record: str) -> None:
        settings, limits = site.config.ledger, site.config.limits
        self.book = Book(site.store)
        continuity = Continuity(self.book, record)
        self.anchor = Anchor(site.anchor_path, record, continuity.course)
        self.book.on_append(self.anchor.note)
        self.states = States(site.get_domain, limits.state_bytes)
        per_minute = settings.refusals_per_minute
        self.refusals = Refusals(self.book, per_minute=per_minute)
        self.retention = Retention(
            self.book,
            days=settings.keep_days,
            entries=settings.keep_entries,
            contents_bytes=settings.keep_bytes,
        )
        self.sweep = Sweep(site, self.book, self.states)


@asynccontextmanager
async def open_ledger(site: Site) -> AsyncIterator[None]:
    """Open the record and offer it as `Recorder`, `Ledger` and `Undoing`.

    Args:
        site: the host, as this pack may use it.

    Yields:
        Nothing; at the end what was only counted or noted is written.

    Raises:
        StoreError: when the tables cannot be made or read.
    """
    await site.store.migrate(OWNER, MIGRATIONS)
    [(record,)] = await site.store.read(RECORD)
    parts = _Record(site, record)
    if not site.is_frozen:
        await parts.sweep.run()
    _offer(site, parts)
    async with _ticking(parts.anchor, parts.refusals):
        yield


def _offer(site: Site, parts: _Record) -> None:
    service = LedgerService(
        site, parts.book, anchor=parts.anchor, retention=parts.retention
    )
    recorder = LedgerRecorder(
        parts.book,
        states=parts.states,
        refusals=parts.refusals,
        retention=parts.retention,
        lease=site.lease.id,
    )
    site.offer(Recorder, recorder)
    site.offer(Ledger, service)
    site.offer(Undoing, Undoing(site, parts.book, parts.states))
    site.every("ledger-sweep", SWEEP_SECONDS, parts.sweep.run)
    site.every("ledger-retention", UPKEEP_SECONDS, service.keep_limits)
    site.every("ledger-evaluation", UPKEEP_SECONDS, service.keep_evaluated)


@asynccontextmanager
async def _ticking(anchor: Anchor, refusals: Refusals) -> AsyncIterator[None]:
    """What every host does for itself, once a second and once more at the end."""
    task = asyncio.create_task(_tick(anchor, refusals), name="ledger")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        await refusals.flush()
        await anchor.write()


async def _tick(anchor: Anchor, refusals: Refusals) -> None:
    while True:
        await asyncio.sleep(TICK_SECONDS)
        await anchor.write()
        await refusals.flush_if_due()
