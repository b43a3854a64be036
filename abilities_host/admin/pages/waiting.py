"""Waiting: all that waits for a person, of every kind, and the decision on one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from abilities_host.admin.asked import given, number
from abilities_host.admin.awaited import WRITE, laid_out
from abilities_host.admin.form import Form
from abilities_host.admin.page import Action, Confirm, Content, Done, Page
from abilities_host.admin.paths import below
from abilities_host.admin.queue import GUIDANCE, waiting_counts
from abilities_host.admin.targets_now import targets_now
from abilities_host.admin.visit import Visit
from abilities_host.errors import CallError, LookupFailed
from abilities_host.gate import Gate, Waiting
from abilities_host.memory import Guidance, ProjectMemory
from abilities_host.threads import run_in_thread

SHOWN: Final = 20
LISTED: Final = 200
"""How many of a kind the gate names; see `Gate.waiting`."""

NAMED: Final = 5
_PATH: Final = "/waiting"
_ENTRY: Final = "/waiting/entry"


class WaitsNoMore(CallError):
    """What is to be decided on does not wait, so nothing was done."""

    code = "waits_no_more"

    def __init__(self, kind: str, id_: str) -> None:
        super().__init__(
            f"{kind} {id_} does not wait for a person any more, so nothing was done."
        )


@dataclass(frozen=True, slots=True)
class _Kind:
    """What waits of one kind, some of it.

    Attributes:
        name: of the kind.
        count: of all.
        entries: those that are shown.
        following: id after which the list goes on, empty at its end.
    """

    name: str
    count: int
    entries: Sequence[Waiting]
    following: str


async def show(visit: Visit) -> Content:
    """Show what waits; see `Page.render`."""
    asked = given(visit.query, "kind", "after")
    waiting = await _gate(visit).waiting()
    counts = await waiting_counts(visit.host)
    wish = asked.get("kind", "")
    names = [wish] if wish in waiting else list(waiting)
    after = asked.get("after", "") if wish in waiting else ""
    kinds = [_some(name, counts.get(name, 0), waiting[name], after) for name in names]
    return Content(
        "waiting.html",
        {
            "kinds": kinds,
            "is_one": wish in waiting,
            "listed": LISTED,
            "has_text": visit.texts.has,
        },
    )


def _some(name: str, count: int, entries: Sequence[Waiting], after: str) -> _Kind:
    ids = [each.id for each in entries]
    start = ids.index(after) + 1 if after in ids else 0
    some = entries[start : start + SHOWN]
    has_more = start + SHOWN < len(entries)
    return _Kind(name, count, some, some[-1].id if has_more else "")


async def show_entry(visit: Visit) -> Content | RedirectResponse:
    """Show one entry; see `Page.render`."""
    asked = given(visit.query, "kind", "id")
    kind, id_ = asked.get("kind", ""), asked.get("id", "")
    if not (kind and id_):  # back from a refusal, which is told there
        return RedirectResponse(below(_PATH), 303)
    if kind == GUIDANCE:
        return RedirectResponse(below("/review", id=id_), 303)
    canonical, hash_ = await _shown(visit, kind, id_)
    values = {"kind": kind, "id": id_, "hash": hash_, "has_text": visit.texts.has}
    values |= _standing((await _gate(visit).waiting())[kind], id_)
    values |= await _said(visit, kind, canonical)
    title = f"{kind}:{id_} · {visit.texts.text('waiting.title')}"
    return Content("waiting_entry.html", values, title=title)


def _standing(entries: Sequence[Waiting], id_: str) -> dict[str, Any]:
    return {
        "entry": next((each for each in entries if each.id == id_), None),
        "waits": _waits(entries, id_),
        "following": _following(entries, id_),
    }


async def _said(visit: Visit, kind: str, canonical: bytes) -> dict[str, Any]:
    laid = await run_in_thread(partial(laid_out, kind, canonical))
    part = min(number(visit.query, "part") or 1, len(laid.parts))
    is_write = kind == WRITE and laid.facts and part == 1
    around = await _around(visit, laid.facts) if is_write else {}
    return {
        "facts": laid.facts,
        "sections": laid.parts[part - 1],
        "part": part,
        "parts": len(laid.parts),
        "targets": around.get("targets", ()),
        "rules": around.get("rules", ()),
    }


async def _shown(visit: Visit, kind: str, id_: str) -> tuple[bytes, str]:
    try:
        return await _gate(visit).show(kind, id_)
    except (CallError, LookupFailed):
        raise HTTPException(404) from None


def _waits(entries: Sequence[Waiting], id_: str) -> bool:
    """Of more than are named nobody knows it; then the kind itself decides."""
    return len(entries) >= LISTED or any(each.id == id_ for each in entries)


def _following(entries: Sequence[Waiting], id_: str) -> str:
    """Give what to decide on next, the first after the last."""
    ids = [each.id for each in entries]
    place = ids.index(id_) if id_ in ids else -1
    others = [*ids[place + 1 :], *ids[: max(place, 0)]]
    return others[0] if others else ""


async def _around(visit: Visit, facts: Mapping[str, Any]) -> dict[str, Any]:
    ids = facts["guidance"][:NAMED]
    return {
        "targets": await targets_now(visit.host, facts["targets"]),
        "rules": [(id_, await _guidance(visit, id_)) for id_ in ids],
    }


async def _guidance(visit: Visit, id_: str) -> Guidance | None:
    memory = visit.find(ProjectMemory)
    try:
        return None if memory is None else await memory.get(id_)
    except CallError:
        return None


async def approve(visit: Visit, form: Form) -> Done:
    """Approve what was seen; see `Action.run`."""
    kind, id_ = await _waiting(visit, form)
    await _gate(visit).approve(kind, id_, form.seen, form.unlocked)
    await visit.host.refresh()
    return _done("waiting.approved", kind, id_, form)


async def reject(visit: Visit, form: Form) -> Done:
    """Set aside what was seen; see `Action.run`."""
    kind, id_ = await _waiting(visit, form)
    form.check_seen((await _gate(visit).show(kind, id_))[1])
    await _gate(visit).reject(kind, id_, by=visit.name)
    return _done("waiting.rejected", kind, id_, form)


async def _waiting(visit: Visit, form: Form) -> tuple[str, str]:
    kind, id_ = form.get("kind"), form.get("id")
    if not _waits((await _gate(visit).waiting()).get(kind, ()), id_):
        raise WaitsNoMore(kind, id_)
    return kind, id_


def _done(text: str, kind: str, id_: str, form: Form) -> Done:
    following = form.get("following")
    to = below(_ENTRY, kind=kind, id=following) if following else below(_PATH)
    return Done(text, {"kind": kind, "id": id_}, to=to)


def _gate(visit: Visit) -> Gate:
    gate: Gate = visit.host.services.find(Gate)
    return gate


WAITING: Final = Page(path=_PATH, title="waiting.title", render=show)
WAITING_ENTRY: Final = Page(
    path=_ENTRY,
    title="waiting.title",
    render=show_entry,
    actions={
        "approve": Action(run=approve, confirm=Confirm.APPROVE),
        "reject": Action(run=reject),
    },
    is_listed=False,
)
