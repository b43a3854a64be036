"""Rules that rewrite each schema by itself."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from abilities_host.schema.keywords import (
    LISTS,
    MAPS,
    SINGLE_OR_LIST,
    with_subschemas,
)
from abilities_host.schema.odd import IDENTIFIERS
from abilities_host.schema.places import every_schema
from abilities_host.schema.pointer import Pointer
from abilities_host.schema.projection.combine import kinds_of
from abilities_host.schema.projection.work import Work

_NEVER: Mapping[str, Any] = {"not": {}}


def has_empty_enums(work: Work) -> bool:
    """Say whether an enum has no members."""
    return any(node.get("enum") == [] for _, node in every_schema(work.schema))


def write_out_booleans(work: Work) -> Work:
    """Write ``{}`` for true and a schema that refuses everything for false.

    Args:
        work: its schema may hold any keyword.

    Returns:
        The same without true and false where properties, forms and items are
        described.
    """

    def change(keyword: str, _place: Pointer, child: Any) -> Any:
        if isinstance(child, bool) and keyword in MAPS | LISTS | SINGLE_OR_LIST:
            return {} if child else dict(_NEVER)
        return child

    return _each(work, lambda node: with_subschemas(node, change))


def drop_identifier(work: Work) -> Work:
    """Leave out the name of the root; references start at the root all the same.

    Args:
        work: the name of its schema is no anchor.

    Returns:
        The same without the name.
    """
    schema = {k: v for k, v in work.schema.items() if k not in IDENTIFIERS}
    return replace(work, schema=schema)


def write_out_empty_enums(work: Work) -> Work:
    """Say in other words that nothing is accepted, where an enum has no members.

    Args:
        work: its schema may hold any keyword.

    Returns:
        The same without such enums.
    """

    def change(node: Mapping[str, Any]) -> dict[str, Any]:
        if node.get("enum") != []:
            return dict(node)
        made = {k: v for k, v in node.items() if k != "enum"}
        return {**made, "allOf": [*made.get("allOf", ()), dict(_NEVER)]}

    return _each(work, change)


def add_properties(work: Work) -> Work:
    """Give every object `properties`, be it an empty one; it means the same.

    Args:
        work: its schema may hold any keyword.

    Returns:
        The same with `properties` in each schema of an object.
    """
    return _each(
        work,
        lambda node: (
            {**node, "properties": {}}
            if "object" in kinds_of(node) and "properties" not in node
            else dict(node)
        ),
    )


def drop_unknown(work: Work) -> Work:
    """Leave out the keywords that the profile refuses or does not know.

    Args:
        work: in a dialect of few words its schema is of positive words by now, where
            leaving out any but `nullable` is looser; else only words that check
            nothing are refused.

    Returns:
        The same without them.
    """
    profile = work.profile
    refused = profile.unknown | (frozenset() if profile.formats else {"format"})

    def is_taken(word: str) -> bool:
        known = profile.keywords is None or word in profile.keywords | {"nullable"}
        return known and word not in refused

    return _each(work, lambda node: {k: v for k, v in node.items() if is_taken(k)})


def _each(work: Work, change: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Work:
    def walk(node: Any) -> Any:
        if not isinstance(node, Mapping):
            return node
        return with_subschemas(change(node), lambda _, __, child: walk(child))

    return replace(work, schema=walk(work.schema))
