"""What the clients of a profile would refuse in a schema, found without projecting it.

This is a second opinion on the projection: it shares the profiles with it, no code.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import jsonschema_rs

from abilities_host.schema.pointer import Pointer, write_pointer
from abilities_host.schema.profiles import Profile

FOUND_AT_MOST = 32

_BY_NAME = (
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
)
_BY_INDEX = ("anyOf", "oneOf", "allOf", "prefixItems")
_ALONE = (
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_AT_ROOT = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref")
_BESIDE_FORMS = {"anyOf", "title", "description"}

Node = Mapping[str, Any]
Found = Iterator[str]


def accepts(profile: Profile, schema: Any) -> list[str]:
    """Say what the clients of a profile would refuse.

    Args:
        profile: of the clients.
        schema: of a tool's arguments, as it would be sent.

    Returns:
        Sentences with the JSON pointer of the place, at most 32; empty when nothing
        is refused.
    """
    if not isinstance(schema, Mapping):
        return ["/: is no mapping"]
    found = [f"/: {problem}" for problem in _of_root(profile, schema)]
    for place, node in _nodes((), schema):
        for check in _CHECKS:
            found += [
                f"{write_pointer(place) or '/'}: {problem}"
                for problem in check(profile, schema, place, node)
            ]
        if len(found) >= FOUND_AT_MOST:
            break
    return found[:FOUND_AT_MOST]


def _nodes(place: Pointer, node: Node) -> Iterator[tuple[Pointer, Node]]:
    yield place, node
    for below, child in _children(node):
        if isinstance(child, Mapping):
            yield from _nodes((*place, *below), child)


def _children(node: Node) -> Iterator[tuple[Pointer, Any]]:
    for keyword in _BY_NAME:
        held = node.get(keyword)
        for name in held if isinstance(held, Mapping) else ():
            yield (keyword, name), node[keyword][name]
    for keyword in _BY_INDEX:
        for index, child in enumerate(node.get(keyword, ())):
            yield (keyword, index), child
    for keyword in _ALONE:
        if keyword in node:
            yield (keyword,), node[keyword]


def _of_root(profile: Profile, root: Node) -> Found:
    if root.get("type") != "object":
        yield "the root is no object"
    if not profile.root_composition:
        yield from (f"{word!r} at the root" for word in _AT_ROOT if word in root)
    if not _is_schema(root):
        yield "is no JSON Schema"


def _is_schema(root: Node) -> bool:
    try:
        return jsonschema_rs.meta.is_valid(dict(root))
    except (ValueError, jsonschema_rs.ReferencingError):
        return False


def _of_words(profile: Profile, _root: Node, _place: Pointer, node: Node) -> Found:
    for word in node:
        known = profile.keywords is None or word in profile.keywords
        if not known or word in profile.unknown:
            yield f"the keyword {word!r} is not known"
    if not profile.formats and profile.keywords is None and "format" in node:
        yield "a format"
    if profile.keywords is not None and "anyOf" in node and node.keys() - _BESIDE_FORMS:
        yield "other words beside 'anyOf'"


def _of_references(profile: Profile, root: Node, _place: Pointer, node: Node) -> Found:
    reference = node.get("$ref")
    if reference is None:
        return
    if not profile.references:
        yield "a reference"
    elif str(reference).startswith("#/") and not _is_there(root, str(reference)):
        yield "a reference to an undefined schema"


def _is_there(root: Node, reference: str) -> bool:
    here: Any = root
    for token in reference.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(here, Mapping) and name in here:
            here = here[name]
        elif isinstance(here, list) and name.isdigit() and int(name) < len(here):
            here = here[int(name)]
        else:
            # Percent signs are for the reader of the reference, not for us.
            return "%" in reference
    return True


def _of_types(profile: Profile, _root: Node, _place: Pointer, node: Node) -> Found:
    kind = node.get("type")
    if isinstance(kind, list) and not profile.type_arrays:
        yield "a list of types"
    if profile.null == "nullable" and "null" in (kind if kind is not None else ()):
        yield "null as a type"
    if profile.keywords is not None and kind is None and "anyOf" not in node:
        yield "no type"


def _of_enums(profile: Profile, _root: Node, _place: Pointer, node: Node) -> Found:
    members = node.get("enum")
    if members is None:
        return
    if not members:
        yield "an enum without members"
    if profile.enums == "strings":
        if node.get("type") != "string":
            yield "an enum of what is no string"
        if not all(isinstance(member, str) and member for member in members):
            yield "an enum with a member that is no text or empty"


def _of_arrays(profile: Profile, _root: Node, _place: Pointer, node: Node) -> Found:
    if "array" in _kinds(node) and profile.needs_items and "items" not in node:
        yield "an array without 'items'"


def _of_objects(profile: Profile, _root: Node, place: Pointer, node: Node) -> Found:
    properties = node.get("properties")
    if properties is not None and not isinstance(properties, Mapping):
        yield "'properties' is no mapping"
    if "object" in _kinds(node):
        if profile.empty_objects == "with properties" and properties is None:
            yield "an object without 'properties'"
        if profile.empty_objects == "refused" and place and not properties:
            yield "an object whose 'properties' are empty"
    for name in properties or ():
        if profile.property_key and not re.fullmatch(profile.property_key, name):
            yield "a property's name is not taken"


def _of_required(profile: Profile, _root: Node, _place: Pointer, node: Node) -> Found:
    if "required" not in node:
        return
    required = node["required"]
    is_list = isinstance(required, list) and len(set(required)) == len(required)
    if not is_list or (not required and not profile.strict):
        yield "'required' is no list of different names"


def _of_booleans(profile: Profile, _root: Node, _place: Pointer, node: Node) -> Found:
    for below, child in _children(node):
        if isinstance(child, bool) and not profile.boolean_schemas and len(below) > 1:
            yield "a schema that is true or false"


def _of_strict(profile: Profile, root: Node, _place: Pointer, node: Node) -> Found:
    if not profile.strict or not _claims_strict(root):
        return
    if "object" in _kinds(node):
        if node.get("additionalProperties") is not False:
            yield "an object that is not closed"
        if set(node.get("required", ())) != set(node.get("properties", ())):
            yield "'required' does not name every property"
    known = {"type", "title", "description", "enum", "const", "anyOf", "items"}
    known |= {"properties", "required", "additionalProperties", "$ref", "$defs"}
    for word in node.keys() - known - {"definitions"}:
        yield f"the keyword {word!r} in the strict form"


def _claims_strict(root: Node) -> bool:
    named = set(root.get("properties", ())) == set(root.get("required", ()))
    return named and root.get("additionalProperties") is False


def _kinds(node: Node) -> list[str]:
    kind = node.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)


_CHECKS: Final[tuple[Callable[[Profile, Node, Pointer, Node], Found], ...]] = (
    _of_words,
    _of_references,
    _of_types,
    _of_enums,
    _of_arrays,
    _of_objects,
    _of_required,
    _of_booleans,
    _of_strict,
)
