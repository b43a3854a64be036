"""Review list: what waits, oldest first, and a no to several at once."""

from typing import Any, Final

from abilities_host.admin.asked import number
from abilities_host.admin.form import Form
from abilities_host.admin.page import Action, Content, Done, Page
from abilities_host.admin.queue import GUIDANCE
from abilities_host.admin.remembered import memory_of
from abilities_host.admin.visit import Visit
from abilities_host.errors import AbilitiesError, CallError
from abilities_host.gate import Gate
from abilities_host.memory import ProjectMemory

SHOWN: Final = 50
_PATH: Final = "/review/list"


class NothingRejected(CallError):
    """Nothing could be rejected, or nothing was chosen."""

    code = "nothing_rejected"

    def __init__(self, left: int) -> None:
        super().__init__(
            "Nothing was rejected: what you chose was changed or decided by somebody "
            "else since you looked at it. Look at it again."
            if left
            else "Nothing was rejected, since no box was ticked."
        )


async def show(visit: Visit) -> Content:
    """Show what waits; see `Page.render`."""
    values: dict[str, Any] = {"rows": (), "next": None, "problem": "review.none"}
    memory = visit.find(ProjectMemory)
    if memory is None:
        return Content("review_list.html", values)
    after = number(visit.query, "after") or 0
    page = await memory.list("pending", after=after, limit=SHOWN)
    gate: Gate = visit.host.services.find(Gate)
    hashes = await gate.hashes(GUIDANCE, [each.id for each in page.entries])
    # Without a hash it went in between, and cannot be chosen.
    rows = [(each, hashes.get(each.id, "")) for each in page.entries]
    values = {"rows": rows, "next": page.next, "problem": "review.nothing"}
    return Content("review_list.html", values)


async def reject(visit: Visit, form: Form) -> Done:
    """Say no to what was ticked, each as it was seen; see `Action.run`."""
    memory = memory_of(visit)
    gate: Gate = visit.host.services.find(Gate)
    done = left = 0
    for chosen in dict.fromkeys(form.every("chosen")[:SHOWN]):
        id_, _, seen = chosen.partition(" ")
        if await _is_rejected(memory, gate, id_, seen, visit.name):
            done += 1
        else:
            left += 1
    if not done:
        raise NothingRejected(left)
    key = "review.list.some" if left else "review.list.rejected"
    return Done(key, {"count": done, "left": left})


async def _is_rejected(
    memory: ProjectMemory, gate: Gate, id_: str, seen: str, by: str
) -> bool:
    try:
        if (await gate.show(GUIDANCE, id_))[1] != seen:
            return False
        await memory.reject(id_, by=by)
    except AbilitiesError:  # the others are decided all the same
        return False
    return True


REVIEW_LIST: Final = Page(
    path=_PATH,
    title="review.list.title",
    render=show,
    actions={"reject": Action(run=reject)},
    is_listed=False,
)
