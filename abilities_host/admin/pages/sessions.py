"""Sessions: what agents tell of their sessions, beside what the record has."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from starlette.exceptions import HTTPException

from abilities_host.admin.asked import given, number
from abilities_host.admin.narrative import mark
from abilities_host.admin.page import Content, Page
from abilities_host.admin.visit import Visit
from abilities_host.memory import SessionSummaries, Summary

SHOWN: Final = 50
DIFFERENCES: Final = 100
TARGETS: Final = 50
ACTIONS: Final = 30
LONGEST: Final = 120
"""Characters of a target that are shown."""

_PATH: Final = "/sessions"
_FILTERS: Final = ("agent", "session", "only")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


async def show(visit: Visit) -> Content:
    """Show the summaries that fit, newest first; see `Page.render`."""
    asked = given(visit.query, *_FILTERS)
    values: dict[str, Any] = {
        "asked": {name: asked.get(name, "") for name in _FILTERS},
        "filters": asked,
        "entries": (),
        "next": None,
        "problem": "",
    }
    summaries = visit.find(SessionSummaries)
    if summaries is None:
        values["problem"] = visit.texts.text("review.none")
        return Content("sessions.html", values)
    page = await summaries.recent(
        after=visit.query.get("after"),
        limit=SHOWN,
        agent=asked.get("agent"),
        session=asked.get("session"),
        only_divergent="only" in asked,
    )
    return Content(
        "sessions.html", {**values, "entries": page.entries, "next": page.next}
    )


async def show_one(visit: Visit) -> Content:
    """Show one session; see `Page.render`."""
    summaries = visit.find(SessionSummaries)
    summary = await summaries.get(visit.parameters["id"]) if summaries else None
    if summary is None:
        raise HTTPException(404)
    after = min(number(visit.query, "after") or 0, len(summary.divergences))
    until = after + DIFFERENCES
    digest = summary.digest
    values = {
        "summary": summary,
        "digest": digest,
        "marked": mark(summary.narrative, summary.divergences[after:until]),
        "actions": list(digest["by_action"].items())[:ACTIONS],
        "targets": digest["targets"][:TARGETS],
        "span": _span(summary),
        "longest": LONGEST,
        "first": after + 1,
        "last": min(until, len(summary.divergences)),
        "next": until if until < len(summary.divergences) else 0,
        "has_text": visit.texts.has,
    }
    title = f"{summary.id} · {visit.texts.text('sessions.title')}"
    return Content("session.html", values, title=title)


def _span(summary: Summary) -> dict[str, str]:
    """Give the filters of the ledger that find what the summary is of."""
    return {
        "actor": summary.agent,
        "session": summary.session,
        "since": _written(summary.start),
        "until": _written(summary.end),
    }


def _written(at: int) -> str:
    return (_EPOCH + timedelta(microseconds=at)).replace(tzinfo=None).isoformat()


SESSIONS: Final = Page(path=_PATH, title="sessions.title", render=show)
SESSION: Final = Page(
    path=f"{_PATH}/{{id}}", title="sessions.title", render=show_one, is_listed=False
)
