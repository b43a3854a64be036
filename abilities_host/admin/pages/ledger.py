"""Ledger: what was done, newest first, as a list, as a picture, and as a file."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from abilities_host.admin.asked import given, moment_asked, number
from abilities_host.admin.chart import Chart, Point, over_time
from abilities_host.admin.form import Form
from abilities_host.admin.page import Action, Content, Done, Page
from abilities_host.admin.visit import Visit
from abilities_host.errors import CallError
from abilities_host.ledger import Ledger, Listed, Query
from abilities_host.ledger import Page as Listing

SHOWN: Final = 50
PICTURED: Final = 500
EXPORTED: Final = 50_000
VERIFIED: Final = 10_000
ACTIONS: Final = ("created", "updated", "deleted", "ran")
LARGEST: Final = 2**63 - 1  # number of an entry
_PATH: Final = "/ledger"
_PLAIN: Final = ("actor", "ability", "domain", "target", "action", "session")
_FILTERS: Final = (*_PLAIN, "since", "until")
_LINES: Final = 200  # that are sent at once


class TargetAlone(CallError):
    """A target was asked for without its domain."""

    code = "filter_invalid"

    def __init__(self) -> None:
        super().__init__(
            "A target is one of a domain: fill that in too, or write domain:target."
        )


class RecordTooLong(CallError):
    """The record is too long to be verified while a person waits."""

    code = "record_too_long"

    def __init__(self) -> None:
        super().__init__(
            f"The record has more than {VERIFIED:,} entries. Run 'abilities ledger "
            "verify' at a terminal."
        )


def ledger_of(visit: Visit) -> Ledger:
    """Give the record.

    Args:
        visit: of a person.

    Returns:
        What a pack offers.

    Raises:
        LookupFailed: when no healthy pack keeps one.
    """
    return visit.need(Ledger, "ledger")


async def show(visit: Visit) -> Content:
    """Show what was done; see `Page.render`."""
    asked = given(visit.query, *_FILTERS)
    values = _nothing_yet(visit, asked)
    ledger = visit.find(Ledger)
    if ledger is None:
        values["problem"] = visit.texts.text("ledger.none")
        return Content("ledger.html", values)
    values["has_ledger"] = True
    try:
        query = query_of(asked)
    except CallError as error:
        values["problem"] = error.sentence
        return Content("ledger.html", values, status=400)
    return Content("ledger.html", {**values, **await _read(ledger, query, visit.query)})


def _nothing_yet(visit: Visit, asked: Mapping[str, str]) -> dict[str, Any]:
    return {
        "asked": {name: asked.get(name, "") for name in _FILTERS},
        "filters": asked,
        "actions": ACTIONS,
        "entries": (),
        "next": None,
        "chart": Chart(()),
        "pictured": 0,
        "problem": "",
        "newest": 0,
        "exported": EXPORTED,
        "verified": VERIFIED,
        "has_ledger": False,
        "has_text": visit.texts.has,
    }


async def _read(
    ledger: Ledger, query: Query, asked: Mapping[str, str]
) -> dict[str, Any]:
    before = number(asked, "before")
    pictured = await ledger.list_changes(replace(query, limit=PICTURED))
    page = _first_of(pictured)
    if before is not None:
        page = await ledger.list_changes(replace(query, before=before, limit=SHOWN))
    newest = (await ledger.list_changes(Query(limit=1))).entries
    return {
        "entries": page.entries,
        "next": page.next,
        "chart": over_time(map(_point, pictured.entries)),
        "pictured": len(pictured.entries),
        "newest": newest[0].entry.seq if newest else 0,
    }


def _first_of(pictured: Listing) -> Listing:
    """Take the first page of what is pictured; to look for it again takes as long."""
    entries = pictured.entries[:SHOWN]
    has_more = len(pictured.entries) > SHOWN
    return Listing(entries, entries[-1].entry.seq if has_more else pictured.next)


def query_of(asked: Mapping[str, str]) -> Query:
    """Make a query of the filters that are filled in.

    Args:
        asked: name to what was written.

    Returns:
        The query.

    Raises:
        CallError: when they make none.
    """
    plain: dict[str, Any] = {name: asked[name] for name in _PLAIN if name in asked}
    if "target" in plain and "domain" not in plain:
        domain, mark, target = plain["target"].partition(":")
        if not mark or not domain or not target:
            raise TargetAlone
        plain |= {"domain": domain, "target": target}
    times: dict[str, Any] = {
        field: moment_asked(asked[name], name)
        for field, name in (("start", "since"), ("end", "until"))
        if name in asked
    }
    return Query(**plain, **times)


def _point(listed: Listed) -> Point:
    return Point(listed.entry.at, is_bad=listed.effective != "ok")


async def verify(visit: Visit, _form: Form) -> Done:
    """Read the whole record while it is short; see `Action.run`."""
    ledger = ledger_of(visit)
    newest = (await ledger.list_changes(Query(limit=1))).entries
    if newest and newest[0].entry.seq > VERIFIED:
        raise RecordTooLong
    found = await ledger.verify()
    values = {
        "count": f"{found.entries:,}",
        "verdict": found.verdict,
        "sentence": found.sentence,
    }
    return Done("ledger.verified", values)


async def export(visit: Visit) -> Response:
    """Give the entries as JSON Lines, oldest first; see `Page.render`."""
    after = number(visit.query, "after") or 0
    headers = {
        "content-disposition": f'attachment; filename="ledger-after-{after}.jsonl"'
    }
    ledger = visit.find(Ledger)
    if ledger is None:
        raise HTTPException(404)
    lines = _lines(ledger, after)
    return StreamingResponse(lines, media_type="application/jsonl", headers=headers)


async def _lines(ledger: Ledger, after: int) -> AsyncIterator[str]:
    waiting: list[str] = []
    count = 0
    async for entry in ledger.export(after):
        waiting.append(f"{json.dumps(entry)}\n")
        count += 1
        if len(waiting) == _LINES:
            yield "".join(waiting)
            waiting.clear()
        if count == EXPORTED:
            break
    yield "".join(waiting)


LEDGER: Final = Page(
    path=_PATH,
    title="ledger.title",
    render=show,
    actions={"verify": Action(run=verify)},
)
EXPORT: Final = Page(
    path=f"{_PATH}/export", title="ledger.export", render=export, is_listed=False
)
