"""Review: guidance that waits, one at a time, and the decision on it."""

from collections.abc import Sequence
from typing import Any, Final

from abilities_host.admin.form import Form
from abilities_host.admin.page import Action, Confirm, Content, Done, Page
from abilities_host.admin.paths import below
from abilities_host.admin.queue import GUIDANCE, waiting_counts
from abilities_host.admin.remembered import memory_of, scope_text
from abilities_host.admin.texts import Texts
from abilities_host.admin.visit import Visit
from abilities_host.errors import CallError
from abilities_host.jsontext import json_text
from abilities_host.memory import Guidance, ProjectMemory, Review
from abilities_host.memory.wording import difference

SHOWN: Final = 50
_PATH: Final = "/review"


class DecidedAlready(CallError):
    """Somebody else was faster; nothing was changed."""

    code = "decided_already"

    def __init__(self, guidance: Guidance) -> None:
        by = f" by {guidance.reviewed_by}" if guidance.reviewed_by else ""
        super().__init__(
            f"Somebody was faster: {guidance.id} is {guidance.status} already{by}. "
            "Nothing was done."
        )


async def show(visit: Visit) -> Content:
    """Show what waits; see `Page.render`."""
    memory = visit.find(ProjectMemory)
    if memory is None:
        return Content("review.html", {"problem": "review.none", "review": None})
    waiting = (await memory.list("pending", limit=SHOWN)).entries
    review = await _chosen(memory, waiting, visit.query.get("id", ""))
    if review is None:
        return Content("review.html", {"problem": "review.nothing", "review": None})
    count = (await waiting_counts(visit.host))[GUIDANCE]
    values = {"entries": waiting, "count": count, **_around(waiting, review.guidance)}
    return Content(
        "review.html",
        {"problem": "", "review": review, **values, **_shown(review, visit.texts)},
        title=f"{review.guidance.id} · {visit.texts.text('review.title')}",
    )


async def _chosen(
    memory: ProjectMemory, waiting: Sequence[Guidance], wish: str
) -> Review | None:
    """Give the one that was asked for while it waits, else the oldest."""
    if wish:
        try:
            review = await memory.review(wish)
        except CallError:
            review = None
        if review is not None and review.guidance.status == "pending":
            return review
    return await memory.review(waiting[0].id) if waiting else None


def _around(waiting: Sequence[Guidance], now: Guidance) -> dict[str, Any]:
    ids = [each.id for each in waiting]
    place = ids.index(now.id) if now.id in ids else -1
    return {
        "place": place + 1,
        "previous": ids[place - 1] if place > 0 else "",
        "next": ids[place + 1] if 0 <= place < len(ids) - 1 else "",
    }


def _shown(review: Review, texts: Texts) -> dict[str, Any]:
    guidance, old = review.guidance, review.supersedes
    return {
        "is_advice": guidance.type == "guardrail" and guidance.rule is None,
        "scope": scope_text(guidance.scope, texts),
        "rule": "" if guidance.rule is None else json_text(dict(guidance.rule)),
        # The first two lines only say which is which.
        "diff": difference(old, guidance)[2:] if old else [],
    }


async def approve(visit: Visit, form: Form) -> Done:
    """Approve what was seen; see `Action.run`."""
    memory = memory_of(visit)
    review = await _waiting(memory, form)
    kept = await memory.approve(review.guidance.id, form.seen, form.unlocked)
    return _done("review.approved", kept, form)


async def reject(visit: Visit, form: Form) -> Done:
    """Say no to what was seen; see `Action.run`."""
    memory = memory_of(visit)
    review = await _waiting(memory, form)
    form.check_seen(review.hash)
    kept = await memory.reject(review.guidance.id, by=visit.name)
    return _done("review.rejected", kept, form)


async def archive(visit: Visit, form: Form) -> Done:
    """Set aside what was seen; see `Action.run`."""
    memory = memory_of(visit)
    review = await _waiting(memory, form)
    form.check_seen(review.hash)
    kept = await memory.archive(review.guidance.id, by=visit.name)
    return _done("review.archived", kept, form)


async def _waiting(memory: ProjectMemory, form: Form) -> Review:
    review = await memory.review(form.get("id"))
    if review.guidance.status != "pending":
        raise DecidedAlready(review.guidance)
    return review


def _done(text: str, kept: Guidance, form: Form) -> Done:
    return Done(text, {"id": kept.id}, to=below(_PATH, id=form.get("next")))


REVIEW: Final = Page(
    path=_PATH,
    title="review.title",
    render=show,
    actions={
        "approve": Action(run=approve, confirm=Confirm.APPROVE),
        "reject": Action(run=reject),
        "archive": Action(run=archive),
    },
)
