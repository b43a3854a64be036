"""The commands ``enable`` and ``disable``: switch abilities while hosts run."""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from abilities_host.cli.describe import ability_name
from abilities_host.cli.list import state_of
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import complain, say, say_json
from abilities_host.cli.running import load, with_host
from abilities_host.cli.session import login_session
from abilities_host.errors import LookupFailed
from abilities_host.ledger import Ledger
from abilities_host.switching import matched, pack_to_switch

if TYPE_CHECKING:
    from pathlib import Path

    from abilities_host.hooks.packs import Pack
    from abilities_host.host import Host

PatternArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]", help="An ability, or a pattern such as 'files/*' in quotes."
    ),
]
PackOption = Annotated[
    str | None,
    typer.Option("--pack", metavar="PACK", help="All abilities of this pack instead."),
]
ForgetOption = Annotated[
    bool, typer.Option("--forget", help="Forget the choice; the default holds again.")
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Keep it although no ability has this name.")
]


def enable(
    name: PatternArgument = None,
    config: ConfigOption = None,
    *,
    pack: PackOption = None,
    forget: ForgetOption = False,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Switch abilities on, in every running host."""
    state = None if forget else True
    _switch(_Named(name, pack), config, state=state, force=force, as_json=as_json)


def disable(
    name: PatternArgument = None,
    config: ConfigOption = None,
    *,
    pack: PackOption = None,
    forget: ForgetOption = False,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Switch abilities off, in every running host."""
    state = None if forget else False
    _switch(_Named(name, pack), config, state=state, force=force, as_json=as_json)


class _Named(NamedTuple):
    """What a person named: abilities, or a pack for all of its own."""

    name: str | None
    pack: str | None

    def find(
        self, host: "Host", *, force: bool
    ) -> "tuple[str, list[str], Pack | None]":
        """Give what it is called, what is switched, and the pack."""
        if self.pack is not None:
            found = pack_to_switch(host, self.pack)
            return found.identity, [f"{n}/*" for n in found.namespaces], found
        name = ability_name(self.name or "")
        if not (force or name in host.denylist.choices or matched(host, [name])):
            known = [ability.name for ability in host.registry.list_abilities()]
            raise LookupFailed("ability", name, known)
        return name, [name], None


def _switch(
    named: _Named,
    config: "Path | None",
    *,
    state: bool | None,
    force: bool,
    as_json: bool,
) -> None:
    if (named.name is None) == (named.pack is None):
        raise typer.BadParameter("give either NAME or --pack.")
    session = login_session()

    async def switch(host: "Host") -> tuple[str, list[dict[str, Any]]]:
        called, patterns, pack = named.find(host, force=force)
        for pattern in patterns:
            await host.toggles.set(pattern, state, by=host.actor("cli").id)
            await note_switch(host, pattern, _word(state), session)
        await host.refresh()
        if pack is not None:
            _tell_of_hooks(host, pack)
        found = matched(host, patterns)
        return called, [{"name": a.name, **state_of(host, a)} for a in found]

    called, abilities = with_host(load(config), switch)
    if as_json:
        say_json({"name": called, "choice": _word(state), "abilities": abilities})
    else:
        _show(called, state, abilities)


async def note_switch(host: "Host", target: str, word: str, session: str) -> None:
    """Have the record say who switched what; without a ledger nobody asks.

    Args:
        host: the running host.
        target: what was switched.
        word: to what, such as ``off``.
        session: of the command.
    """
    with suppress(LookupError):
        await host.services.find(Ledger).note(
            "setting",
            actor=host.actor("cli").id,
            action=f"switched {word}",
            target=target,
            session=session,
        )


def _tell_of_hooks(host: "Host", pack: "Pack") -> None:
    """What judges writes must not seem to be off with the abilities."""
    if host.hooks.implements(pack, "before_write"):
        complain(
            "note",
            f"{pack.identity} still judges every write: only its abilities were "
            "switched. [plugins] blocked keeps a pack out from the next start on.",
        )


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
