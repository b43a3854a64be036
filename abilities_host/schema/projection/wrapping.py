"""The rule that puts a value of another type under `input`, and the way back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from abilities_host.schema.keywords import REFERENCES, with_subschemas
from abilities_host.schema.projection.work import Work

INPUT: Final = "input"


@dataclass(frozen=True, slots=True)
class Wrapped:
    """Arguments that stand under one name.

    Attributes:
        name: that of the only property.
    """

    name: str = INPUT

    def image(self, value: Any) -> Any:
        """Put a value under the name."""
        return {self.name: value}

    def apply(self, arguments: Any) -> Any:
        """Give what is under the name; None for ``{}``, else what came."""
        if not isinstance(arguments, Mapping):
            return arguments
        if arguments.keys() == {self.name}:
            return arguments[self.name]
        return arguments or None

    def describe(self) -> Mapping[str, Any]:
        """Say under which name the value stands."""
        return {"wrapped_under": self.name}


def wrap_root(work: Work) -> Work:
    """Make the schema the only property of an object, as the protocol asks for one.

    Args:
        work: its schema may hold references.

    Returns:
        The same, with local references that lead to the same places as before.
    """
    inner = dict(work.schema)
    required = {} if "default" in inner else {"required": [INPUT]}
    dialect = {"$schema": inner.pop("$schema")} if "$schema" in inner else {}
    inner.pop("$id", None)  # below the root it would change what references mean
    inner = _moved(inner, f"#/properties/{INPUT}")
    schema = {**dialect, "type": "object", "properties": {INPUT: inner}, **required}
    note = f"/: the value stands under '{INPUT}'"
    return replace(
        work,
        schema=schema,
        steps=(*work.steps, Wrapped()),
        notes=(*work.notes, note),
    )


def _moved(node: Any, root: str) -> Any:
    if not isinstance(node, dict):
        return node
    moved = with_subschemas(node, lambda _keyword, _place, child: _moved(child, root))
    for keyword in REFERENCES & moved.keys():
        reference = moved[keyword]
        if reference == "#" or str(reference).startswith("#/"):
            moved[keyword] = root + reference[1:]
    return moved
