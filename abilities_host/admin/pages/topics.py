"""Topics: when guidance comes up, and the words that bring it."""

import hashlib
from collections.abc import Sequence
from typing import Any, Final, cast, get_args

from abilities_host.admin.asked import given
from abilities_host.admin.form import Form
from abilities_host.admin.page import Action, Confirm, Content, Done, Page
from abilities_host.admin.paths import below
from abilities_host.admin.remembered import memory_of
from abilities_host.admin.rewording import FieldBroken, words_of
from abilities_host.admin.visit import Visit
from abilities_host.errors import LookupFailed, listed
from abilities_host.jsontext import json_text
from abilities_host.memory import ProjectMemory, State, Topic

SHOWN: Final = 50
HAPPENED: Final = 100
STATES: Final[tuple[str, ...]] = get_args(State)
_PATH: Final = "/guidance/topics"


async def show(visit: Visit) -> Content:
    """Show the topics, and one of them to change; see `Page.render`."""
    asked = given(visit.query, "name", "after", "q")
    values: dict[str, Any] = {"topics": (), "next": "", "one": None, "problem": ""}
    values["q"] = asked.get("q", "")
    memory = visit.find(ProjectMemory)
    if memory is None:
        values["problem"] = visit.texts.text("review.none")
        return Content("topics.html", values)
    topics = await memory.topics()
    one = next((each for each in topics if each.name == asked.get("name")), None)
    some = _page(topics, asked.get("q", "").casefold(), asked.get("after", ""))
    values["topics"] = some[:SHOWN]
    values["next"] = some[SHOWN - 1].name if len(some) > SHOWN else ""
    if one is not None:
        history = await memory.history(f"topic:{one.name}", limit=HAPPENED)
        values |= {"one": one, "version": version_of(one), "history": history}
        values["states"] = STATES
    return Content("topics.html", values)


def _page(topics: Sequence[Topic], wish: str, after: str) -> list[Topic]:
    fitting = (each for each in topics if each.name > after and wish in each.name)
    return sorted(fitting, key=lambda each: each.name)[: SHOWN + 1]


def version_of(topic: Topic) -> str:
    """Give the hash of all that a topic says, so that another state is noticed."""
    said = [topic.name, topic.state, topic.always_on, topic.recall, topic.exclude]
    return hashlib.sha256(json_text(said).encode()).hexdigest()


async def put(visit: Visit, form: Form) -> Done:
    """Change a topic as a whole; see `Action.run`."""
    memory, name = memory_of(visit), form.get("id")
    topics = await memory.topics()
    old = next((each for each in topics if each.name == name), None)
    if old is None:
        raise LookupFailed("topic", name, [each.name for each in topics])
    form.check_seen(version_of(old))
    state = form.get("state")
    if state not in STATES:
        raise FieldBroken("state", f"is one of {listed(STATES)}")
    new = Topic(
        name=old.name,
        state=cast("State", state),
        always_on=form.get("always_on") == "yes",
        recall=words_of(form.get("recall")),
        exclude=words_of(form.get("exclude")),
    )
    kept = await memory.put_topic(new, form.unlocked)
    return Done("topics.kept", {"name": kept.name}, to=below(_PATH, name=kept.name))


TOPICS: Final = Page(
    path=_PATH,
    title="topics.title",
    render=show,
    actions={"put": Action(run=put, confirm=Confirm.APPROVE)},
    is_listed=False,
)
