"""Log: what was asked of the servers, as it comes, and how fast and well it went."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.responses import Response

from abilities_host.admin import requests_seen
from abilities_host.admin.asked import given, moment_asked, number
from abilities_host.admin.frame import visible
from abilities_host.admin.page import Content, Page
from abilities_host.admin.visit import Visit
from abilities_host.admin.weight import weight_of
from abilities_host.errors import AbilitiesError, CallError
from abilities_host.host import Host
from abilities_host.requestlog.errors import RequestLogUnusable
from abilities_host.requestlog.query import RequestQuery
from abilities_host.requestlog.reading import Kept, RequestReader
from abilities_host.requestlog.record import MICROSECONDS, STATUSES
from abilities_host.threads import run_in_thread

POLL_SECONDS: Final = 1.0
LIVE_SECONDS: Final = 300.0
PING_SECONDS: Final = 15.0
BURST: Final = 50  # of one look; a reload shows the rest
_PATH: Final = "/log"
_PLAIN: Final = ("server", "ability", "actor", "client", "status", "code", "method")
_FILTERS: Final = (*_PLAIN, "since")
_LONGEST: Final = 120
_HEAVIEST: Final = 200  # bytes of HTML


async def show(visit: Visit) -> Content:
    """Show the newest requests; see `Page.render`."""
    asked = given(visit.query, *_FILTERS)
    values: dict[str, Any] = {
        "asked": {name: asked.get(name, "") for name in _FILTERS},
        "filters": asked,
        "statuses": STATUSES,
        "is_logged": visit.host.config.requests.enabled,
        "has_text": visit.texts.has,
        "problem": "",
        "seen": None,
    }
    before = number(visit.query, "before")
    try:
        query = query_of(asked)
        reader = _reader(visit.host)
        values |= await run_in_thread(partial(_read, reader, query, before, visit))
    except AbilitiesError as error:
        status = 503 if isinstance(error, RequestLogUnusable) else 400
        return Content("log.html", {**values, "problem": error.sentence}, status=status)
    return Content("log.html", {**values, "is_newest": before is None})


def _read(
    reader: RequestReader, query: RequestQuery, before: int | None, visit: Visit
) -> dict[str, Any]:
    seen = requests_seen.read_seen(reader, query, before)
    slowest, failing = requests_seen.tops(seen.summed)
    return {
        "seen": seen,
        "rows": [cells(each) for each in seen.rows],
        "chart": requests_seen.calls_over_time(seen.summed),
        "latencies": requests_seen.latencies(seen.summed, visit.texts),
        "spread": requests_seen.spread(seen.summed),
        "slowest": slowest,
        "failing": failing,
    }


def query_of(asked: Mapping[str, str]) -> RequestQuery:
    """Make a query of the filters that are filled in.

    Args:
        asked: name to what was written.

    Returns:
        The query.

    Raises:
        NotUnderstood: when the time is none.
    """
    plain: dict[str, Any] = {name: asked[name] for name in _PLAIN if name in asked}
    since = moment_asked(asked["since"], "since") if "since" in asked else None
    return RequestQuery(**plain, since=since)


def cells(kept: Kept) -> list[str]:
    """Write a request as the cells of its row, not yet safe for HTML.

    Args:
        kept: the request.

    Returns:
        Number, time, server, method, ability, actor, client, end, milliseconds, and
        ``good`` or ``bad``.
    """
    record = kept.record
    when = datetime.fromtimestamp(record.at / MICROSECONDS, UTC)
    ended = f"{record.status} {record.code}".rstrip()
    ended += f" ×{record.times:,}" if record.times > 1 else ""  # noqa: RUF001 - times
    ability = f"{record.ability} ({record.via})" if record.via else record.ability
    texts = (record.server, record.method, ability, record.actor, record.client, ended)
    milliseconds = f"{record.micros / 1_000:,.1f}" if record.method else ""
    return [
        str(kept.seq),
        f"{when:%Y-%m-%d %H:%M:%S}",
        *map(_short, texts),
        milliseconds,
        "good" if record.is_good else "bad",
    ]


def _short(text: str) -> str:
    """Cut a text, the earlier the more room it takes as HTML: clients choose names."""
    short = text[:_LONGEST]
    while weight_of(short) > _HEAVIEST:
        short = short[: len(short) * 2 // 3]
    return visible(short if len(short) == len(text) else f"{short}…")


async def live(visit: Visit) -> Response:
    """Give what is added to the log, as server-sent events; see `Page.render`."""
    try:
        query = query_of(given(visit.query, *_FILTERS))
    except CallError:
        raise HTTPException(400) from None
    query = replace(query, after=number(visit.query, "after") or 0)
    events = _events(visit, query)
    return visit.streams.answer(visit.session, events, visit.texts)


async def _events(visit: Visit, query: RequestQuery) -> AsyncIterator[str]:
    """End by itself: a page that nobody looks at must not go on for ever."""
    host = visit.host
    loop, reader = asyncio.get_running_loop(), _reader(host)
    end = loop.time() + LIVE_SECONDS
    said = loop.time()
    yield ": here\n\n"
    while loop.time() < end and not host.is_stopping:
        try:
            found = await run_in_thread(partial(reader.newest, query, BURST))
        except RequestLogUnusable:
            break
        # Read before the last look at the session, and sent at once after it.
        if not await visit.streams.lasts(visit.session, 0):
            break
        if found:
            yield "".join(map(_event, reversed(found)))
            query, said = replace(query, after=found[0].seq), loop.time()
        elif loop.time() - said > PING_SECONDS:
            said = loop.time()
            yield ": still here\n\n"
        if not await visit.streams.lasts(visit.session, POLL_SECONDS):
            break
    yield "event: end\ndata: end\n\n"


def _event(kept: Kept) -> str:
    return f"data: {json.dumps(cells(kept))}\n\n"


def _reader(host: Host) -> RequestReader:
    return RequestReader(host.loaded.requests_path)


LOG: Final = Page(path=_PATH, title="log.title", render=show)
LIVE: Final = Page(
    path=f"{_PATH}/live", title="log.title", render=live, is_listed=False
)
