"""Repair of what clients choke on in a schema, looser perhaps and never tighter."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from abilities_host.frozen import thaw
from abilities_host.schema.keywords import (
    COMPOSITION,
    IN_PLACE,
    REFERENCES,
    subschemas,
    with_subschemas,
)
from abilities_host.schema.places import find_places
from abilities_host.schema.pointer import Pointer
from abilities_host.schema.repair import Schemas, mend

Names = frozenset[str]

_EDITED = frozenset({"enum", "items", "required"})

_TURNS_ROUND = frozenset({"if", "not", "oneOf"})
"""Keywords under which a looser schema can make the whole refuse more."""


class _Plan(NamedTuple):
    """What may be edited in one schema.

    Attributes:
        loose: the places where a looser schema makes the whole looser.
        has_unevaluated_items: whether an added `items` could change what is accepted.
        is_result: clients check what they get by it, so no member may be hidden.
    """

    loose: frozenset[Pointer]
    has_unevaluated_items: bool
    is_result: bool


def sanitize(schema: Mapping[str, Any], *, is_result: bool = False) -> dict[str, Any]:
    """Make the form of a schema that clients are shown.

    It accepts every value that the author's schema accepts, with two exceptions: an
    empty string that was a member of an enum of arguments, and a root without a type
    that has properties or is empty, which becomes an object as the protocol requires.

    Args:
        schema: a schema at most 64 deep, as `check_schema` makes sure; not changed.
        is_result: it describes results, which clients check by it: an enum with an
            empty string is left out whole.

    Returns:
        A copy of plain dicts and lists; sanitising it again changes nothing.
    """
    return sanitize_mended(mend(thaw(schema)), is_result=is_result)


def sanitize_mended(schemas: Schemas, *, is_result: bool = False) -> dict[str, Any]:
    """Do the same with a schema that `mend` has gone through.

    Args:
        schemas: what `mend` gave, not changed.
        is_result: as of `sanitize`.

    Returns:
        The same as `sanitize`; what was not edited is shared, so it may be all.
    """
    plain = schemas[0]
    if all(map(_is_clean, schemas)):
        return _as_object(plain)
    plan = _Plan(
        find_places(plain, _loosens),
        any("unevaluatedItems" in node for node in schemas),
        is_result,
    )
    return _as_object(_clean(plain, (), frozenset(), plan))


def _is_clean(node: Mapping[str, Any]) -> bool:
    """Say quickly that nothing is to be edited in a schema, whatever it stands in."""
    if _EDITED.isdisjoint(node):
        return not _is_array(node)
    members, required, known = node.get("enum"), node.get("required"), _own(node)
    return not (
        (_is_array(node) and "items" not in node)
        or isinstance(node.get("items"), list)
        or (isinstance(members, list) and ("" in members or not members))
        or (isinstance(required, list) and not all(_is_in(known, n) for n in required))
    )


def _is_in(names: Mapping[str, Any], name: Any) -> bool:
    return isinstance(name, str) and name in names


def _loosens(node: Mapping[str, Any], keyword: str) -> bool:
    if keyword == "contains":
        return "maxContains" not in node
    return keyword not in _TURNS_ROUND


def _as_object(root: dict[str, Any]) -> dict[str, Any]:
    if "type" not in root and (not root or "properties" in root):
        return {"type": "object", **root}
    return root


def _clean(node: Any, place: Pointer, scope: Names, plan: _Plan) -> Any:
    if not isinstance(node, dict):
        return {} if node == [] and place in plan.loose else node
    cleaned = dict(node)
    known = scope | _declared(node)
    if not plan.has_unevaluated_items:
        _add_items(cleaned)
    if place in plan.loose:
        _drop_empty_members(cleaned, is_result=plan.is_result)
        _drop_unknown_required(cleaned, known)

    def clean_below(keyword: str, below: Pointer, child: Any) -> Any:
        names = known if keyword in IN_PLACE else frozenset()
        return _clean(child, place + below, names, plan)

    return with_subschemas(cleaned, clean_below)


def _add_items(node: dict[str, Any]) -> None:
    if _is_array(node):
        node.setdefault("items", {})


def _is_array(node: Mapping[str, Any]) -> bool:
    kind = node.get("type")
    return kind == "array" or (isinstance(kind, list) and "array" in kind)


def _drop_empty_members(node: dict[str, Any], *, is_result: bool) -> None:
    members = node.get("enum")
    if not isinstance(members, list):
        return
    if is_result and "" in members:
        del node["enum"]
        return
    kept = [member for member in members if member != ""]
    if len(kept) < len(members) and node.get("default") == "":
        del node["default"]
    if kept:
        node["enum"] = kept
    else:
        del node["enum"]


def _drop_unknown_required(node: dict[str, Any], known: Names) -> None:
    required = node.get("required")
    # What a reference declares is not looked up here, so its names may exist.
    if not isinstance(required, list) or node.keys() & REFERENCES:
        return
    kept = [name for name in required if name in known]
    if kept:
        node["required"] = kept
    else:
        del node["required"]


def _declared(node: Mapping[str, Any]) -> Names:
    """Name the properties that a schema speaks of, also in its composition."""
    names = frozenset(_own(node))
    if not node.keys() & COMPOSITION:
        return names
    for keyword, _, child in subschemas(node):
        if keyword in COMPOSITION and isinstance(child, Mapping):
            names |= _declared(child)
    return names


def _own(node: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = node.get("properties")
    return properties if isinstance(properties, Mapping) else {}
