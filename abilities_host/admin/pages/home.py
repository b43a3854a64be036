"""Home: what waits for a person, and what is wrong."""

from typing import Final

from abilities_host.admin.page import Content, Page
from abilities_host.admin.queue import trouble_of, waiting_counts
from abilities_host.admin.visit import Visit

SHOWN: Final = 50


async def show(visit: Visit) -> Content:
    """Show the first page; see `Page.render`."""
    host = visit.host
    counts = await waiting_counts(host)
    trouble = await trouble_of(host)
    values = {
        "counts": {kind: count for kind, count in counts.items() if count},
        "has_text": visit.texts.has,
        "alarms": trouble.alarms[:SHOWN],
        "alarms_left": max(0, len(trouble.alarms) - SHOWN),
        "packs": trouble.packs[:SHOWN],
        "packs_left": max(0, len(trouble.packs) - SHOWN),
        "config": host.config,
        "abilities": len(host.registry.list_abilities()),
    }
    return Content("home.html", values)


HOME: Final = Page(path="/", title="home.title", render=show)
