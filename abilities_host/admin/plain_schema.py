"""Plain schema: one without what leads elsewhere, as far as a field can have it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from abilities_host.schema.pointer import NowhereError, look_up, read_pointer

_HOPS: Final = 8
_LEADS_ON: Final = ("$ref", "anyOf", "oneOf")
# What stands beside a reference and means the same in the place it leads to.
_NOTES: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly"}
    | {"writeOnly", "x-secret", "$comment", "$defs", "definitions", "$schema", "$id"}
)
_SAYS_MORE: Final = frozenset(
    {"patternProperties", "propertyNames", "unevaluatedProperties", "allOf", "not"}
    | {"anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "$ref"}
    | {"dependencies", "$dynamicRef"}
)


class PlainSchema(NamedTuple):
    """A schema without references around it.

    Attributes:
        node: the schema.
        is_nullable: null is allowed besides.
    """

    node: Mapping[str, Any]
    is_nullable: bool


def plain_schema(root: Any, node: Any) -> PlainSchema | None:
    """Follow references and take null out.

    Args:
        root: the whole schema, JSON.
        node: a schema in it; anything.

    Returns:
        None for what is too much for a field of its own.
    """
    is_nullable = False
    for _ in range(_HOPS):
        if not isinstance(node, Mapping):
            return None
        ways = [keyword for keyword in _LEADS_ON if keyword in node]
        if not ways:
            return _without_null(node, is_nullable=is_nullable)
        notes = {key: node[key] for key in node if key not in ways}
        if len(ways) > 1 or not notes.keys() <= _NOTES:
            return None
        is_reference = ways[0] == "$ref"
        found = _target(root, node["$ref"]) if is_reference else _other(node[ways[0]])
        is_nullable = is_nullable or not is_reference
        node = {**found, **notes} if isinstance(found, Mapping) else None
    return None


def _target(root: Any, reference: Any) -> Any:
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    try:
        return look_up(root, read_pointer(reference[1:]))
    except NowhereError:
        return None


def _other(ways: Any) -> Any:
    """Of two ways give the one that is not null."""
    if not isinstance(ways, list | tuple) or len(ways) != 2:  # noqa: PLR2004 - said
        return None
    others = [each for each in ways if each != {"type": "null"}]
    return others[0] if len(others) == 1 else None


def _without_null(node: Mapping[str, Any], *, is_nullable: bool) -> PlainSchema:
    kind = node.get("type")
    if isinstance(kind, list | tuple) and "null" in kind:
        others = [each for each in kind if each != "null"]
        if len(others) == 1:
            return PlainSchema({**node, "type": others[0]}, is_nullable=True)
    return PlainSchema(node, is_nullable)


def type_of(node: Mapping[str, Any]) -> str | None:
    """Give the one type of a value; an object may be one by what it has.

    Args:
        node: a schema.

    Returns:
        None when there are several, or none.
    """
    kind = node.get("type", "object" if "properties" in node else None)
    if isinstance(kind, list | tuple) and len(kind) == 1:
        kind = kind[0]
    return kind if isinstance(kind, str) else None


def required_of(node: Mapping[str, Any]) -> Sequence[str]:
    """Give the names that a schema requires, declared or not."""
    names = node.get("required")
    found = names if isinstance(names, list | tuple) else ()
    return [each for each in found if isinstance(each, str)]


def is_closed(node: Mapping[str, Any]) -> bool:
    """Read an object as the host does: without a word it has what it declares.

    Args:
        node: a schema with properties.

    Returns:
        Whether no other properties can be given.
    """
    if node.keys() & _SAYS_MORE:
        return False
    if "additionalProperties" in node:
        return bool(node["additionalProperties"] is False)
    return bool(set(required_of(node)) <= node["properties"].keys())
