"""Guidance entry: one piece with its history, withdrawn or written anew."""

from typing import Any, Final

from abilities_host.admin.form import Form, SeenOther
from abilities_host.admin.page import Action, Confirm, Content, Done, Page
from abilities_host.admin.paths import below
from abilities_host.admin.remembered import (
    age_of,
    alarms_of,
    memory_of,
    review_or_404,
    scope_text,
    staleness,
)
from abilities_host.admin.rewording import (
    CLASSES,
    TYPES,
    fields_of,
    fields_sent,
    proposal_of,
)
from abilities_host.admin.visit import Visit
from abilities_host.errors import CallError
from abilities_host.jsontext import json_text
from abilities_host.memory import (
    Guidance,
    ProjectMemory,
    Review,
    propose_version,
)
from abilities_host.memory.wording import difference

VERSIONS: Final = 20
HAPPENED: Final = 100
_PATH: Final = "/guidance/{id}"


async def show(visit: Visit) -> Content:
    """Show one piece; see `Page.render`."""
    review = await review_or_404(visit, visit.parameters["id"])
    guidance, old = review.guidance, review.supersedes
    memory = memory_of(visit)
    values = {
        "review": review,
        "alarm": (await alarms_of(visit)).get(guidance.id),
        "age": age_of(guidance),
        "stale": staleness(guidance),
        "scope": scope_text(guidance.scope, visit.texts),
        "rule": "" if guidance.rule is None else json_text(dict(guidance.rule)),
        "diff": difference(old, guidance)[2:] if old else [],
        "versions": await _versions(memory, guidance),
        "history": await memory.history(guidance.id, limit=HAPPENED),
    }
    title = f"{guidance.id} · {visit.texts.text('guidance.title')}"
    return Content("guidance_entry.html", values, title=title)


async def _versions(memory: ProjectMemory, guidance: Guidance) -> list[Guidance]:
    """Follow the versions back, newest first; each once."""
    found: dict[str, Guidance] = {guidance.id: guidance}
    following = guidance.supersedes
    while following and following not in found and len(found) < VERSIONS:
        try:
            found[following] = await memory.get(following)
        except CallError:  # it is not there any more
            break
        following = found[following].supersedes
    return list(found.values())


async def withdraw(visit: Visit, form: Form) -> Done:
    """End the effect of what was seen; see `Action.run`."""
    id_ = visit.parameters["id"]
    kept = await memory_of(visit).withdraw(id_, form.seen, form.unlocked)
    return Done("guidance.withdrawn", {"id": kept.id})


async def show_edit(visit: Visit) -> Content:
    """Show the form for another version; see `Page.render`."""
    review = await review_or_404(visit, visit.parameters["id"])
    return _form(visit, review, fields_of(review.guidance))


def _form(
    visit: Visit, review: Review, fields: dict[str, str], problem: str = ""
) -> Content:
    id_ = review.guidance.id
    values: dict[str, Any] = {
        "guidance": review.guidance,
        "seen_version": _version(review),
        "fields": fields,
        "problem": problem,
        "types": TYPES,
        "classes": CLASSES,
    }
    title = visit.texts.text("guidance.edit.title", id=id_)
    status = 400 if problem else 200
    return Content("guidance_edit.html", values, title=title, status=status)


async def save(visit: Visit, form: Form) -> Done | Content:
    """Propose another version; a refused one stays in the form; see `Action.run`."""
    memory, fields = memory_of(visit), fields_sent(form)
    review = await memory.review(visit.parameters["id"])
    try:
        form.check_seen(_version(review))
        proposal = proposal_of(fields, review.guidance)
        kept = await propose_version(memory, review.guidance, proposal, visit.name)
    except SeenOther:
        raise
    except CallError as error:
        return _form(visit, review, fields, error.sentence)
    return Done("guidance.proposed", {"id": kept.id}, to=below("/review", id=kept.id))


def _version(review: Review) -> str:
    return f"{review.hash}-{review.guidance.status}"


ENTRY: Final = Page(
    path=_PATH,
    title="guidance.title",
    render=show,
    actions={"withdraw": Action(run=withdraw, confirm=Confirm.WITHDRAW)},
    is_listed=False,
)
EDIT: Final = Page(
    path=f"{_PATH}/edit",
    title="guidance.title",
    render=show_edit,
    actions={"save": Action(run=save)},
    is_listed=False,
)
