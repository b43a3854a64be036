"""Exceptions: where what a client is shown is not word by word the author's schema."""

from collections.abc import Mapping
from typing import Any

from abilities_host.schema.places import every_schema
from abilities_host.schema.pointer import look_up, write_pointer
from abilities_host.schema.reading import as_read
from abilities_host.schema.repair import repair
from abilities_host.schema.strictify import strictify


def declared_exceptions(
    schema: Mapping[str, Any], shown: Mapping[str, Any]
) -> dict[str, Any]:
    """Find the declared exceptions of one input schema.

    Args:
        schema: the author's schema; empty for an ability without arguments.
        shown: its sanitised form.

    Returns:
        JSON pointers of enums whose empty string is ``hidden_empty_strings``, of
        objects ``read_as_closed``, whether it is ``strictable`` and ``not_strictable``
        with the reasons.
    """
    strict = strictify(schema)
    return {
        "hidden_empty_strings": _hidden(repair(schema), shown),
        "read_as_closed": _closed(schema),
        "strictable": strict.is_possible,
        "not_strictable": list(strict.reasons),
    }


def _hidden(schema: Mapping[str, Any], shown: Mapping[str, Any]) -> list[str]:
    return [
        write_pointer(place) or "/"
        for place, node in every_schema(schema)
        if "" in _members(node) and "" not in _members(look_up(shown, place))
    ]


def _closed(schema: Mapping[str, Any]) -> list[str]:
    return [
        write_pointer(place) or "/"
        for place, node in every_schema(as_read(schema))
        if node.get("additionalProperties") is False
        and "additionalProperties" not in look_up(schema, place)
    ]


def _members(node: Any) -> list[Any]:
    members = node.get("enum") if isinstance(node, Mapping) else None
    return members if isinstance(members, list) else []
