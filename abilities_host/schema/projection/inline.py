"""The rule that puts in place of each local reference what it means."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from abilities_host.schema.keywords import REFERENCES, with_subschemas
from abilities_host.schema.places import find_target
from abilities_host.schema.pointer import Pointer, look_up, write_pointer
from abilities_host.schema.projection.combine import ANNOTATIONS, kinds_of
from abilities_host.schema.projection.relax import GIVEN_UP
from abilities_host.schema.projection.work import UnfitError, Work

TURNS = 2
SIZE_LIMIT = 32_768
DEPTH_LIMIT = 64

_COST = 16  # even a small definition takes its place
_DEFINITIONS = frozenset({"$defs", "definitions"})
_MARKS = frozenset({"$id", "$anchor", "$dynamicAnchor", "$comment"})


def inline_references(work: Work) -> Work:
    """Replace every reference; a circle is cut after two turns, where all is accepted.

    Args:
        work: its schema is not changed.

    Returns:
        The same without references and definitions.

    Raises:
        UnfitError: for a reference that leads nowhere.
    """
    inlining = _Inlining(work.schema)
    schema = inlining.inline(work.schema, 0, ())
    cut = dict.fromkeys(inlining.cut)
    notes = tuple(f"{place}: a circle of references is cut" for place in cut)
    return replace(work, schema=schema, notes=(*work.notes, *notes))


class _Inlining:
    """One pass over a schema, with the room that is left for what is put in."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.cut: list[str] = []
        self._root = root
        self._room = SIZE_LIMIT
        self._costs: dict[Pointer, tuple[int, int]] = {}
        self._is_old = "/draft-0" in str(root.get("$schema", ""))

    def inline(self, node: Any, depth: int, way: tuple[Pointer, ...]) -> Any:
        if not isinstance(node, Mapping):
            return node
        plain = {k: v for k, v in node.items() if k not in _DEFINITIONS | _MARKS}
        if "$ref" in plain:
            return self._resolve(plain, depth, way)

        def below(keyword: str, place: Pointer, child: Any) -> Any:
            if keyword in GIVEN_UP:
                return child
            return self.inline(child, depth + len(place), way)

        return with_subschemas(plain, below)

    def _resolve(
        self, node: dict[str, Any], depth: int, way: tuple[Pointer, ...]
    ) -> Any:
        reference = node.pop("$ref")
        target = find_target(self._root, reference)
        if target is None:
            raise UnfitError("a reference leads to no schema")
        # What stands beside a reference was ignored until draft-07.
        known = ANNOTATIONS if self._is_old else node.keys()
        beside = {k: v for k, v in node.items() if k in known and k not in REFERENCES}
        meant = self._meant(target, depth, way)
        if not isinstance(meant, Mapping):
            return meant if meant is False else beside
        if beside.keys() <= set(ANNOTATIONS):
            return {**meant, **beside}
        said = {k: beside.pop(k) for k in ANNOTATIONS if k in beside}
        return {**said, "allOf": [self.inline(beside, depth + 2, way), dict(meant)]}

    def _meant(self, target: Pointer, depth: int, way: tuple[Pointer, ...]) -> Any:
        meant = look_up(self._root, target)
        cost, levels = self._cost(target, meant)
        if (
            way.count(target) >= TURNS
            or cost > self._room
            or depth + levels > DEPTH_LIMIT
        ):
            return self._give_up(target, meant)
        self._room -= cost
        return self.inline(meant, depth, (*way, target))

    def _cost(self, target: Pointer, meant: Any) -> tuple[int, int]:
        if target not in self._costs:
            size = len(orjson.dumps(meant)) + _COST
            self._costs[target] = size, _levels(meant)
        return self._costs[target]

    def _give_up(self, target: Pointer, meant: Any) -> Any:
        self.cut.append(write_pointer(target) or "/")
        if not isinstance(meant, Mapping):
            return meant
        made = {k: meant[k] for k in ANNOTATIONS if k in meant}
        return {**made, "type": meant["type"]} if kinds_of(meant) else made


def _levels(value: Any) -> int:
    children = value.values() if isinstance(value, Mapping) else value
    if not isinstance(value, Mapping | list):
        return 0
    return 1 + max(map(_levels, children), default=0)
