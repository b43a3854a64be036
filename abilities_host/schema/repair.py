"""Repair of what is written wrongly in a schema and can mean one thing only."""

from collections.abc import Mapping
from typing import Any

from abilities_host.frozen import thaw
from abilities_host.schema.keywords import HOLDERS, MAPS, subschemas

Schemas = list[dict[str, Any]]
"""A schema and every mapping in it that is a schema too, from the root down."""


def repair(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Mend the marks that other languages leave in a schema.

    ``[]`` or null where a map belongs, and ``[]`` where a schema belongs, become
    ``{}``; an empty or null `required` is dropped and a name in it is said once. None
    of this changes what is accepted.

    Args:
        schema: a schema at most 64 deep; not changed.

    Returns:
        A copy of plain dicts and lists; repairing it again changes nothing.
    """
    plain: dict[str, Any] = thaw(schema)
    mend(plain)
    return plain


def mend(schema: dict[str, Any]) -> Schemas:
    """Do the same to a schema of plain dicts and lists that is nobody else's.

    Args:
        schema: is changed.

    Returns:
        It and every schema in it.
    """
    nodes = [schema]
    for node in nodes:  # it grows while it is gone through
        if "required" in node:
            _mend_required(node)
        if not HOLDERS.isdisjoint(node):
            nodes += _mend_below(node)
    return nodes


def _mend_required(node: dict[str, Any]) -> None:
    required = node["required"]
    if required in ([], {}, None):
        del node["required"]
    elif isinstance(required, list) and all(isinstance(n, str) for n in required):
        node["required"] = list(dict.fromkeys(required))


def _mend_below(node: dict[str, Any]) -> Schemas:
    """Mend what stands where schemas belong, and give the schemas that stand there."""
    for keyword in node.keys() & MAPS:
        if node[keyword] in ([], None):
            node[keyword] = {}
    found = []
    for keyword, place, inner in subschemas(node):
        if isinstance(inner, dict):
            found.append(inner)
        # In draft-07 an empty list of items is a tuple of no places.
        elif inner == [] and keyword != "items":
            holder: Any = node if len(place) == 1 else node[keyword]
            holder[place[-1]] = {}
    return found
