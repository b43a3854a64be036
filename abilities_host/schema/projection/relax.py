"""The rules that leave only words under which looser below is looser above."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from abilities_host.schema.projection.combine import meet
from abilities_host.schema.projection.work import Work

GIVEN_UP = frozenset(
    {
        "$dynamicRef",
        "$recursiveRef",
        "contains",
        "contentSchema",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "else",
        "if",
        "maxContains",
        "minContains",
        "not",
        "patternProperties",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
"""Keywords that the host alone checks where a schema has to be rewritten."""

_FORMS = ("anyOf", "oneOf")
_REWRITTEN = GIVEN_UP | {
    "$schema",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "items",
    "oneOf",
    "prefixItems",
    "properties",
    "required",
}


def relax_schema(work: Work) -> Work:
    """Drop the keywords that can turn looser into tighter, and `oneOf` for `anyOf`.

    Args:
        work: its schema holds no reference.

    Returns:
        The same, accepting at least as much.
    """
    return replace(work, schema=merge(_relax(work.schema)))


def _relax(node: Any) -> Any:
    if not isinstance(node, Mapping):
        return node
    made = {k: v for k, v in node.items() if k not in _REWRITTEN}
    for bound in ("exclusiveMinimum", "exclusiveMaximum"):
        if isinstance(made.get(bound), bool):  # of draft-04
            del made[bound]
    return made | _relax_object(node) | _relax_list(node) | _relax_forms(node)


def _relax_object(node: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    properties = node.get("properties", {})
    never = [name for name, schema in properties.items() if _refuses(schema)]
    if "properties" in node:
        made["properties"] = {
            name: _relax(schema)
            for name, schema in properties.items()
            if name not in never
        }
    required = [name for name in node.get("required", ()) if name not in never]
    if required:
        made["required"] = required
    # A name of a pattern would else be judged as one that nobody spoke of.
    if "additionalProperties" in node and not node.get("patternProperties"):
        made["additionalProperties"] = _relax(node["additionalProperties"])
    return made


def _relax_list(node: Mapping[str, Any]) -> dict[str, Any]:
    places, rest = node.get("prefixItems", []), node.get("items")
    if isinstance(rest, list):  # the tuple of draft-07
        places, rest = rest, node.get("additionalItems")
    if _refuses(rest):
        rest = False  # written out before, it would be given up
    made = {"prefixItems": [_relax(place) for place in places]} if places else {}
    return made if rest is None else {**made, "items": _relax(rest)}


def _relax_forms(node: Mapping[str, Any]) -> dict[str, Any]:
    choices = [_possible(node[keyword]) for keyword in _FORMS if node.get(keyword)]
    choices = [[_relax(form) for form in choice] for choice in choices if choice]
    joined = [_relax(form) for form in _possible(node.get("allOf", []))]
    made: dict[str, Any] = {"anyOf": choices[0]} if choices else {}
    joined += [{"anyOf": choice} for choice in choices[1:]]
    return {**made, "allOf": joined} if joined else made


def _possible(forms: Any) -> list[Any]:
    return [form for form in forms if not _refuses(form)]


def _refuses(schema: Any) -> bool:
    """Say whether a schema plainly accepts nothing."""
    if not isinstance(schema, Mapping):
        return schema is False
    refuses = schema.get("not") in ({}, True)
    return refuses or any(map(_refuses, schema.get("allOf", ())))


def merge(node: Any) -> Any:
    """Make one schema of each `allOf`, from the root down.

    Args:
        node: of the words that are left.

    Returns:
        The same without `allOf`.
    """
    if not isinstance(node, Mapping):
        return node
    made = dict(node)
    while "allOf" in made:
        parts = made.pop("allOf")
        for part in parts:
            if isinstance(part, Mapping):
                made = _met(made, part)
    if "properties" in made:
        made["properties"] = {n: merge(c) for n, c in made["properties"].items()}
    for keyword in ("anyOf", "prefixItems"):
        if keyword in made:
            made[keyword] = [merge(child) for child in made[keyword]]
    for keyword in ("items", "additionalProperties"):
        if keyword in made:
            made[keyword] = merge(made[keyword])
    return made


def _met(made: dict[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    # Both may have an allOf of their own; they wait together.
    waiting = [*made.pop("allOf", ()), *part.get("allOf", ())]
    met = meet(made, {k: v for k, v in part.items() if k != "allOf"})
    return {**met, "allOf": waiting} if waiting else met
