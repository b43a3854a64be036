"""Opening: the parts of project memory, from the host's start to its stop."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from abilities_host import Site
from abilities_host.gate import Gate
from abilities_host.memory import ProjectMemory, Rulebook, SessionSummaries
from abilities_memory.kind import GuidanceKind
from abilities_memory.notifier import Notifier
from abilities_memory.pattern_proposals import PatternFinder
from abilities_memory.service import MemoryService
from abilities_memory.shelf import Shelf
from abilities_memory.standing import Standing
from abilities_memory.summaries import Summaries
from abilities_memory.summary_list import SummaryList
from abilities_memory.tables import MIGRATIONS, OWNER
from abilities_memory.topic_kind import TopicKind

WATCH_SECONDS: Final = 60.0
UPKEEP_SECONDS: Final = 3600.0


@asynccontextmanager
async def open_memory(site: Site) -> AsyncIterator[None]:
    """Open project memory and offer it, as three services.

    Args:
        site: the host, as this pack may use it.

    Yields:
        Nothing.

    Raises:
        StoreError: when the tables cannot be made or read.
    """
    gate = site.find(Gate)
    gate.register_kind(GuidanceKind(site.store))
    gate.register_kind(TopicKind(site.store))
    await gate.migrate()
    await site.store.migrate(OWNER, MIGRATIONS)
    summaries, finder = Summaries(site.store), PatternFinder(site)
    await summaries.migrate()
    await finder.migrate()
    notifier = Notifier(lambda: site.config.memory.notify)
    service = MemoryService(
        site,
        gate,
        shelf=Shelf(site.store),
        standing=Standing(site.store, gate),
        summaries=summaries,
        notifier=notifier,
        finder=finder,
    )
    _offer(site, service)
    async with notifier.running():
        yield


def _offer(site: Site, service: MemoryService) -> None:
    site.offer(ProjectMemory, service)
    site.offer(Rulebook, service.standing)
    site.offer(SessionSummaries, SummaryList(site.store, service.summaries))
    site.every("memory-alarms", WATCH_SECONDS, service.standing.watch)
    site.every("memory-summaries", UPKEEP_SECONDS, service.summaries.prune)


@asynccontextmanager
async def open_patterns(site: Site) -> AsyncIterator[None]:
    """Propose guidance for what goes wrong again and again, while the module is on.

    Args:
        site: the host, as this module may use it.

    Yields:
        Nothing.
    """
    memory = site.find(ProjectMemory)
    site.every("memory-patterns", UPKEEP_SECONDS, memory.propose_patterns)
    yield
