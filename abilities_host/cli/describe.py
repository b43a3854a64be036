"""The command ``describe``: everything about one ability."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abilities_host.ability import Ability
from abilities_host.cli.exceptions import declared_exceptions
from abilities_host.cli.list import kind_of, state_of
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import (
    printable,
    printable_lines,
    say,
    say_json,
    wrapped,
)
from abilities_host.cli.projected import lines_of, profile_of, projection_of
from abilities_host.cli.running import load, with_host
from abilities_host.frozen import thaw
from abilities_host.jsontext import json_text
from abilities_host.names import exposed_name, original_name

if TYPE_CHECKING:
    from abilities_host.host import Host

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Such as files/read, or files_read.")
]


ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile", metavar="NAME", help="Also as clients like gemini can be shown it."
    ),
]


def describe_ability(
    name: NameArgument,
    profile: ProfileOption = None,
    config: ConfigOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Show everything about one ability."""

    async def read(host: "Host") -> dict[str, Any]:
        shown_to = None if profile is None else profile_of(profile, host.profiles)
        ability = host.registry.get_ability(ability_name(name))
        facts = facts_of(host, ability)
        if shown_to is not None:
            facts["projection"] = projection_of(ability, shown_to)
        return facts

    facts = with_host(load(config), read)
    if as_json:
        say_json(facts)
    else:
        _show(facts)


def ability_name(written: str) -> str:
    """Give the ability that a person means.

    Args:
        written: the name of an ability or of its tool.

    Returns:
        The name of the ability; what is neither is given back.
    """
    return original_name(written) or written


def facts_of(host: "Host", ability: Ability) -> dict[str, Any]:
    """Collect what is known of an ability, for the operator.

    Args:
        host: the running host.
        ability: a registered one.

    Returns:
        JSON values; the keys are always the same.
    """
    return {
        "name": ability.name,
        "label": ability.label,
        "description": ability.description,
        "category": ability.category,
        "pack": ability.pack,
        "tool": exposed_name(ability.name),
        "kind": kind_of(host, ability),
        "requires": ability.requires,
        "time_limit": ability.time_limit or host.config.limits.call_seconds,
        "renamed_from": list(ability.renamed_from),
        **_effects(ability),
        **state_of(host, ability),
        **_schemas(ability),
        "meta": thaw(ability.meta),
    }


def _effects(ability: Ability) -> dict[str, Any]:
    notes = ability.annotations
    return {
        "annotations": {
            "readonly": notes.readonly,
            "destructive": notes.destructive,
            "idempotent": notes.idempotent,
        },
        "domain": ability.changes.domain if ability.changes else None,
        "reversible": ability.reversal,
    }


def _schemas(ability: Ability) -> dict[str, Any]:
    shown = ability.shown_input_schema
    return {
        "exceptions": declared_exceptions(ability.input_schema or {}, shown),
        "shown_input_schema": thaw(shown),
        "shown_output_schema": thaw(ability.shown_output_schema),
        "input_schema": thaw(ability.input_schema),
        "output_schema": thaw(ability.output_schema),
    }


def _show(facts: Mapping[str, Any]) -> None:
    say(f"{facts['name']}: {printable(facts['label'])}")
    say(wrapped(printable_lines(facts["description"])))
    say()
    for key, value in (*_lines(facts), *_exceptions(facts["exceptions"])):
        say(wrapped(printable(value), first=f"{key:<12}"))
    for side in ("input", "output"):
        schema = facts[f"shown_{side}_schema"]
        say(f"\n{side.title()}, as clients see it:")
        say("anything" if schema is None else json_text(schema))
    for line in lines_of(facts["projection"]) if "projection" in facts else ():
        say(printable_lines(line))


def _lines(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "tool", facts["tool"]
    yield "kind", facts["kind"] + _notes(facts["annotations"])
    yield "scope", facts["requires"]
    yield "changes", _changes(facts)
    yield "category", facts["category"]
    yield "pack", facts["pack"]
    yield "time limit", f"{facts['time_limit']:g} s"
    yield "here", _state(facts["why"], is_on=facts["active"])
    yield "for clients", _state(facts["exposed_why"], is_on=facts["exposed"])


def _state(why: str, *, is_on: bool) -> str:
    return f"{'on' if is_on else 'off'}: {why.removeprefix('on: ')}"


def _notes(annotations: Mapping[str, bool | None]) -> str:
    words = [
        name if value else f"not {name}"
        for name, value in annotations.items()
        if value is not None and name != "readonly"
    ]
    return f" ({', '.join(words)})" if words else ""


def _changes(facts: Mapping[str, Any]) -> str:
    if facts["domain"]:
        return f"{facts['domain']}, reversible: the state is read before and after"
    if facts["kind"] == "route":
        return "nothing itself, it leads to other abilities"
    return "nothing" if facts["kind"] == "read" else "unknown, so not reversible"


def _exceptions(exceptions: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for place in exceptions["read_as_closed"]:
        yield "closed", f"{place}: an argument that is not named there is an error"
    for place in exceptions["hidden_empty_strings"]:
        yield "hidden", f"{place}: an empty string is accepted and not shown"
    for reason in exceptions["not_strictable"]:
        yield "not strict", reason
