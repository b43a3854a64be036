"""Where the references of a schema lead, and which places keep a quality on the way."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from abilities_host.schema.keywords import REFERENCES, subschemas
from abilities_host.schema.pointer import (
    NowhereError,
    Pointer,
    find_place,
    look_up,
    read_pointer,
)

Keeps = Callable[[Mapping[str, Any], str], bool]
"""Whether what stands under a keyword of a schema keeps the quality of that schema."""


def find_target(schema: Mapping[str, Any], reference: Any) -> Pointer | None:
    """Find the place a local reference means.

    Args:
        schema: the whole schema.
        reference: ``#``, ``#/…`` or ``#anchor``.

    Returns:
        The place of a mapping or boolean, or None when there is none here.
    """
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    fragment = reference[1:]
    if fragment and not fragment.startswith("/"):
        return _find_anchor(schema, fragment)
    try:
        place = find_place(schema, read_pointer(fragment))
    except NowhereError:
        return None
    return place if isinstance(look_up(schema, place), Mapping | bool) else None


def references_of(node: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give the references that stand directly in a schema, with their keywords."""
    return ((keyword, node[keyword]) for keyword in REFERENCES if keyword in node)


def every_schema(schema: Any) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    """Give every schema that is a mapping, from the root down, with its place."""
    waiting: list[tuple[Pointer, Any]] = [((), schema)]
    while waiting:
        place, node = waiting.pop()
        if isinstance(node, Mapping):
            yield place, node
            waiting += [(place + below, child) for _, below, child in subschemas(node)]


def find_places(schema: Mapping[str, Any], keeps: Keeps) -> frozenset[Pointer]:
    """Find the places that keep the root's quality on every way that leads there.

    A definition is such a place only if each reference to it comes from one.

    Args:
        schema: the whole schema.
        keeps: whether one step keeps the quality; a reference is a step as well.

    Returns:
        The places, or none at all when a reference leads where nobody knows.
    """
    found: dict[Pointer, bool] = {}
    waiting: list[tuple[Pointer, Any, bool]] = [((), schema, True)]
    while waiting:
        place, node, kept = waiting.pop()
        # A place that lost the quality once never gets it back.
        if found.get(place) is False or found.get(place) is kept:
            continue
        found[place] = kept
        if not isinstance(node, Mapping):
            continue
        for keyword, below, child in subschemas(node):
            waiting.append((place + below, child, kept and keeps(node, keyword)))
        for keyword, reference in references_of(node):
            target = find_target(schema, reference)
            if target is None:
                return frozenset()
            meant = look_up(schema, target)
            waiting.append((target, meant, kept and keeps(node, keyword)))
    return frozenset(place for place, kept in found.items() if kept)


def _find_anchor(schema: Mapping[str, Any], name: str) -> Pointer | None:
    for place, node in every_schema(schema):
        anchors = (node.get("$anchor"), node.get("$dynamicAnchor"))
        # Draft-07 and older write an anchor as an identifier.
        if name in anchors or node.get("$id") == f"#{name}":
            return place
    return None
