"""Filling in what the author's schema says of values that are left out."""

from collections.abc import Iterator, Mapping
from itertools import chain, repeat
from operator import is_not
from typing import Any

from abilities_host.frozen import thaw
from abilities_host.schema.fitness import find_flaw
from abilities_host.schema.places import every_schema, find_target
from abilities_host.schema.pointer import look_up

_HOPS = 8


def has_defaults(schema: Mapping[str, Any]) -> bool:
    """Say whether a schema names a default anywhere."""
    return any("default" in node for _, node in every_schema(schema))


def apply_defaults(schema: Mapping[str, Any], value: Any) -> Any:
    """Fill in the defaults of a schema.

    A value of None becomes the top-level default, as in WordPress. In objects that
    are there, a missing property gets its default; never inside composition.

    Args:
        schema: the author's schema, checked.
        value: the arguments; not changed. One that is no JSON or too large is given
            back as it is, for validation to refuse.

    Returns:
        The value itself when nothing is missing, else a copy of what changed.
    """
    if value is None and "default" in schema:
        value = thaw(schema["default"])
    if find_flaw(value):
        return value
    return _Filling(schema).fill(schema, value)


class _Filling:
    """One pass over a value beside its schema."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root

    def fill(self, schema: Any, value: Any) -> Any:
        for node in self._nodes(schema):
            if isinstance(value, dict):
                value = self._fill_object(node, value)
            elif isinstance(value, list):
                value = self._fill_list(node, value)
        return value

    def _nodes(self, schema: Any) -> Iterator[Mapping[str, Any]]:
        """Give a schema and what it refers to; a long chain is followed no further."""
        for _ in range(_HOPS):
            if not isinstance(schema, Mapping):
                return
            yield schema
            target = find_target(self._root, schema.get("$ref"))
            schema = None if target is None else look_up(self._root, target)

    def _fill_object(self, node: Mapping[str, Any], value: dict[str, Any]) -> Any:
        filled = dict(value)
        for name, schema in _mapping(node.get("properties")).items():
            if name in value:
                filled[name] = self.fill(schema, value[name])
            else:
                filled |= self._default(name, schema)
        return filled if _differs(filled, value) else value

    def _fill_list(self, node: Mapping[str, Any], value: list[Any]) -> Any:
        head, rest = node.get("prefixItems", ()), node.get("items")
        if isinstance(rest, list):  # the tuple of draft-07
            head, rest = rest, node.get("additionalItems")
        schemas = chain(head, repeat(rest))
        filled = [self.fill(*pair) for pair in zip(schemas, value, strict=False)]
        changed = any(map(is_not, filled, value))
        return filled if changed else value

    def _default(self, name: str, schema: Any) -> dict[str, Any]:
        for node in self._nodes(schema):
            if "default" in node:
                return {name: thaw(node["default"])}
        return {}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _differs(filled: dict[str, Any], value: dict[str, Any]) -> bool:
    return len(filled) > len(value) or any(
        filled[name] is not item for name, item in value.items()
    )
