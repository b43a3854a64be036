"""Projecting: a finished tool as the clients of one profile can be shown it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from abilities_host.ability import Ability
from abilities_host.frozen import thaw
from abilities_host.names import exposed_name
from abilities_host.schema.odd import is_odd, is_unreadable
from abilities_host.schema.profiles import GENERIC, Profile
from abilities_host.server.tool import Shape


class Shown(NamedTuple):
    """A tool for one profile.

    Attributes:
        tool: in wire form.
        shape: how values differ from what such clients see.
        fault: why they cannot be shown it; empty when they can.
    """

    tool: dict[str, Any]
    shape: Shape
    fault: str = ""


def show_to(
    profile: Profile, ability: Ability, tool: dict[str, Any], shape: Shape, server: str
) -> Shown:
    """Show a tool to the clients of a profile.

    Args:
        profile: of the clients; the generic ones are shown it as it is, but for what
            would cost some of them the whole listing.
        ability: what the tool leads to.
        tool: finished, as generic clients are shown it.
        shape: likewise.
        server: id of the server, which some clients put before the name.

    Returns:
        Another tool with its shape, or why there is none.
    """
    if profile is GENERIC and not _has_odd_words(tool):
        return Shown(tool, shape)
    from abilities_host.schema.projection import LeftOut, project  # noqa: PLC0415 - most clients need none

    made = project(thaw(ability.input_schema), profile)
    if isinstance(made, LeftOut):
        fault = f"clients of the profile {profile.name} cannot be shown it: "
        return Shown(tool, shape, fault + made.reason)
    name = exposed_name(ability.name, profile.name_budget(server))
    shown = {**tool, "name": name, "inputSchema": made.schema}
    is_wrapped = "wrapped_under" in made.reverse.describe()
    shape = replace(shape, wraps_input=is_wrapped, reverse=made.reverse)
    return Shown(*_with_output(profile, shown, shape))


def _has_odd_words(tool: Mapping[str, Any]) -> bool:
    result = tool.get("outputSchema", {})
    return is_odd(tool["inputSchema"]) or is_odd(result) or is_unreadable(result)


def _with_output(
    profile: Profile, tool: dict[str, Any], shape: Shape
) -> tuple[dict[str, Any], Shape]:
    """Leave an output schema out rather than change results for it."""
    from abilities_host.schema.projection import LeftOut, project_output  # noqa: PLC0415 - as above

    schema = tool.pop("outputSchema", None)
    if schema is None:
        return tool, shape
    made = project_output(schema, profile)
    if isinstance(made, LeftOut):
        return tool, replace(shape, declares_output=False)
    return {**tool, "outputSchema": made.schema}, shape
