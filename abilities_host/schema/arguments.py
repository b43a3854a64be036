"""Repair of arguments that can mean one thing only; what is doubtful is left alone."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, Final

import orjson

from abilities_host.schema.fitness import find_flaw
from abilities_host.schema.keywords import REFERENCES
from abilities_host.schema.places import find_target
from abilities_host.schema.pointer import Pointer, look_up, write_pointer

DECODED_AT_MOST = 2
PLACES_KEPT = 16
TEXT_LIMIT = 1_048_576

_WAYS_LIMIT = 16
_HOPS = 16
_ALL: Final = frozenset(
    {"array", "boolean", "integer", "null", "number", "object", "string"}
)
_CONTAINERS: Final = frozenset({"array", "object"})
_NUMBERS: Final = frozenset({"integer", "number"})
_NUMBER = re.compile(
    r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,16})?(?:[eE][+-]?[0-9]{1,2})?"
)

Way = tuple[Any, ...]
"""Schemas that all describe one value; of several ways one has to fit."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """Arguments after repair, and what was done.

    Attributes:
        arguments: what came, or a copy of what changed.
        places: JSON pointers with a word each, such as ``/tags decoded``; at most 16.
        count: how many places were repaired.
    """

    arguments: Any
    places: tuple[str, ...] = ()
    count: int = 0

    @property
    def told(self) -> tuple[str, ...]:
        """The places, with a last line that counts those which are left out."""
        more = self.count - len(self.places)
        return (*self.places, f"and {more} more") if more else self.places


def repair_arguments(
    schema: Mapping[str, Any], arguments: Any, *, numbers_in_strings: bool = False
) -> Repaired:
    """Repair what clients are known to garble, before validation.

    A text where only an object or array is wanted is read as JSON, at most twice.
    None, ``{}`` and ``[]`` are one where an object is wanted that requires nothing.
    Nothing is done where the schema lets a value be what it is, above all a text.

    Args:
        schema: the author's schema, checked.
        arguments: what came, after the way back from the projection; not changed. What
            is no JSON or too large is given back for validation to refuse.
        numbers_in_strings: whether the client is known to send numbers as texts.

    Returns:
        The arguments and what was done; malformed text is left for validation.
    """
    if find_flaw(arguments):
        return Repaired(arguments)
    repair = _Repair(schema, is_numeric=numbers_in_strings)
    value = repair.repair([(schema,)], (), arguments)
    return Repaired(value, tuple(repair.places), repair.count)


class _Repair:
    """One pass over arguments beside their schema."""

    def __init__(self, root: Mapping[str, Any], *, is_numeric: bool) -> None:
        self.places: list[str] = []
        self.count = 0
        self._root = root
        self._is_numeric = is_numeric
        self._is_old = "/draft-0" in str(root.get("$schema", ""))

    def repair(self, ways: Sequence[Way], place: Pointer, value: Any) -> Any:
        known = self._unfolded(ways)
        wanted = _kinds_of_ways(known)
        if _kind(value) & wanted == frozenset():
            value = self._mend(known, wanted, place, value)
        if not isinstance(value, dict | list):
            return value
        fitting = [way for way in known if _kinds_of_way(way) & _kind(value)]
        if isinstance(value, dict):
            return self._repair_object(fitting, place, value)
        return self._repair_list(fitting, place, value)

    def _mend(
        self, ways: Sequence[Way], wanted: frozenset[str], place: Pointer, value: Any
    ) -> Any:
        if isinstance(value, str):
            decoded = _decode(value, wanted)
            if decoded is not None:
                return self._note(place, "decoded", decoded)
            number = _number(value, wanted) if self._is_numeric else None
            return value if number is None else self._note(place, "number", number)
        if value in (None, [], {}) and "object" in wanted and not _requires(ways):
            return self._note(place, "emptied", {})
        return value

    def _note(self, place: Pointer, word: str, value: Any) -> Any:
        self.count += 1
        if len(self.places) < PLACES_KEPT:
            self.places.append(f"{write_pointer(place) or '/'} {word}")
        return value

    def _repair_object(
        self, ways: Sequence[Way], place: Pointer, value: dict[str, Any]
    ) -> dict[str, Any]:
        repaired = {
            name: self.repair(_below(ways, _at_name, name), (*place, name), item)
            for name, item in value.items()
        }
        changed = any(repaired[name] is not item for name, item in value.items())
        return repaired if changed else value

    def _repair_list(
        self, ways: Sequence[Way], place: Pointer, value: list[Any]
    ) -> list[Any]:
        repaired = [
            self.repair(_below(ways, _at_index, index), (*place, index), item)
            for index, item in enumerate(value)
        ]
        changed = any(a is not b for a, b in zip(repaired, value, strict=True))
        return repaired if changed else value

    def _unfolded(self, ways: Sequence[Way]) -> list[Way]:
        """Write composition and references out; too many ways leave all open."""
        found: list[Way] = []
        for way in ways:
            for one in self._choices(way, _HOPS):
                if len(found) >= _WAYS_LIMIT:
                    return [()]
                found.append(one)
        return found

    def _choices(self, way: Way, hops: int) -> Iterator[Way]:
        # One more than is kept shows that there are too many.
        parts = [
            list(islice(self._of_node(node, hops), _WAYS_LIMIT + 1)) for node in way
        ]
        for chosen in product(*parts):
            yield tuple(node for one in chosen for node in one)

    def _of_node(self, node: Any, hops: int) -> Iterator[Way]:
        if not isinstance(node, Mapping):
            yield () if node is not False else (node,)
            return
        if not hops:
            yield ()  # a long chain is followed no further: all is open
            return
        if self._is_old and "$ref" in node:
            node = {"$ref": node["$ref"]}  # what stands beside is ignored
        joined = [*node.get("allOf", ()), *self._targets(node)]
        choices = [node[k] for k in ("anyOf", "oneOf") if node.get(k)]
        for forms in product(*choices):
            below = (*joined, *forms)
            for one in self._choices(below, hops - 1) if below else [()]:
                yield (node, *one)

    def _targets(self, node: Mapping[str, Any]) -> Iterator[Any]:
        for keyword in REFERENCES & node.keys():
            target = find_target(self._root, node[keyword])
            if target is not None:
                yield look_up(self._root, target)


def _kind(value: Any) -> frozenset[str]:
    """Name the types that a value has."""
    if value is None:
        return frozenset({"null"})
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return _NUMBERS
    if isinstance(value, float):
        return frozenset({"number"})
    if isinstance(value, str):
        return frozenset({"string"})
    return frozenset({"object" if isinstance(value, Mapping) else "array"})


def _kinds_of_ways(ways: Iterable[Way]) -> frozenset[str]:
    return frozenset(kind for way in ways for kind in _kinds_of_way(way))


def _kinds_of_way(way: Way) -> frozenset[str]:
    kinds = _ALL
    for node in way:
        kinds &= _kinds_of_node(node)
    return kinds


def _kinds_of_node(node: Any) -> frozenset[str]:
    if node is False:
        return frozenset()
    kind = node.get("type", _ALL)
    kinds = frozenset({kind} if isinstance(kind, str) else kind)
    if "number" in kinds:
        kinds |= {"integer"}
    members = [node["const"]] if "const" in node else node.get("enum")
    if members is None:
        return kinds
    named = (_kind(member) for member in members)
    return kinds & frozenset(kind for each in named for kind in each)


def _decode(text: str, wanted: frozenset[str]) -> Any:
    """Read a text as an object or array; None when it is no such text."""
    value: Any = text
    for _ in range(DECODED_AT_MOST):
        try:
            value = orjson.loads(value) if len(value) <= TEXT_LIMIT else None
        except ValueError:
            return None
        if not isinstance(value, str):
            break
    return (
        value if _kind(value) & _CONTAINERS & wanted and not find_flaw(value) else None
    )


def _number(text: str, wanted: frozenset[str]) -> float | None:
    if not wanted & _NUMBERS or not _NUMBER.fullmatch(text):
        return None
    number: float = orjson.loads(text)
    return number if _kind(number) & wanted else None


def _requires(ways: Iterable[Way]) -> bool:
    """Say whether an object is sure to miss something when it is empty."""
    return all(
        any(node is not False and node.get("required") for node in way)
        for way in ways
        if "object" in _kinds_of_way(way)
    )


def _below(ways: Iterable[Way], find: Any, token: str | int) -> list[Way]:
    return [tuple(s for node in way for s in find(node, token)) for way in ways]


def _at_name(node: Mapping[str, Any], name: str) -> Iterator[Any]:
    if name in node.get("properties", {}):
        yield node["properties"][name]
    elif "additionalProperties" in node and not node.get("patternProperties"):
        yield node["additionalProperties"]


def _at_index(node: Mapping[str, Any], index: int) -> Iterator[Any]:
    places, rest = node.get("prefixItems", ()), node.get("items")
    if isinstance(rest, list):  # the tuple of draft-07
        places, rest = rest, node.get("additionalItems")
    if index < len(places):
        yield places[index]
    elif rest is not None:
        yield rest
