"""The commands ``modules``: optional parts of packs, listed and switched."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abilities_host.cli.exits import Refused
from abilities_host.cli.log import quieten_log
from abilities_host.cli.options import ConfigOption, JsonOption, leads_to_command
from abilities_host.cli.printing import complain, say, say_json, show_table
from abilities_host.cli.running import load, with_host
from abilities_host.cli.session import login_session
from abilities_host.cli.toggle import note_switch
from abilities_host.errors import listed, nearest

if TYPE_CHECKING:
    from pathlib import Path

    from abilities_host.host import Host
    from abilities_host.modules import Standing

ModuleArgument = Annotated[
    str, typer.Argument(metavar="PACK/SLUG", help="As 'abilities modules' shows it.")
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Switch it on although it is unavailable here.")
]


class NoSuchModule(Refused):
    """Raised when no healthy pack has the module; guesses the one meant."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        names = list(known)
        ends = {each.rpartition("/")[2]: each for each in names}
        slug = name.rpartition("/")[2]
        hint = nearest(name, names) or _guess(slug, ends)
        if not hint:
            hint = f" There are: {listed(names)}." if names else " No pack has any."
        super().__init__(f"There is no module {name!r}.{hint}")


class ModuleAmbiguous(Refused):
    """Raised when packs of two distributions have a module of that name."""

    def __init__(self, name: str, names: Iterable[str]) -> None:
        super().__init__(f"{name!r} may be {' or '.join(map(repr, names))}.")


class ModuleUnavailable(Refused):
    """Raised when a module could not be started; nothing was changed."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            f"Module {name!r} cannot be switched on: {reason.rstrip('.')}. --force "
            "switches it on nevertheless, for when that has changed."
        )


def modules_app() -> typer.Typer:
    """Make the group of commands.

    Returns:
        A new one.
    """
    app = typer.Typer(rich_markup_mode=None)
    app.callback(invoke_without_command=True)(list_modules)
    app.command("enable")(enable_module)
    app.command("disable")(disable_module)
    return app


def list_modules(
    context: typer.Context, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """List the optional parts of packs: what each is, and why."""
    if leads_to_command(context, config, as_json):
        return

    async def read(host: "Host") -> list[dict[str, Any]]:
        rows = [await _facts(host, each) for each in host.modules.list()]
        return [*rows, *_gone(host)]

    quieten_log()
    modules = with_host(load(config), read)
    if as_json:
        say_json({"modules": modules})
    elif modules:
        _show(modules)
    else:
        say("No pack has modules.")


def enable_module(
    name: ModuleArgument,
    config: ConfigOption = None,
    *,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Switch a module on, in every running host."""
    _switch(name, config, is_on=True, force=force, as_json=as_json)


def disable_module(
    name: ModuleArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Switch a module off, in every running host; calls under way end first."""
    _switch(name, config, is_on=False, force=True, as_json=as_json)


def _switch(
    name: str, config: "Path | None", *, is_on: bool, force: bool, as_json: bool
) -> None:
    session = login_session()

    async def switch(host: "Host") -> list[dict[str, Any]]:
        found = _find(host, name)
        if not (force or found.is_active):
            await _check_available(host, found)
        before = {each.name: each.state for each in host.modules.list()}
        await _choose(host, found, session, is_on=is_on)
        return [
            await _facts(host, each)
            for each in host.modules.list()
            if each.state != before[each.name] or each.name == found.name
        ]

    quieten_log()
    modules = with_host(load(config), switch)
    if as_json:
        say_json({"name": name, "choice": "on" if is_on else "off", "modules": modules})
    else:
        _tell(modules, is_on=is_on)


async def _check_available(host: "Host", found: "Standing") -> None:
    if reason := await host.modules.obstacle(found.name):
        raise ModuleUnavailable(found.short, reason)


async def _choose(
    host: "Host", found: "Standing", session: str, *, is_on: bool
) -> None:
    """Keep it, have the record say who, and wait until it holds here."""
    await host.modules.choose(found.name, is_on=is_on, by=host.actor("cli").id)
    word = "on" if is_on else "off"
    await note_switch(host, f"module {found.name}", word, session)
    await host.refresh()
    await host.modules.settle()


def _find(host: "Host", name: str) -> "Standing":
    known = host.modules.list()
    found = [each for each in known if name in (each.name, each.short)]
    if not found:
        raise NoSuchModule(name, [each.short for each in known])
    if len(found) > 1:
        raise ModuleAmbiguous(name, [each.name for each in found])
    return found[0]


async def _facts(host: "Host", standing: "Standing") -> dict[str, Any]:
    """Say what a module is; one that is off is asked whether it could be on."""
    module = standing.module
    obstacle = standing.why
    if standing.state == "off":
        obstacle = await host.modules.obstacle(standing.name)
    return {
        "name": standing.short,
        "pack": standing.pack,
        "label": module.label,
        "description": module.description,
        "state": standing.state,
        "why": obstacle,
        "choice": "on" if standing.is_on else "off",
        "by": standing.by,
        "requires": [f"{_head(standing.short)}/{each}" for each in module.requires],
        "abilities": list(standing.abilities),
    }


def _gone(host: "Host") -> list[dict[str, Any]]:
    return [
        {
            "name": f"{_tail(choice.pack)}/{choice.slug}",
            "pack": choice.pack,
            "label": "",
            "description": "",
            "state": "gone",
            "why": "no healthy pack has it now; the choice is kept",
            "choice": "on" if choice.is_on else "off",
            "by": choice.by,
            "requires": [],
            "abilities": [],
        }
        for choice in host.modules.gone
    ]


def _show(modules: list[dict[str, Any]]) -> None:
    rows = [
        (
            each["name"],
            each["state"],
            each["label"],
            ", ".join(each["requires"]) or "-",
            _why(each),
        )
        for each in modules
    ]
    show_table(("NAME", "STATE", "LABEL", "REQUIRES", "WHY"), rows)


def _why(module: dict[str, Any]) -> str:
    who = f"{module['by']} chose it" if module["by"] else "by default"
    if module["state"] == "off":
        cannot = f"; it cannot be switched on: {module['why']}"
        return who + (cannot if module["why"] else "")
    return str(module["why"] or who)


def _tell(modules: list[dict[str, Any]], *, is_on: bool) -> None:
    for each in modules:
        name, state = each["name"], each["state"]
        if (state == "active") is is_on and state != "set aside":
            say(f"Module {name} is {'on' if state == 'active' else state} now.")
        else:
            why = f": {each['why']}" if each["why"] else ""
            complain("warning", f"module {name} is {state}{why}.")


def _guess(slug: str, ends: dict[str, str]) -> str:
    for end, name in ends.items():
        if nearest(slug, [end]):
            return f" Did you mean {name!r}?"
    return ""


def _head(name: str) -> str:
    return name.rpartition("/")[0]


def _tail(identity: str) -> str:
    return identity.partition("/")[2]
