"""Projected: what clients of one profile can be shown of an ability."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import typer

from abilities_host.ability import Ability
from abilities_host.errors import listed, nearest
from abilities_host.frozen import thaw
from abilities_host.jsontext import json_text
from abilities_host.names import exposed_name
from abilities_host.schema.profiles import GENERIC, Profile
from abilities_host.schema.projection import LeftOut, project, project_output

if TYPE_CHECKING:
    from abilities_host.host import Host


def profile_of(name: str, profiles: Mapping[str, Profile]) -> Profile:
    """Give the profile that a person means.

    Args:
        name: such as ``gemini``.
        profiles: of the host, by name.

    Returns:
        The profile.

    Raises:
        typer.BadParameter: when there is none of this name.
    """
    if name not in profiles:
        hint = nearest(name, profiles) or f" There are: {listed(profiles, 50)}."
        raise typer.BadParameter(f"there is no profile {name!r}.{hint}")
    return profiles[name]


def chosen_profile(host: "Host", name: str | None) -> Profile:
    """Give the profile that a person means, or by default the first server's.

    Args:
        host: the running host.
        name: such as ``gemini``; None for what clients get that nobody knows.

    Returns:
        The profile.

    Raises:
        typer.BadParameter: when there is none of this name.
    """
    if name is not None:
        return profile_of(name, host.profiles)
    return host.profiles.get(host.config.server.profile, GENERIC)


def tool_name(ability: Ability, profile: Profile, server: str) -> str | None:
    """Give the name under which clients of a profile see an ability.

    Args:
        ability: a registered one.
        profile: of the clients.
        server: id of the server, which some clients put before the name.

    Returns:
        None for what is no tool, and for what they cannot be shown.
    """
    if ability.component.kind != "tool":
        return None
    is_shown = profile is GENERIC or not isinstance(
        project(thaw(ability.input_schema), profile), LeftOut
    )
    return exposed_name(ability.name, profile.name_budget(server)) if is_shown else None


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
