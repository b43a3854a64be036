"""The strict form of a schema: every property required, every object closed.

Models that are held to a schema word by word take only this form. An optional property
becomes one that may be null, and `unstrict` takes those nulls out again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abilities_host.schema.nullable import admits_null
from abilities_host.schema.places import find_target
from abilities_host.schema.pointer import Pointer, look_up, write_pointer
from abilities_host.schema.reading import as_read
from abilities_host.schema.repair import repair

_KEPT = ("title", "description", "type")
_KEPT_OF_SCALARS = (*_KEPT, "enum", "const")
"""Keywords every strict dialect takes; the host checks the others itself."""

_FORMS = ("anyOf", "oneOf")
_DEFINITIONS = ("$defs", "definitions")
_REASONS_KEPT = 16

_FREE_FORM = "an object whose properties are not named"
_OPEN = "an object that is open to other properties"
_BY_PATTERN = "an object whose properties are named by a pattern"
_ANYTHING = "a value of any kind"
_TUPLE = "a list whose places differ"
_JOINED = "several schemas for one value (allOf)"
_NULL_OR_NOTHING = "an optional property that may be null as well"
_CHOICE_AT_ROOT = "a choice of forms at the root"
_NO_OBJECT_AT_ROOT = "a root that is not always an object"
_FAR_REFERENCE = "a reference to a place outside '#' and '#/$defs/…'"


@dataclass(frozen=True, slots=True)
class Strict:
    """What became of a schema.

    Attributes:
        schema: the strict form, None when there is none.
        reasons: why there is none, each with its JSON pointer; at most 16.
    """

    schema: dict[str, Any] | None
    reasons: tuple[str, ...] = ()

    @property
    def is_possible(self) -> bool:
        """Whether there is a strict form."""
        return self.schema is not None


def strictify(schema: Mapping[str, Any]) -> Strict:
    """Make the strict form of a schema.

    It accepts the image of every value that the host accepts (the value with null for
    each property that is left out), and more: keywords that strict dialects do not
    take are left to the host. An empty schema is an ability without arguments.

    Args:
        schema: the author's schema, checked; not changed.

    Returns:
        The strict form, or the reasons why there is none. There is none for whatever
        cannot be closed without refusing something: a free-form or open object, a
        value of any kind, an optional property that may be null, composition at the
        root, and `allOf` or tuples anywhere.
    """
    if not schema:
        return Strict({"type": "object", **_closed({})})
    making = _Making(as_read(repair(schema)))
    made = making.make_root()
    if making.reasons:
        return Strict(None, tuple(dict.fromkeys(making.reasons))[:_REASONS_KEPT])
    return Strict(made)


class _Making:
    """The strict form of one schema while it is made."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.reasons: list[str] = []
        self._root = root
        self._definitions: dict[Pointer, dict[str, Any]] = {}
        self._is_typed = False

    def make_root(self) -> dict[str, Any]:
        place = self._root_place()
        node = look_up(self._root, place)
        if not isinstance(node, Mapping) or node.get("type", "object") != "object":
            return self._refuse(place, _NO_OBJECT_AT_ROOT)
        if node.keys() & set(_FORMS):
            return self._refuse(place, _CHOICE_AT_ROOT)
        self._is_typed = "type" in node
        made = {**self._make_plain(place, {"type": "object", **node}), "type": "object"}
        for (keyword, name), form in self._definitions.items():
            made.setdefault(str(keyword), {})[name] = form
        return made

    def _root_place(self) -> Pointer:
        """Give the place of the object that a root made of a reference means."""
        place: Pointer = ()
        for _ in range(len(self._root.get("$defs", ())) + 1):
            node = look_up(self._root, place)
            reference = node.get("$ref") if isinstance(node, Mapping) else None
            place = find_target(self._root, reference) or place
        return place

    def _make(self, place: Pointer) -> dict[str, Any]:
        node = look_up(self._root, place)
        if not isinstance(node, Mapping):
            return self._refuse(place, _ANYTHING)
        if "$ref" in node:
            return self._make_reference(place, node["$ref"])
        if "allOf" in node or "$dynamicRef" in node or "$recursiveRef" in node:
            return self._refuse(place, _JOINED)
        form = next((keyword for keyword in _FORMS if keyword in node), None)
        if form and (_is_container(node) or not _kinds(node)):
            return self._make_forms(place, node, form)
        return self._make_plain(place, node)

    def _make_reference(self, place: Pointer, reference: str) -> dict[str, Any]:
        if reference == "#" and self._is_typed:
            return {"$ref": reference}
        target = find_target(self._root, reference)
        if not (target and _is_definition(target) and reference.startswith("#/")):
            return self._refuse(place, _FAR_REFERENCE)
        if target not in self._definitions:
            self._definitions[target] = {}  # it may refer to itself
            self._definitions[target] = self._make(target)
        return {"$ref": reference}

    def _make_forms(
        self, place: Pointer, node: Mapping[str, Any], keyword: str
    ) -> dict[str, Any]:
        count = len(node[keyword])
        forms = [self._make((*place, keyword, index)) for index in range(count)]
        return {**_kept(node, ("title", "description")), "anyOf": forms}

    def _make_plain(self, place: Pointer, node: Mapping[str, Any]) -> dict[str, Any]:
        kinds = _kinds(node)
        if not kinds and "enum" not in node and "const" not in node:
            return self._refuse(place, _ANYTHING)
        # The image of a container is not the value that an enum would name.
        made = _kept(node, _KEPT if _is_container(node) else _KEPT_OF_SCALARS)
        if "object" in kinds:
            made |= self._make_object(place, node)
        if "array" in kinds:
            made |= self._make_array(place, node)
        return made

    def _make_array(self, place: Pointer, node: Mapping[str, Any]) -> dict[str, Any]:
        if "prefixItems" in node or isinstance(node.get("items"), list):
            return self._refuse(place, _TUPLE)
        if "items" not in node:
            return self._refuse(place, _ANYTHING)
        return {"items": self._make((*place, "items"))}

    def _make_object(self, place: Pointer, node: Mapping[str, Any]) -> dict[str, Any]:
        reason = _why_open(node)
        if reason:
            return self._refuse(place, reason)
        properties = node.get("properties", {})
        return _closed({name: self._make_property(place, name) for name in properties})

    def _make_property(self, owner: Pointer, name: str) -> dict[str, Any]:
        place = (*owner, "properties", name)
        made = self._make(place)
        if name in look_up(self._root, owner).get("required", ()):
            return made
        if admits_null(self._root, look_up(self._root, place)):
            return self._refuse(place, _NULL_OR_NOTHING)
        return _or_null(made)

    def _refuse(self, place: Pointer, reason: str) -> dict[str, Any]:
        self.reasons.append(f"{write_pointer(place) or '/'}: {reason}")
        return {}


def _kinds(node: Mapping[str, Any]) -> list[str]:
    kind = node.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)


def _is_container(node: Mapping[str, Any]) -> bool:
    return bool({"array", "object"} & set(_kinds(node)))


def _is_definition(place: Pointer) -> bool:
    return place[0] in _DEFINITIONS and place[1:] == (place[-1],)


def _why_open(node: Mapping[str, Any]) -> str:
    if node.get("patternProperties"):
        return _BY_PATTERN
    if node.get("additionalProperties") is False:
        return ""
    return _OPEN if "properties" in node else _FREE_FORM


def _kept(node: Mapping[str, Any], keywords: tuple[str, ...]) -> dict[str, Any]:
    return {keyword: node[keyword] for keyword in keywords if keyword in node}


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _or_null(made: dict[str, Any]) -> dict[str, Any]:
    """Let a strict form be null as well."""
    if "anyOf" in made:
        return {**made, "anyOf": [*made["anyOf"], {"type": "null"}]}
    if "$ref" in made or "const" in made:
        return {"anyOf": [made, {"type": "null"}]}
    wider = dict(made)
    if "type" in made:
        wider["type"] = list(dict.fromkeys([*_kinds(made), "null"]))
    if None not in made.get("enum", (None,)):
        wider["enum"] = [*made["enum"], None]
    return wider
