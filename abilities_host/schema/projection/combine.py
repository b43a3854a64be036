"""Two schemas as one: what accepts all that both accept, or all that either does.

Both schemas are of the positive words that `relax` leaves; the result may accept more
than it should, never less.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import orjson

Node = Mapping[str, Any]
Made = dict[str, Any]

ANNOTATIONS = ("title", "description")

_OBJECT = ("properties", "required", "additionalProperties")
_LIST = ("prefixItems", "items")
_TIGHTER: Mapping[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("maximum", "maxItems", "maxLength", "maxProperties"), min),
    **dict.fromkeys(("minimum", "minItems", "minLength", "minProperties"), max),
}


def kinds_of(node: Node) -> list[str]:
    """Name the types that a schema says; none when it says nothing of them."""
    kind = node.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)


def kind_of(value: Any) -> str:
    """Name the narrowest type that a JSON value has."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        whole = isinstance(value, int) or value.is_integer()
        return "integer" if whole else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def canonical(value: Any) -> bytes:
    """Write a JSON value so that equal ones are written alike, as JSON Schema means."""
    return orjson.dumps(_plain(value), option=orjson.OPT_SORT_KEYS)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def either(forms: Iterable[Any]) -> Any:
    """Make a schema of forms, of which one has to fit.

    Args:
        forms: schemas; True and ``{}`` accept everything.

    Returns:
        The only form when all are equal, else an `anyOf`.
    """
    distinct = list({canonical(form): form for form in forms}.values())
    if any(form in (True, {}) for form in distinct):
        return {}
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def both(first: Any, second: Any) -> Any:
    """Make a schema of two that both have to fit; `merge` makes it one later."""
    if second in (True, {}) or canonical(first) == canonical(second):
        return first
    return second if first in (True, {}) else {"allOf": [first, second]}


def meet(first: Node, second: Node) -> Made:
    """Join two schemas for one value.

    Args:
        first: positive words; its annotations win, and its `anyOf` where both have one.
        second: positive words.

    Returns:
        What accepts at least the values that both accept; what is below is joined by
        `allOf` only, and waits for its turn.
    """
    made = {**second, **first}
    for keyword, tighter in _TIGHTER.items():
        if keyword in first and keyword in second:
            made[keyword] = tighter(first[keyword], second[keyword])
    if "type" in first and "type" in second:
        made["type"] = _common_type(first, second)
    if "enum" in first and "enum" in second:
        known = {canonical(member) for member in second["enum"]}
        common = [member for member in first["enum"] if canonical(member) in known]
        made["enum"] = common or first["enum"]
    for keyword in (*_OBJECT, *_LIST):
        made.pop(keyword, None)
    return made | _meet_lists(first, second) | _meet_objects(first, second)


def _common_type(first: Node, second: Node) -> Any:
    known, other = kinds_of(first), kinds_of(second)
    common = [kind for kind in known if kind in other]
    if "number" in known and "integer" in other and "integer" not in common:
        common.append("integer")
    if "number" in other and "integer" in known and "integer" not in common:
        common.append("integer")
    if not common:  # nothing fits both; what fits one is looser
        return first["type"]
    return common[0] if len(common) == 1 else common


def _meet_lists(first: Node, second: Node) -> Made:
    if "prefixItems" not in first and "prefixItems" not in second:
        known = [node["items"] for node in (first, second) if "items" in node]
        return {"items": both(*known) if len(known) == 2 else known[0]} if known else {}  # noqa: PLR2004 - both of them
    # `items` means what follows the places, so the two go together.
    said = first if first.keys() & set(_LIST) else second
    return {keyword: said[keyword] for keyword in _LIST if keyword in said}


def _meet_objects(first: Node, second: Node) -> Made:
    made: Made = {}
    one, two = first.get("properties", {}), second.get("properties", {})
    names = [name for name in {**one, **two} if _may_be(first, second, name)]
    if "properties" in first or "properties" in second:
        made["properties"] = {
            name: both(one.get(name, {}), two.get(name, {})) for name in names
        }
    needed = [*first.get("required", ()), *second.get("required", ())]
    if needed:
        made["required"] = list(dict.fromkeys(needed))
    others = [node.get("additionalProperties", True) for node in (first, second)]
    if False in others:
        made["additionalProperties"] = False
    elif others != [True, True]:
        made["additionalProperties"] = both(*others)
    return made


def _may_be(first: Node, second: Node, name: str) -> bool:
    return all(
        name in node.get("properties", {})
        or node.get("additionalProperties") is not False
        for node in (first, second)
    )


def join_objects(forms: Sequence[Node]) -> Made:
    """Make one object schema of several, of which one has to fit.

    Args:
        forms: object schemas, at least one.

    Returns:
        The properties of all and the required ones that all require. A property that
        one form leaves open is left open, with a word of what it is in another.
    """
    if len(forms) == 1:
        return dict(forms[0])
    said = {canonical(form) for form in forms}
    made: Made = dict(forms[0]) if len(said) == 1 else {"type": "object"}
    made |= _shared_annotations(forms)
    names = dict.fromkeys(n for form in forms for n in form.get("properties", {}))
    made["properties"] = {name: _join_property(forms, name) for name in names}
    needed = [form.get("required", []) for form in forms]
    required = [name for name in needed[0] if all(name in each for each in needed[1:])]
    if required:
        made["required"] = required
    others = either(form.get("additionalProperties", True) for form in forms)
    if others is False or others != {}:
        made["additionalProperties"] = _without_false(others)
    return made


def _without_false(others: Any) -> Any:
    if isinstance(others, dict) and False in others.get("anyOf", ()):
        return either(form for form in others["anyOf"] if form is not False)
    return others


def _shared_annotations(forms: Sequence[Node]) -> Made:
    first = forms[0]
    return {
        keyword: first[keyword]
        for keyword in ANNOTATIONS
        if keyword in first and all(f.get(keyword) == first[keyword] for f in forms)
    }


def _join_property(forms: Sequence[Node], name: str) -> Any:
    said = [form.get("properties", {}).get(name) for form in forms]
    known = [schema for schema in said if schema is not None]
    views = [
        form.get("additionalProperties", True) if schema is None else schema
        for form, schema in zip(forms, said, strict=True)
    ]
    joined = either(view for view in views if view is not False)
    return loosest(known) if joined == {} else joined


def loosest(known: Sequence[Any]) -> Made:
    """Make a schema that accepts everything and says what it probably is.

    Args:
        known: the schemas that it is given up for.

    Returns:
        Annotations only.
    """
    nodes = [node for node in known if isinstance(node, Mapping)]
    made: Made = {}
    for node in nodes:
        for keyword in ANNOTATIONS:
            if isinstance(node.get(keyword), str):
                made.setdefault(keyword, node[keyword])
    kinds = dict.fromkeys(kind for node in nodes for kind in kinds_of(node))
    if kinds:
        hint = f"({' or '.join(kinds)}, by the other arguments)"
        made["description"] = f"{made.get('description', '')} {hint}".strip()
    return made
