"""How the host reads a schema that says nothing of additional properties."""

from collections.abc import Mapping
from typing import Any

from abilities_host.frozen import thaw
from abilities_host.schema.keywords import COMPOSITION, with_subschemas
from abilities_host.schema.places import find_places
from abilities_host.schema.pointer import Pointer

_SAYS_MORE = frozenset(
    {
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "unevaluatedProperties",
    }
)
"""Keywords with which the author has spoken of other properties."""

_DESCRIBES_TWICE = COMPOSITION | {"contains", "patternProperties"}
"""Keywords that make two schemas describe one value below."""

_SHAPES = frozenset(
    {"additionalItems", "additionalProperties", "items", "prefixItems", "properties"}
)
_DEFINITIONS = frozenset({"$defs", "definitions"})


def as_read(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Write down what the host reads: an object with only its declared properties.

    `additionalProperties: false` is added to an object with `properties`, no
    composition and no word on additional properties, at the root and wherever one
    schema alone describes the value.

    Args:
        schema: the author's schema; not changed.

    Returns:
        A copy of plain dicts and lists; reading it again changes nothing.
    """
    plain = thaw(schema)
    alone = find_places(plain, _describes_alone)

    def read(node: Any, place: Pointer) -> Any:
        if not isinstance(node, Mapping):
            return node
        copy = with_subschemas(node, lambda _, below, child: read(child, place + below))
        if place in alone and _is_silent(node):
            copy["additionalProperties"] = False
        return copy

    copy: dict[str, Any] = read(plain, ())
    return copy


def _describes_alone(node: Mapping[str, Any], keyword: str) -> bool:
    if keyword == "$ref":
        return not node.keys() & (_DESCRIBES_TWICE - {"$ref"} | _SHAPES)
    leads_on = keyword in _SHAPES and not node.keys() & _DESCRIBES_TWICE
    return leads_on or keyword in _DEFINITIONS


def _is_silent(node: Mapping[str, Any]) -> bool:
    properties = node.get("properties")
    kind = node.get("type", "object")
    return (
        isinstance(properties, Mapping)
        and (kind == "object" or (isinstance(kind, list) and "object" in kind))
        and not node.keys() & (COMPOSITION | _SAYS_MORE)
        # A name that must be there although it is not declared: more is meant.
        and set(node.get("required", ())) <= properties.keys()
    )
