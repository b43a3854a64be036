"""The rule of the strict form: null for what is left out, and the way back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import jsonschema_rs

from abilities_host.schema.places import every_schema, find_target
from abilities_host.schema.pointer import look_up
from abilities_host.schema.projection.work import Work
from abilities_host.schema.reading import as_read
from abilities_host.schema.repair import repair
from abilities_host.schema.strictify import strictify
from abilities_host.schema.unstrict import unstrict

_HOPS = 8


@dataclass(frozen=True, slots=True)
class Nulled:
    """Arguments with null for each property that is left out.

    Attributes:
        schema: the author's.
    """

    schema: Mapping[str, Any]

    def image(self, value: Any) -> Any:
        """Write null for what is left out, as a strict client does."""
        root = as_read(repair(self.schema))
        return _Filling(root).fill(root, value)

    def apply(self, arguments: Any) -> Any:
        """Take the nulls out again; see `unstrict`."""
        if isinstance(arguments, dict) and not any(map(_may_hold, arguments.values())):
            return arguments  # as most: flat, and nothing was left out
        return unstrict(arguments, self.schema)

    def describe(self) -> Mapping[str, Any]:
        """Say that a null may stand for what is left out."""
        return {"null_for_left_out": True}


def _may_hold(value: Any) -> bool:
    return value is None or isinstance(value, dict | list)


class _Filling:
    """One pass over a value beside its schema."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._definitions = {
            keyword: root[keyword]
            for keyword in ("$defs", "definitions", "$schema")
            if keyword in root
        }

    def fill(self, node: Any, value: Any) -> Any:
        node = self._meant(node)
        forms = node.get("anyOf", node.get("oneOf", ()))
        for form in forms:
            if self._fits(form, value):
                return self.fill(form, value)
        if isinstance(value, list):
            return [self.fill(node.get("items", {}), item) for item in value]
        if isinstance(value, dict):
            known = {
                name: self.fill(schema, value[name]) if name in value else None
                for name, schema in node.get("properties", {}).items()
            }
            return {**value, **known}
        return value

    def _meant(self, node: Any) -> Mapping[str, Any]:
        for _ in range(_HOPS):
            if not isinstance(node, Mapping):
                return {}
            target = find_target(self._root, node.get("$ref"))
            if target is None:
                return node
            node = look_up(self._root, target)
        return {}

    def _fits(self, form: Any, value: Any) -> bool:
        schema = {**self._definitions, "allOf": [form]}
        return jsonschema_rs.is_valid(
            schema, value, validate_formats=False, offline=True
        )


def make_strict(work: Work) -> Work:
    """Show the strict form where there is one.

    Args:
        work: nothing was changed yet.

    Returns:
        The strict form, with which the projection is done; else the same with the
        reasons why there is none.
    """
    strict = strictify(work.author)
    reasons = strict.reasons
    if strict.schema is not None and _has_empty_enum(strict.schema):
        reasons = ("an enum without members",)
    if strict.schema is None or reasons:
        notes = (f"not strict: {reason}" for reason in reasons)
        return replace(work, notes=(*work.notes, *notes))
    steps = (*work.steps, Nulled(work.author))
    return replace(work, schema=strict.schema, steps=steps, is_done=True)


def _has_empty_enum(schema: Mapping[str, Any]) -> bool:
    return any(node.get("enum") == [] for _, node in every_schema(schema))


def keep_loose(work: Work) -> Work:
    """Keep a form that is not strict from being taken for one that could be.

    Args:
        work: a form without a strict one; the rules may have made it simpler.

    Returns:
        The same, open to other properties where it could be made strict by now.
    """
    if not strictify(work.schema).is_possible:
        return work
    return replace(work, schema={**work.schema, "additionalProperties": True})
