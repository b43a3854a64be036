"""The rule that gives properties names a client takes, and the way back."""

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from abilities_host.schema.places import every_schema
from abilities_host.schema.pointer import printable
from abilities_host.schema.projection.work import UnfitError, Work

PLACES_LIMIT = 10_000

_CUT = 50
_HASH = 8
_SPARE = "_"
_VALUES = ("default", "examples", "enum", "const")


@dataclass(frozen=True, slots=True)
class Names:
    """Where in a value which names are changed.

    Attributes:
        shown: the names as a client sees them, by the author's.
        below: the same for the values of properties, by the author's names.
        others: the same for the values of all other properties.
        places: the same for the first items of a list.
        items: the same for all other items.
    """

    shown: Mapping[str, str] = field(default_factory=dict)
    below: Mapping[str, "Names | None"] = field(default_factory=dict)
    others: "Names | None" = None
    places: "tuple[Names | None, ...]" = ()
    items: "Names | None" = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is changed here or below."""
        inner = (*self.below.values(), self.others, *self.places, self.items)
        return not self.shown and not any(inner)


@dataclass(frozen=True, slots=True)
class Renamed:
    """Properties under other names.

    Attributes:
        names: at the root.
    """

    names: Names

    def image(self, value: Any) -> Any:
        """Write the names as a client sees them."""
        return _changed(self.names, value, _show)

    def apply(self, arguments: Any) -> Any:
        """Write the names as the author does."""
        return _changed(self.names, arguments, _restore)

    def describe(self) -> Mapping[str, Any]:
        """Say which names stand for which."""
        found: dict[str, str] = {}
        waiting: list[Names | None] = [self.names]
        while waiting:
            names = waiting.pop()
            if names is not None:
                found |= {shown: own for own, shown in names.shown.items()}
                waiting += [*names.below.values(), names.others]
                waiting += [*names.places, names.items]
        return {"renamed": dict(sorted(found.items()))}


def _changed(names: Names | None, value: Any, change: Any) -> Any:
    if names is None:
        return value
    if isinstance(value, Mapping):
        return change(names, value)
    if isinstance(value, list):
        count = len(names.places)
        return [
            _changed(names.places[i] if i < count else names.items, item, change)
            for i, item in enumerate(value)
        ]
    return value


def _show(names: Names, value: Mapping[str, Any]) -> dict[str, Any]:
    # Another property may bear the shown name by itself; it gets one mark more.
    reserved = frozenset(names.shown.values())
    return {
        names.shown.get(name, name + _SPARE if _is_spare(name, reserved) else name): (
            _changed(_below(names, name), item, _show)
        )
        for name, item in value.items()
    }


def _restore(names: Names, value: Mapping[str, Any]) -> dict[str, Any]:
    own = {shown: name for name, shown in names.shown.items()}
    reserved = frozenset(own)
    made: dict[str, Any] = {}
    for name, item in value.items():
        meant = own.get(name, name)
        if meant == name and _is_spare(name, reserved):
            meant = name[: -len(_SPARE)]
        elif meant != name and meant in value:
            meant = name  # both were sent: nothing of it may get lost
        made[meant] = _changed(_below(names, meant), item, _restore)
    return made


def _is_spare(name: Any, reserved: frozenset[str]) -> bool:
    while isinstance(name, str) and name:
        if name in reserved:
            return True
        if not name.endswith(_SPARE):
            return False
        name = name[: -len(_SPARE)]
    return False


def _below(names: Names, name: str) -> Names | None:
    return names.below.get(name, names.others)


def has_bad_names(schema: Mapping[str, Any], pattern: str) -> bool:
    """Say whether a schema names a property that a client refuses."""
    takes = re.compile(pattern)
    return any(not takes.fullmatch(name) for name in _mentioned(schema))


def rename_properties(work: Work) -> Work:
    """Rename the properties whose names the profile refuses.

    Args:
        work: its schema is of positive words, without references and `allOf`.

    Returns:
        The same with other names, and the step that brings them back.
    """
    shown = _new_names(_mentioned(work.schema), work.profile.property_key)
    names = _Finding(shown).find([work.schema])
    notes = (f"{printable(name)!r} is shown as {new!r}" for name, new in shown.items())
    return replace(
        work,
        schema=_rewritten(work.schema, shown),
        steps=(*work.steps, Renamed(names or Names())),
        notes=(*work.notes, *notes),
    )


def _mentioned(schema: Mapping[str, Any]) -> Iterator[str]:
    for _, node in every_schema(schema):
        yield from node.get("properties", ())
        yield from node.get("required", ())


def _new_names(mentioned: Iterable[str], pattern: str) -> dict[str, str]:
    takes = re.compile(pattern)
    names = sorted(set(mentioned))
    # Names that differ by marks at the end only are kept for those of the values.
    stems = {name.rstrip(_SPARE) for name in names if takes.fullmatch(name)}
    shown: dict[str, str] = {}
    for name in names:
        if not takes.fullmatch(name):
            shown[name] = _free_name(name, stems)
            stems.add(shown[name])
    return shown


def _free_name(name: str, stems: Container[str]) -> str:
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    base = re.sub(r"[^A-Za-z0-9_.-]+", "_", folded).strip("_")[:_CUT] or "property"
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{base}_{digest[:_HASH]}" if base in stems else base


def _rewritten(node: Any, shown: Mapping[str, str]) -> Any:
    if not isinstance(node, Mapping):
        return node
    made = {k: v for k, v in node.items() if k not in _VALUES or not _has_names(v)}
    if "properties" in made:
        made["properties"] = {
            shown.get(name, name): _told(_rewritten(child, shown), name, shown)
            for name, child in node["properties"].items()
        }
    if "required" in made:
        made["required"] = [shown.get(name, name) for name in node["required"]]
    for keyword in ("anyOf", "prefixItems"):
        if keyword in made:
            made[keyword] = [_rewritten(child, shown) for child in node[keyword]]
    for keyword in ("items", "additionalProperties"):
        if keyword in made:
            made[keyword] = _rewritten(node[keyword], shown)
    return made


def _told(child: Any, name: str, shown: Mapping[str, str]) -> Any:
    if name not in shown or not isinstance(child, Mapping):
        return child
    said = f"{child.get('description', '')} (called {printable(name)!r})".strip()
    return {**child, "description": said}


def _has_names(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_names, value))
    return isinstance(value, Mapping)


class _Finding:
    """The search for the places of a schema at which names change."""

    def __init__(self, shown: Mapping[str, str]) -> None:
        self._shown = shown
        self._room = PLACES_LIMIT

    def find(self, nodes: Sequence[Any]) -> Names | None:
        """Find the names of one place, which several forms may describe."""
        forms = list(_forms(nodes))
        if not forms:
            return None
        self._room -= 1
        if not self._room:
            raise UnfitError("its forms are too entangled for names to be changed")
        told = {name for form in forms for name in form.get("properties", ())}
        said = told | {name for form in forms for name in form.get("required", ())}
        names = Names(
            {name: self._shown[name] for name in sorted(said) if name in self._shown},
            {name: self.find(_at_name(forms, name)) for name in sorted(told)},
            self.find([form.get("additionalProperties") for form in forms]),
            *self._find_items(forms),
        )
        return None if names.is_empty else names

    def _find_items(
        self, forms: Sequence[Mapping[str, Any]]
    ) -> tuple[tuple[Names | None, ...], Names | None]:
        longest = max(len(form.get("prefixItems", ())) for form in forms)
        places = (self.find(_at_index(forms, index)) for index in range(longest))
        return tuple(places), self.find([form.get("items") for form in forms])


def _forms(nodes: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    for node in nodes:
        if isinstance(node, Mapping):
            yield node
            yield from _forms(node.get("anyOf", ()))


def _at_name(forms: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    return [
        form.get("properties", {}).get(name, form.get("additionalProperties"))
        for form in forms
    ]


def _at_index(forms: Sequence[Mapping[str, Any]], index: int) -> list[Any]:
    places = (form.get("prefixItems", ()) for form in forms)
    return [
        place[index] if index < len(place) else form.get("items")
        for place, form in zip(places, forms, strict=True)
    ]
