"""The command ``list``: what there is and how clients call it, and what it costs."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from abilities_host.ability import Ability
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import say, say_json, show_table
from abilities_host.cli.projected import chosen_profile, tool_name
from abilities_host.cli.running import load, with_host
from abilities_host.cli.tokens import show_tokens, token_costs
from abilities_host.schema.profiles import Profile

if TYPE_CHECKING:
    from abilities_host.host import Host

_PLAIN = "on: nothing turns it off"

AllOption = Annotated[
    bool, typer.Option("--all", help="Also what is off, and why it is on or off.")
]
TokensOption = Annotated[
    bool, typer.Option("--tokens", help="What the listing costs a client's model.")
]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="NAME",
        help="Tool names and costs as clients like cursor are shown them.",
    ),
]


def list_abilities(
    config: ConfigOption = None,
    profile: ProfileOption = None,
    *,
    shows_all: AllOption = False,
    tokens: TokensOption = False,
    as_json: JsonOption = False,
) -> None:
    """List the abilities that can be called."""
    if tokens and shows_all:
        raise typer.BadParameter("--tokens counts what clients see; leave out --all.")
    if tokens:
        costs = token_costs(load(config), profile)
        (say_json if as_json else show_tokens)(costs)
        return

    async def read(host: "Host") -> list[dict[str, Any]]:
        clients = chosen_profile(host, profile)
        if shows_all:
            found = host.registry.list_abilities()
        else:
            found = await host.list_abilities(host.actor("cli"))
        return [_row(host, ability, clients) for ability in found]

    rows = sorted(with_host(load(config), read), key=lambda row: str(row["name"]))
    if as_json:
        say_json({"abilities": rows})
    elif not rows:
        say("There is nothing to list. 'abilities doctor' shows what is missing.")
    elif shows_all:
        _show_states(rows)
    else:
        _show(rows)


def state_of(host: "Host", ability: Ability) -> dict[str, Any]:
    """Say whether an ability is active here and for clients, and why.

    Args:
        host: the running host.
        ability: a registered one.

    Returns:
        ``active`` and ``why`` on this machine, ``allowed`` for whether the command line
        has the scope, ``exposed`` and ``exposed_why`` for clients of the server.
    """
    here = host.decide(ability)
    there = host.decide(ability, host.config.server.id)
    return {
        "active": here.is_active,
        "why": here.why,
        "allowed": host.actor("cli").may(ability.requires),
        "exposed": there.is_active,
        "exposed_why": there.why,
    }


def kind_of(host: "Host", ability: Ability) -> str:
    """Say what an ability does.

    Args:
        host: the running host.
        ability: a registered one.

    Returns:
        ``read``, ``write``, ``route`` for one that leads to others, or ``resource``
        and ``prompt`` for what is read and is no tool.
    """
    if ability.component.kind != "tool":
        return ability.component.kind
    if ability.is_route:
        return "route"
    return "write" if host.denylist.is_write(ability) else "read"


def _row(host: "Host", ability: Ability, profile: Profile) -> dict[str, Any]:
    return {
        "name": ability.name,
        "tool": tool_name(ability, profile, host.config.server.id),
        "label": ability.label,
        "category": ability.category,
        "kind": kind_of(host, ability),
        "requires": ability.requires,
        "pack": ability.pack,
        **state_of(host, ability),
    }


def _show(rows: list[dict[str, Any]]) -> None:
    show_table(
        ("NAME", "TOOL", "KIND", "LABEL"),
        [[row["name"], row["tool"] or "-", row["kind"], row["label"]] for row in rows],
    )


def _show_states(rows: list[dict[str, Any]]) -> None:
    show_table(
        ("NAME", "KIND", "STATE", "WHY", "PACK"),
        [
            [row["name"], row["kind"], *_state_in_words(row), _short(row["pack"])]
            for row in rows
        ],
    )


def _state_in_words(row: dict[str, Any]) -> tuple[str, str]:
    if row["active"] and not row["exposed"]:
        return "here", f"not for clients: {row['exposed_why']}"
    if row["active"] and not row["allowed"]:
        return "there", f"for clients only: [actors.cli] lacks {row['requires']!r}"
    return ("on" if row["active"] else "off"), row["why"].replace(_PLAIN, "by default")


def _short(pack: str) -> str:
    """Leave out what all packs that come with the host have in common."""
    return pack.removeprefix("abilities-host/")
