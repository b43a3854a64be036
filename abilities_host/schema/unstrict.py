"""The way back from the strict form: nulls that stand for "left out" are taken out."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from jsonschema_rs import Registry, Validator, validator_for

from abilities_host.schema.fitness import find_flaw
from abilities_host.schema.nullable import admits_null
from abilities_host.schema.places import find_target
from abilities_host.schema.pointer import Pointer, look_up
from abilities_host.schema.reading import as_read
from abilities_host.schema.repair import repair

_HOPS = 8
_BASE = "urn:abilities:schema"


def unstrict(arguments: Any, schema: Mapping[str, Any]) -> Any:
    """Take out the nulls that the strict form asks for.

    Args:
        arguments: what a client sent that was shown the strict form; not changed. What
            is no JSON or too large is given back as it is, for validation to refuse.
        schema: the author's schema, checked.

    Returns:
        The arguments without each null of a property that is optional and may not be
        null.
    """
    if find_flaw(arguments):
        return arguments
    return _WayBack(as_read(repair(schema))).strip((), arguments)


class _WayBack:
    """One pass over arguments beside their schema."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._registry = Registry([(_BASE, dict(root))])
        self._judges: dict[Pointer, Validator] = {}
        # Forms within forms would else be gone through twice for each level.
        self._done: dict[tuple[Pointer, int], Any] = {}

    def strip(self, place: Pointer, value: Any) -> Any:
        if not isinstance(value, dict | list):
            return value
        key = (place, id(value))
        if key not in self._done:
            self._done[key] = self._strip(place, value)
        return self._done[key]

    def _strip(self, place: Pointer, value: dict[str, Any] | list[Any]) -> Any:
        place, node = self._follow(place)
        for keyword in ("anyOf", "oneOf"):
            if keyword in node:
                return self._strip_forms((*place, keyword), node[keyword], value)
        if isinstance(value, dict):
            return self._strip_object(place, node, value)
        if isinstance(node.get("items"), Mapping):
            return [self.strip((*place, "items"), item) for item in value]
        return value

    def _strip_object(
        self, place: Pointer, node: Mapping[str, Any], value: dict[str, Any]
    ) -> dict[str, Any]:
        properties = node.get("properties", {})
        optional = properties.keys() - set(node.get("required", ()))
        return {
            name: self.strip((*place, "properties", name), item)
            if name in properties
            else item
            for name, item in value.items()
            if item is not None
            or name not in optional
            or admits_null(self._root, properties[name])
        }

    def _strip_forms(self, place: Pointer, forms: list[Any], value: Any) -> Any:
        """Strip by the first form that then accepts the value."""
        ways = [(*place, index) for index in range(len(forms))]
        stripped = [self.strip(way, value) for way in ways]
        if all(one == stripped[0] for one in stripped):
            return stripped[0]
        pairs = zip(ways, stripped, strict=True)
        return next((one for way, one in pairs if self._fits(way, one)), value)

    def _fits(self, place: Pointer, value: Any) -> bool:
        if place not in self._judges:
            reference = f"{_BASE}#{_encoded(place)}"
            self._judges[place] = validator_for(
                {"$ref": reference},
                registry=self._registry,
                validate_formats=False,
                offline=True,
            )
        return self._judges[place].is_valid(value)

    def _follow(self, place: Pointer) -> tuple[Pointer, Mapping[str, Any]]:
        for _ in range(_HOPS):
            node = look_up(self._root, place)
            target = find_target(self._root, _reference(node))
            if target is None:
                return place, node if isinstance(node, Mapping) else {}
            place = target
        return place, {}


def _reference(node: Any) -> Any:
    return node.get("$ref") if isinstance(node, Mapping) else None


def _encoded(place: Pointer) -> str:
    tokens = (str(token).replace("~", "~0").replace("/", "~1") for token in place)
    return "".join(f"/{quote(token, safe='~')}" for token in tokens)
