"""Opening: the parts of the enforcer, from the host's start to its stop."""

import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from abilities_host import Site
from abilities_host.gate import Gate
from abilities_host.ledger import Ledger
from abilities_host.memory import RuleEnforcer
from abilities_memory_enforcer import tables
from abilities_memory_enforcer.announcer import Announcer
from abilities_memory_enforcer.approval import Approval
from abilities_memory_enforcer.confirmation import Confirmation
from abilities_memory_enforcer.enforcer import Enforcer
from abilities_memory_enforcer.kind import WriteKind
from abilities_memory_enforcer.rehearsal import Rehearsal
from abilities_memory_enforcer.rules import Canonical, Compiler
from abilities_memory_enforcer.settings import TABLE, Settings, read_settings
from abilities_memory_enforcer.tickets import Tickets

log = logging.getLogger(__name__)


def now_micros() -> int:
    """Give the time in microseconds since 1970."""
    return time.time_ns() // 1000


@asynccontextmanager
async def open_enforcer(
    site: Site, clock: Callable[[], int] = now_micros
) -> AsyncIterator[None]:
    """Open the queue of tickets and offer the `Enforcer` to the pack's own hooks.

    The rules themselves are looked for at each write: who keeps them may open later.

    Args:
        site: the host, as this pack may use it.
        clock: microseconds since 1970.

    Yields:
        Nothing.

    Raises:
        SettingRefused: for a setting that cannot be.
        LookupError: when the host has no gate.
        StoreError: when the tables cannot be made.
    """
    settings = read_settings(site.config.packs.get(TABLE, {}))
    gate = site.find(Gate)
    gate.register_kind(WriteKind(site.store, clock))
    await gate.migrate()
    await site.store.migrate(tables.OWNER, tables.MIGRATIONS)
    tickets = Tickets(site.store, gate, hours=settings.ticket_hours, clock=clock)
    announcer = Announcer(tickets, site.announce)
    enforcer = _enforcer(site, settings, tickets, announcer, clock)
    site.offer(Enforcer, enforcer)
    site.offer(RuleEnforcer, enforcer)
    try:
        yield
    finally:
        await announcer.close()


def _enforcer(
    site: Site,
    settings: Settings,
    tickets: Tickets,
    announcer: Announcer,
    clock: Callable[[], int],
) -> Enforcer:
    def find_ledger() -> Ledger:
        return site.find(Ledger)

    rehearsal = None
    if settings.dry_run:
        log.warning("[packs.%s] dry_run: no approved rule stops anything", TABLE)
        rehearsal = Rehearsal(find_ledger, clock)
    return Enforcer(
        Compiler(_Spellings(site)),
        approval=Approval(tickets, announcer.tell),
        confirmation=Confirmation(find_ledger),
        rehearsal=rehearsal,
    )


class _Spellings:
    """How the domains of a host spell their targets."""

    def __init__(self, site: Site) -> None:
        self._site: Final = site

    def __call__(self, domain: str) -> Canonical | None:
        try:
            return self._site.get_domain(domain).canonical
        except LookupError:
            return None
