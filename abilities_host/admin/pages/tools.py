"""Tools: every ability, whether it is on and why, and the switches."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from starlette.exceptions import HTTPException

from abilities_host.ability import Ability
from abilities_host.accounts import Role
from abilities_host.admin import catalogue
from abilities_host.admin.asked import given, number
from abilities_host.admin.form import Form
from abilities_host.admin.page import Action, Confirm, Content, Done, Page
from abilities_host.admin.switches import (
    seen_of,
    seen_of_module,
    switch,
    switch_module,
)
from abilities_host.admin.visit import Visit
from abilities_host.frozen import thaw
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.jsontext import json_text
from abilities_host.switching import matched
from abilities_host.toggles import NAME_LIMIT

SHOWN: Final = 100
PACKS: Final = 60
MODULES: Final = 30
SCHEMA_LENGTH: Final = 20_000
_PATH: Final = "/tools"
_FILTERS: Final = ("q", "category", "pack", "state", "pattern")


async def show(visit: Visit) -> Content:
    """Show the abilities that fit; see `Page.render`."""
    host = visit.host
    await host.refresh()
    asked = given(visit.query, *_FILTERS)
    pattern = asked.get("pattern", "")[:NAME_LIMIT]
    meant = matched(host, [pattern]) if pattern else host.registry.list_abilities()
    found = _found(host, asked, meant)
    page = min(number(visit.query, "page") or 1, max(1, -(-len(found) // SHOWN)))
    some = found[(page - 1) * SHOWN : page * SHOWN]
    calls = await catalogue.calls_of(host, some)
    values = {
        "rows": [catalogue.shown(host, ability, calls) for ability in some],
        "count": len(found),
        "page": page,
        "has_more": page * SHOWN < len(found),
        "asked": {name: asked.get(name, "") for name in _FILTERS},
        "filters": asked,
        "categories": sorted({a.category for a in host.registry.list_abilities()}),
        "may": visit.role is Role.OPERATOR,
        "summed": catalogue.SUMMED,
        "changed": await catalogue.changes_by_pack(host),
        "pattern_count": len(meant) if pattern else 0,
        **_switches(host, pattern, asked.get("pack", "")),
    }
    return Content("tools.html", values)


def _found(
    host: Host, asked: Mapping[str, str], meant: Sequence[Ability]
) -> list[Ability]:
    found = (each for each in meant if catalogue.fits(each, asked))
    if wish := asked.get("state"):
        found = (each for each in found if catalogue.state_of(host, each)[0] == wish)
    return sorted(found, key=lambda each: each.name)


def _switches(host: Host, pattern: str, pack: str) -> Mapping[str, Any]:
    packs = catalogue.packs_of(host)
    one = next((each for each in packs if pack and each.identity == pack), None)
    modules = host.modules.list()
    return {
        "pattern_seen": seen_of(host, [pattern]) if pattern else "",
        "packs": packs[:PACKS],
        "packs_left": max(0, len(packs) - PACKS),
        "one": one,
        "one_seen": _seen_of_pack(host, one),
        "modules": [(each, seen_of_module(each)) for each in modules[:MODULES]],
        "modules_left": max(0, len(modules) - MODULES),
    }


def _seen_of_pack(host: Host, pack: Pack | None) -> str:
    """Empty for a pack that has nothing to switch."""
    if pack is None or not (pack.is_healthy and pack.namespaces):
        return ""
    return seen_of(host, [f"{each}/*" for each in pack.namespaces])


async def show_one(visit: Visit) -> Content:
    """Show one ability; see `Page.render`."""
    host = visit.host
    await host.refresh()
    name = _name(visit)
    ability = host.registry.find_ability(name)
    if ability is None:
        raise HTTPException(404)
    calls = await catalogue.calls_of(host, [ability])
    row = catalogue.shown(host, ability, calls)
    pack = next((each for each in host.packs if each.identity == ability.pack), None)
    changes = (await catalogue.changes_by_pack(host)).get(ability.pack, ())
    values = {
        "row": row,
        "ability": ability,
        "pack": pack,
        "tool": catalogue.tool_name(host, ability),
        "changed": [each.id for each in changes if name in each.names],
        "input": _schema(ability.input_schema),
        "output": _schema(ability.output_schema),
        "choice": host.denylist.choices.get(name),
        "seen": seen_of(host, [name]),
        "may": visit.role is Role.OPERATOR,
    }
    title = f"{name} · {visit.texts.text('tools.title')}"
    return Content("tool.html", values, title=title)


def _name(visit: Visit) -> str:
    return f"{visit.parameters['namespace']}/{visit.parameters['name']}"


def _schema(schema: Mapping[str, Any] | None) -> str:
    return "" if schema is None else json_text(thaw(schema))[:SCHEMA_LENGTH]


async def module_on(visit: Visit, form: Form) -> Done:
    """Switch a module on; see `Action.run`."""
    return await switch_module(visit, form, is_on=True)


async def module_off(visit: Visit, form: Form) -> Done:
    """Switch a module off; see `Action.run`."""
    return await switch_module(visit, form, is_on=False)


def _switch(choice: str) -> Action:
    """What the default is may be on, so going back to it is asked for as well."""
    return Action(
        run=partial(switch, choice=choice),
        confirm=None if choice == "off" else Confirm.SWITCH_ON,
        role=Role.OPERATOR,
    )


TOOLS: Final = Page(
    path=_PATH,
    title="tools.title",
    render=show,
    actions={
        "on": _switch("on"),
        "off": _switch("off"),
        "default": _switch("default"),
        "module-on": Action(
            run=module_on, confirm=Confirm.SWITCH_ON, role=Role.OPERATOR
        ),
        "module-off": Action(run=module_off, role=Role.OPERATOR),
    },
)
TOOL: Final = Page(
    path=f"{_PATH}/{{namespace}}/{{name}}",
    title="tools.title",
    render=show_one,
    actions={"on": _switch("on"), "off": _switch("off"), "default": _switch("default")},
    is_listed=False,
)
