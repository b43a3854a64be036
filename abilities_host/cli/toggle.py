"""The commands ``enable`` and ``disable``: switch abilities while hosts run."""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abilities_host.ability import Ability
from abilities_host.cli.describe import ability_name
from abilities_host.cli.list import state_of
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import complain, say, say_json
from abilities_host.cli.running import load, with_host
from abilities_host.cli.session import login_session
from abilities_host.denylist import DenyList, Switches
from abilities_host.errors import LookupFailed
from abilities_host.ledger import Ledger

if TYPE_CHECKING:
    from pathlib import Path

    from abilities_host.host import Host

PatternArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="An ability, or a pattern such as 'files/*' in quotes."
    ),
]
ForgetOption = Annotated[
    bool, typer.Option("--forget", help="Forget the choice; the default holds again.")
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Keep it although no ability has this name.")
]


def enable(
    name: PatternArgument,
    config: ConfigOption = None,
    *,
    forget: ForgetOption = False,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Switch abilities on, in every running host."""
    _switch(name, config, state=None if forget else True, force=force, as_json=as_json)


def disable(
    name: PatternArgument,
    config: ConfigOption = None,
    *,
    forget: ForgetOption = False,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Switch abilities off, in every running host."""
    _switch(name, config, state=None if forget else False, force=force, as_json=as_json)


def _switch(
    name: str,
    config: "Path | None",
    *,
    state: bool | None,
    force: bool,
    as_json: bool,
) -> None:
    name, session = ability_name(name), login_session()

    async def switch(host: "Host") -> list[dict[str, Any]]:
        matched = _matched(host, name)
        if not (matched or force or name in host.denylist.choices):
            known = [ability.name for ability in host.registry.list_abilities()]
            raise LookupFailed("ability", name, known)
        await host.toggles.set(name, state, by=host.actor("cli").id)
        await _note(host, name, state, session)
        await host.refresh()
        return [{"name": a.name, **state_of(host, a)} for a in matched]

    abilities = with_host(load(config), switch)
    if as_json:
        say_json({"name": name, "choice": _word(state), "abilities": abilities})
    else:
        _show(name, state, abilities)


async def _note(host: "Host", name: str, state: bool | None, session: str) -> None:  # noqa: FBT001 - the state is the subject
    """Have the record say who switched what; without a ledger nobody asks."""
    with suppress(LookupError):
        await host.services.find(Ledger).note(
            "setting",
            actor=host.actor("cli").id,
            action=f"switched {_word(state)}",
            target=name,
            session=session,
        )


def _matched(host: "Host", pattern: str) -> list[Ability]:
    """Let the one resolver say what a pattern means."""
    only = DenyList(Switches(disabled=(pattern,)))
    abilities = host.registry.list_abilities()
    return [ability for ability in abilities if not only.is_active(ability)]


def _show(name: str, state: bool | None, abilities: list[dict[str, Any]]) -> None:  # noqa: FBT001 - the state is the subject
    if not abilities:
        say(f"Kept: {name} is {_word(state)}, and no ability has this name now.")
    for ability in abilities:
        is_on = ability["active"]
        word = "on" if is_on else "off"
        if state is None or is_on is state:
            say(f"{ability['name']} is {word} now.")
        else:
            complain("warning", f"{ability['name']} stays {word}: {ability['why']}.")
        if is_on and not ability["exposed"]:
            why = ability["exposed_why"]
            complain("warning", f"clients do not see {ability['name']}: {why}.")


def _word(state: bool | None) -> str:  # noqa: FBT001 - same
    if state is None:
        return "default"
    return "on" if state else "off"
