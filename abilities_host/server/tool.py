"""Tool: one ability in the wire form of an era."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from abilities_host.ability import Ability
from abilities_host.frozen import thaw
from abilities_host.names import exposed_name
from abilities_host.results import as_object
from abilities_host.server.eras import LEGACY, Era
from abilities_host.server.wrapping import is_object, wrap_schema

if TYPE_CHECKING:
    from abilities_host.schema.projection import ReverseMap

INPUT: Final = "input"
OUTPUT: Final = "data"

_HINTS: Final = (
    ("readonly", "readOnlyHint"),
    ("destructive", "destructiveHint"),
    ("idempotent", "idempotentHint"),
    ("", "openWorldHint"),
)
# True and False are 1 and 0 as keys, so those are read too.
_BOOLEANS: Final[Mapping[Any, bool]] = {
    True: True,
    False: False,
    "true": True,
    "false": False,
    "1": True,
    "0": False,
}


@dataclass(frozen=True, slots=True)
class Shape:
    """How the values of one ability differ from what its clients see.

    Attributes:
        wraps_input: the arguments stand under `input`.
        wraps_output: the result stands under `data`.
        declares_output: the client was shown an output schema and will check.
        gives_content: the result is content blocks, not data.
        reverse: brings arguments back where the client was shown a projection.
    """

    wraps_input: bool = False
    wraps_output: bool = False
    declares_output: bool = False
    gives_content: bool = False
    reverse: "ReverseMap | None" = None

    def unwrap(self, arguments: Mapping[str, Any] | None) -> Any:
        """Give the arguments that the ability's own schema means.

        Args:
            arguments: what the client sent; it may leave them out.

        Returns:
            The value under `input` where it was asked for, None where it was left out,
            else what came.
        """
        given = dict(arguments or {})
        if self.reverse is not None:
            return self.reverse.apply(given)
        if not self.wraps_input:
            return given
        return given[INPUT] if given.keys() == {INPUT} else given or None

    def structured(self, era: Era, result: Any) -> Any:
        """Give the result as structured content.

        Args:
            era: the era of the call.
            result: a JSON value.

        Returns:
            Always an object in the earlier era, the value itself in the later one.
        """
        if self.wraps_output:
            return {OUTPUT: result}
        return as_object(result) if era == LEGACY else result


def shape_of(ability: Ability, era: Era) -> Shape:
    """Say how an ability's values are wrapped.

    Args:
        ability: what runs.
        era: the era of the call.

    Returns:
        The same for a listing as for a call.
    """
    output = ability.shown_output_schema
    return Shape(
        wraps_input=not is_object(ability.shown_input_schema),
        wraps_output=era == LEGACY and output is not None and not is_object(output),
        declares_output=output is not None,
        gives_content=ability.component.gives_content,
    )


def tool_of(ability: Ability, era: Era, *, is_write: bool) -> dict[str, Any]:
    """Write an ability as a tool.

    Args:
        ability: what is listed.
        era: the era of the listing.
        is_write: what the host takes it for; the operator may say so of a read.

    Returns:
        A finished dict of plain JSON values.
    """
    shape, output = shape_of(ability, era), ability.shown_output_schema
    tool: dict[str, Any] = {
        "name": exposed_name(ability.name),
        "title": ability.label,
        "description": ability.description,
        "inputSchema": _schema(ability.shown_input_schema, shape.wraps_input, INPUT),
    }
    if output is not None:
        tool["outputSchema"] = _schema(output, shape.wraps_output, OUTPUT)
    if annotations := _annotations(ability, is_write=is_write):
        tool["annotations"] = annotations
    # A route says no more than a model needs: a compact listing is all there is.
    if not ability.is_route:
        tool["_meta"] = {
            "abilities/name": ability.name,
            "abilities/category": ability.category,
            "abilities/reversible": ability.reversal,
            **ability.component.hints,
        }
    return tool


def _schema(schema: Mapping[str, Any], is_wrapped: bool, name: str) -> dict[str, Any]:  # noqa: FBT001 - one of three words about one schema
    plain: dict[str, Any] = wrap_schema(schema, name) if is_wrapped else thaw(schema)
    return plain


def _annotations(ability: Ability, *, is_write: bool) -> dict[str, Any]:
    said: Mapping[str, Any] = ability.get_meta_item("annotations", {})
    hints: dict[str, Any] = {}
    for own, theirs in _HINTS:
        value = _boolean(said.get(own))
        value = _boolean(said.get(theirs)) if value is None else value
        if value is not None:
            hints[theirs] = value
    if is_write and hints.get("readOnlyHint"):
        hints["readOnlyHint"] = False
    title = said.get("title")
    if hints and not ability.is_route:
        hints["title"] = title if isinstance(title, str) and title else ability.label
    return hints


def _boolean(value: Any) -> bool | None:
    return _BOOLEANS.get(value) if isinstance(value, int | str) else None
