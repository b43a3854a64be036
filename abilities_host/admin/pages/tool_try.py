"""Tool try: a form made from an ability's schema, and the call of it by a person."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import orjson
from starlette.exceptions import HTTPException

from abilities_host.ability import Ability
from abilities_host.accounts import Role
from abilities_host.admin import catalogue
from abilities_host.admin.fields import SchemaForm
from abilities_host.admin.filled import Filled, arguments_of
from abilities_host.admin.form import Form
from abilities_host.admin.page import Action, Confirm, Content, Page
from abilities_host.admin.queue import GUIDANCE
from abilities_host.admin.schema_form import form_of
from abilities_host.admin.trial import cut, shown_outcome
from abilities_host.admin.visit import Visit
from abilities_host.calls import Answer, Outcome
from abilities_host.errors import CallError
from abilities_host.frozen import thaw
from abilities_host.gate import Gate, hash_of
from abilities_host.host import Host
from abilities_host.pins.definition import definition_of
from abilities_host.threads import run_in_thread

FORM_BYTES: Final = 256_000
QUESTION: Final = 3_000
_CLIENT: Final = "abilities admin"
_ANSWERED: Final = ("yes", "no")
_PREFIX: Final = "c"  # of the fields of an answer


class MayChange(CallError):
    """A call for which the secret is asked came without it."""

    code = "may_change"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name!r} may change something, so it was not called without your "
            "secret. Look at it again."
        )


class AnswerNotUnderstood(CallError):
    """A field of an answer is not what it should be."""

    code = "answer_invalid"

    def __init__(self) -> None:
        super().__init__(
            "The answer was not understood, so nothing was called. Try it again."
        )


class IsOff(CallError):
    """An ability that is off cannot be tried."""

    code = "is_off"

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} is off, so it was not called.")


@dataclass(frozen=True, slots=True)
class _Sent:
    """What was sent, and what is known of it."""

    written: Mapping[str, str]
    filled: Filled
    outcome: Outcome | None = None


async def show(visit: Visit) -> Content:
    """Show the form; see `Page.render`."""
    ability = await _found(visit)
    is_json = visit.query.get("as") == "json"
    asked = form_of(ability.input_schema, as_json=is_json)
    return await _content(visit, ability, asked, is_json=is_json)


async def read(visit: Visit, form: Form) -> Content:
    """Call what changes nothing; see `Action.run`."""
    ability = await _seen(visit, form)
    if may_change(visit.host, ability):
        raise MayChange(ability.name)
    return await _call(visit, form, ability)


async def write(visit: Visit, form: Form) -> Content:
    """Call what may change something; see `Action.run`."""
    return await _call(visit, form, await _seen(visit, form))


def may_change(host: Host, ability: Ability) -> bool:
    """Answer whether a call may change something; a route may lead to a write."""
    return host.denylist.is_write(ability) or ability.is_route


async def _found(visit: Visit) -> Ability:
    await visit.host.refresh()
    name = f"{visit.parameters['namespace']}/{visit.parameters['name']}"
    ability = visit.host.registry.find_ability(name)
    if ability is None:
        raise HTTPException(404)
    return ability


async def _seen(visit: Visit, form: Form) -> Ability:
    """Find what the form was made from; another definition has other fields."""
    ability = await _found(visit)
    form.check_seen(_version(ability))
    if not visit.host.decide(ability).is_active:
        raise IsOff(ability.name)
    return ability


def _version(ability: Ability) -> str:
    return hash_of(definition_of(ability))


async def _call(visit: Visit, form: Form, ability: Ability) -> Content:
    is_json = form.get("as") == "json"
    asked = form_of(ability.input_schema, as_json=is_json)
    written = {each.key: form.get(each.key) for each in asked.fields}
    filled = arguments_of(asked, form.get)
    sent = _Sent(written, filled)
    if not filled.problems:
        outcome = await visit.host.execute(
            ability.name,
            filled.arguments,
            actor=visit.actor,
            session=visit.session.id,
            client=_CLIENT,
            answer=_answer(form),
        )
        sent = _Sent(written, filled, outcome)
    return await _content(visit, ability, asked, sent, is_json=is_json)


def _answer(form: Form) -> Answer | None:
    """Give what the person said to the question of an earlier call."""
    if form.get("answer") not in _ANSWERED or not form.get("state"):
        return None
    filled = arguments_of(form_of(_schema(form), prefix=_PREFIX), form.get)
    if filled.problems:
        raise AnswerNotUnderstood
    return Answer(form.get("state"), form.get("answer") == "yes", filled.arguments)


def _schema(form: Form) -> Any:
    """Give what the answer was made from; whether it fits is the ability's to check."""
    try:
        return orjson.loads(form.get("answer-schema", "null"))
    except orjson.JSONDecodeError:
        return None


async def _content(
    visit: Visit,
    ability: Ability,
    asked: SchemaForm,
    sent: _Sent | None = None,
    *,
    is_json: bool,
) -> Content:
    host, outcome = visit.host, sent.outcome if sent else None
    state, why = catalogue.state_of(host, ability)
    values: dict[str, Any] = {
        "ability": ability,
        "is_on": state != "off",
        "why": why,
        "may_change": may_change(host, ability),
        "asked": asked,
        "written": sent.written if sent else asked.defaults,
        "problems": {each.key: each for each in sent.filled.problems} if sent else {},
        "is_json": is_json,
        "seen_version": _version(ability),
        "session": visit.session.id,
        "outcome": None,
        "question": "",
    }
    if outcome is not None:
        values |= await _ended(visit, outcome)
    title = f"{ability.name} · {visit.texts.text('try.title')}"
    return Content("tool_try.html", values, title=title)


async def _ended(visit: Visit, outcome: Outcome) -> dict[str, Any]:
    shown = await run_in_thread(partial(shown_outcome, outcome))
    values: dict[str, Any] = {"outcome": shown, "tickets": []}
    if outcome.code == "write_vetoed":
        values["tickets"] = await _tickets(visit.host, shown.message)
    if outcome.status == "input_required":
        schema = thaw(outcome.form.schema) if outcome.form else None
        values |= {"question": cut(outcome.question, QUESTION), "state": outcome.state}
        values |= {"answer_schema": orjson.dumps(schema).decode()}
        values |= {"answer": form_of(schema, prefix=_PREFIX)}
    return values


async def _tickets(host: Host, message: str) -> list[tuple[str, str]]:
    """Find what waits now and is named in a refusal, by kind and id."""
    gate: Gate = host.services.find(Gate)
    named = set(re.findall(r"[\w-]+", message))
    return [
        (kind, each.id)
        for kind, entries in (await gate.waiting()).items()
        for each in entries
        if kind != GUIDANCE and each.id in named
    ]


TRY: Final = Page(
    path="/tools/{namespace}/{name}/try",
    title="try.title",
    render=show,
    actions={
        "read": Action(run=read, role=Role.OPERATOR, form_bytes=FORM_BYTES),
        "write": Action(
            run=write,
            confirm=Confirm.RESTORE,
            role=Role.OPERATOR,
            form_bytes=FORM_BYTES,
        ),
    },
    role=Role.OPERATOR,
    is_listed=False,
)
