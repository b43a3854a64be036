"""Wrapping: a schema of any kind as the object that the protocol asks for."""

from collections.abc import Mapping
from typing import Any

from abilities_host.frozen import thaw
from abilities_host.schema.keywords import REFERENCES, with_subschemas


def is_object(schema: Mapping[str, Any]) -> bool:
    """Answer whether the protocol takes a schema as it is, as an object."""
    return schema.get("type") == "object"


def wrap_schema(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Make a schema the only property of an object.

    Args:
        schema: any schema; it is not changed.
        name: the property's name.

    Returns:
        An object schema; local references lead to the same places as before. The
        property may be left out when the schema has a default.
    """
    inner = thaw(schema)
    required = {} if "default" in inner else {"required": [name]}
    dialect = {"$schema": inner.pop("$schema")} if "$schema" in inner else {}
    # With an identifier of its own the schema stays the root of its references.
    if "$id" not in inner:
        inner = _moved(inner, f"#/properties/{name}")
    return {**dialect, "type": "object", "properties": {name: inner}, **required}


def _moved(node: Any, root: str) -> Any:
    if not isinstance(node, dict):
        return node
    moved = with_subschemas(node, lambda _keyword, _place, child: _moved(child, root))
    for keyword in REFERENCES & moved.keys():
        reference = moved[keyword]
        if reference == "#" or str(reference).startswith("#/"):
            moved[keyword] = root + reference[1:]
    return moved
