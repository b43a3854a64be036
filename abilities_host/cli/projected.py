"""Projected: what clients of one profile can be shown of an ability."""

from collections.abc import Iterator, Mapping
from typing import Any

import typer

from abilities_host.ability import Ability
from abilities_host.cli.printing import json_text
from abilities_host.errors import listed, nearest
from abilities_host.frozen import thaw
from abilities_host.schema.profiles import PROFILES, Profile
from abilities_host.schema.projection import LeftOut, project, project_output


def profile_of(name: str) -> Profile:
    """Give the profile that a person means.

    Args:
        name: such as ``gemini``.

    Returns:
        The profile.

    Raises:
        typer.BadParameter: when there is none of this name.
    """
    if name not in PROFILES:
        hint = nearest(name, PROFILES) or f" There are: {listed(PROFILES, 20)}."
        raise typer.BadParameter(f"there is no profile {name!r}.{hint}")
    return PROFILES[name]


def projection_of(ability: Ability, profile: Profile) -> dict[str, Any]:
    """Write what clients of a profile can be shown.

    Args:
        ability: a registered one.
        profile: of the clients.

    Returns:
        JSON values; the keys are always the same. `left_out` says why there is no
        form for them, else it is empty.
    """
    made = project(thaw(ability.input_schema), profile)
    if isinstance(made, LeftOut):
        return _told(profile, left_out=made.reason)
    return _told(
        profile,
        input_schema=made.schema,
        output_schema=_output_of(ability, profile),
        reverse=made.reverse.describe(),
        notes=list(made.notes),
    )


def lines_of(told: Mapping[str, Any]) -> Iterator[str]:
    """Write the same for a person, line by line."""
    yield f"\nInput, as clients of {told['profile']} can be shown it:"
    if told["left_out"]:
        yield f"nothing: {told['left_out']}"
        return
    yield json_text(told["input_schema"])
    if told["reverse"]:
        yield "\nWhat brings their arguments back:"
        yield json_text(told["reverse"])
    yield from (f"note: {each}" for each in told["notes"])


def _output_of(ability: Ability, profile: Profile) -> Any:
    schema = thaw(ability.output_schema)
    if schema is None:
        return None
    made = project_output(schema, profile)
    return None if isinstance(made, LeftOut) else made.schema


def _told(profile: Profile, **known: Any) -> dict[str, Any]:
    nothing: dict[str, Any] = {
        "input_schema": None,
        "output_schema": None,
        "reverse": {},
        "notes": [],
        "left_out": "",
    }
    return {"profile": profile.name, **nothing, **known}
