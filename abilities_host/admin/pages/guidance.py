"""Guidance: all of it, found again, written into a file, and taken from one."""

import json
from collections.abc import Mapping
from typing import Any, Final, cast, get_args

from starlette.exceptions import HTTPException
from starlette.responses import Response

from abilities_host.admin.asked import given, number
from abilities_host.admin.carried import BYTES, look_at, unpack
from abilities_host.admin.form import Form
from abilities_host.admin.page import Action, Content, Done, Page
from abilities_host.admin.remembered import (
    OLD_DAYS,
    OLDER_DAYS,
    age_of,
    alarms_of,
    decided_until,
    memory_of,
    staleness,
)
from abilities_host.admin.rewording import TYPES
from abilities_host.admin.visit import Visit
from abilities_host.errors import CallError
from abilities_host.memory import GuidanceQuery, ProjectMemory, Status, Type
from abilities_host.threads import run_in_thread

SHOWN: Final = 50
STATUSES: Final[tuple[str, ...]] = get_args(Status)
STALE: Final = (str(OLD_DAYS), str(OLDER_DAYS))
_PATH: Final = "/guidance"
_FILTERS: Final = ("q", "topic", "type", "status", "stale")
# The document is packed on its way back, and Base64 makes it a third longer.
_FORM_BYTES: Final = 2 * BYTES


async def show(visit: Visit) -> Content:
    """Show what fits; see `Page.render`."""
    return await _listed(visit)


async def _listed(visit: Visit, problem: str = "", status: int = 200) -> Content:
    asked = given(visit.query, *_FILTERS)
    values: dict[str, Any] = {
        "asked": {name: asked.get(name, "") for name in _FILTERS},
        "filters": asked,
        "types": TYPES,
        "statuses": STATUSES,
        "stales": STALE,
        "problem": problem,
        "has_memory": False,
        "megabytes": BYTES // 1_000_000,
    }
    memory = visit.find(ProjectMemory)
    if memory is None:
        values["problem"] = visit.texts.text("review.none")
        return Content("guidance.html", values)
    after = number(visit.query, "after") or 0
    page = await memory.search(_query(asked), after=after, limit=SHOWN)
    rows = [(each, age_of(each), staleness(each)) for each in page.entries]
    values |= {"has_memory": True, "rows": rows, "next": page.next}
    values["alarms"] = await alarms_of(visit)
    values["counts"] = await memory.counts()
    return Content("guidance.html", values, status=status)


def _query(asked: Mapping[str, str]) -> GuidanceQuery:
    stale = asked.get("stale", "")
    is_stale = stale in STALE
    wish = asked.get("status", "approved" if is_stale else "")
    until = decided_until(int(stale)) if is_stale else None
    return GuidanceQuery(
        status=cast("Status", wish) if wish in STATUSES else None,
        topic=asked["topic"].casefold() if "topic" in asked else None,
        type=cast("Type", asked["type"]) if "type" in asked else None,
        # Only what is in force gets stale.
        until=0 if is_stale and wish != "approved" else until,
        words=tuple(asked.get("q", "").split()),
    )


async def export(visit: Visit) -> Content | Response:
    """Give everything as one JSON document; see `Page.render`."""
    memory = visit.find(ProjectMemory)
    if memory is None:
        raise HTTPException(404)
    try:
        document = await memory.export()
    except CallError as error:
        return await _listed(visit, error.sentence, status=409)
    text = await run_in_thread(lambda: json.dumps(document, indent=2))
    headers = {"content-disposition": 'attachment; filename="memory.json"'}
    return Response(f"{text}\n", media_type="application/json", headers=headers)


async def preview(visit: Visit, form: Form) -> Content:
    """Show what a file says before it is taken; see `Action.run`."""
    memory_of(visit)
    content = form.files.get("document", b"")
    brought = await run_in_thread(lambda: look_at(content))
    title = visit.texts.text("guidance.import")
    return Content("guidance_import.html", {"brought": brought}, title=title)


async def bring_in(visit: Visit, form: Form) -> Done:
    """Take what was shown; all of it waits; see `Action.run`."""
    memory, written = memory_of(visit), form.get("document")
    document = await run_in_thread(lambda: unpack(written, form.seen))
    came = await memory.bring_in(document, by=visit.name)
    left = " ".join(came.left_out)
    key = "guidance.imported.left" if left else "guidance.imported"
    return Done(key, {"count": f"{len(came.ids):,}", "left": left})


GUIDANCE: Final = Page(
    path=_PATH,
    title="guidance.title",
    render=show,
    actions={
        "preview": Action(run=preview, form_bytes=_FORM_BYTES),
        "import": Action(run=bring_in, form_bytes=_FORM_BYTES),
    },
)
GUIDANCE_EXPORT: Final = Page(
    path=f"{_PATH}/export", title="guidance.export", render=export, is_listed=False
)
