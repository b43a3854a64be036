"""The keywords of JSON Schema that hold other schemas, from draft-07 to 2020-12."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from abilities_host.schema.pointer import Pointer

Change = Callable[[str, Pointer, Any], Any]

Inner = tuple[str, Pointer, Any]
"""A schema in a schema: the keyword, the place below, and the schema itself."""

MAPS = frozenset(
    {
        "$defs",
        "definitions",
        "dependencies",
        "dependentSchemas",
        "patternProperties",
        "properties",
    }
)
LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
SINGLES = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
SINGLE_OR_LIST = frozenset({"items"})

HOLDERS = MAPS | LISTS | SINGLES | SINGLE_OR_LIST

REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})

IN_PLACE = frozenset(
    {
        "allOf",
        "anyOf",
        "dependencies",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "oneOf",
        "then",
    }
)
"""Keywords whose schemas judge the same value as the schema they stand in."""

COMPOSITION = IN_PLACE | REFERENCES


def subschemas(node: Mapping[str, Any]) -> Sequence[Inner]:
    """Give every schema that stands directly in a schema.

    Args:
        node: a schema that is a mapping; whatever is malformed in it is passed over.

    Returns:
        The keyword, the place below the node, and the schema (a mapping, a boolean,
        or the ``[]`` that some languages write for an empty mapping).
    """
    if HOLDERS.isdisjoint(node):  # so it is with most
        return ()
    found: list[Inner] = []
    for keyword, value in node.items():
        if keyword in MAPS:
            found += _in_map(keyword, value)
        elif keyword in LISTS or keyword in SINGLE_OR_LIST:
            found += _in_list(keyword, value)
        elif keyword in SINGLES and is_schema(value):
            found.append((keyword, (keyword,), value))
    return found


def with_subschemas(node: Mapping[str, Any], change: Change) -> dict[str, Any]:
    """Copy a schema with each schema directly in it replaced.

    Args:
        node: the schema; it is not changed.
        change: gets keyword, place below the node and schema; gives the new one.

    Returns:
        The copy; everything that is not replaced is shared with the original.
    """
    copy = dict(node)
    for keyword, place, child in subschemas(node):
        new = change(keyword, place, child)
        if len(place) == 1:
            copy[keyword] = new
            continue
        if copy[keyword] is node[keyword]:
            held = node[keyword]
            copy[keyword] = dict(held) if isinstance(held, Mapping) else list(held)
        copy[keyword][place[1]] = new
    return copy


def is_schema(value: Any) -> bool:
    """Say whether a value may stand where a schema belongs."""
    if type(value) is dict:  # nearly always, and quicker than asking for a mapping
        return True
    return isinstance(value, Mapping | bool) or value == []


def _is_dependency(value: Any) -> bool:
    return isinstance(value, Mapping | bool)


def _in_map(keyword: str, value: Any) -> list[Inner]:
    if not isinstance(value, Mapping):
        return []
    # In `dependencies` a list names properties and is no schema.
    holds = _is_dependency if keyword == "dependencies" else is_schema
    return [
        (keyword, (keyword, name), child)
        for name, child in value.items()
        if holds(child)
    ]


def _in_list(keyword: str, value: Any) -> list[Inner]:
    if isinstance(value, list | tuple) and value:
        return [
            (keyword, (keyword, index), child)
            for index, child in enumerate(value)
            if is_schema(child)
        ]
    if keyword in SINGLE_OR_LIST and is_schema(value):
        return [(keyword, (keyword,), value)]
    return []
