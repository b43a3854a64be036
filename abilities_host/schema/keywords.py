"""The keywords of JSON Schema that hold other schemas, from draft-07 to 2020-12."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from abilities_host.schema.pointer import Pointer

Change = Callable[[str, Pointer, Any], Any]

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

_HOLDERS = MAPS | LISTS | SINGLES | SINGLE_OR_LIST

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


def subschemas(node: Mapping[str, Any]) -> Iterator[tuple[str, Pointer, Any]]:
    """Give every schema that stands directly in a schema.

    Args:
        node: a schema that is a mapping; whatever is malformed in it is passed over.

    Yields:
        The keyword, the place below the node, and the schema (a mapping, a boolean,
        or the ``[]`` that some languages write for an empty mapping).
    """
    for keyword, value in node.items():
        if keyword not in _HOLDERS:
            continue
        if keyword in MAPS and isinstance(value, Mapping):
            # In `dependencies` a list names properties and is no schema.
            holds = _is_dependency if keyword == "dependencies" else is_schema
            yield from (
                (keyword, (keyword, name), child)
                for name, child in value.items()
                if holds(child)
            )
        elif keyword in LISTS or keyword in SINGLE_OR_LIST:
            yield from _in_list(keyword, value)
        elif keyword in SINGLES and is_schema(value):
            yield keyword, (keyword,), value


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


def _in_list(keyword: str, value: Any) -> Iterator[tuple[str, Pointer, Any]]:
    if isinstance(value, list | tuple) and value:
        for index, child in enumerate(value):
            if is_schema(child):
                yield keyword, (keyword, index), child
    elif keyword in SINGLE_OR_LIST and is_schema(value):
        yield keyword, (keyword,), value
