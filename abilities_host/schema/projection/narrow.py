"""The rule for dialects that know one type for each value and texts in enums only."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from abilities_host.schema.projection.bounds import bounds_of
from abilities_host.schema.projection.coding import (
    LABELS_LIMIT,
    Coded,
    Codes,
    JsonText,
    labels_of,
)
from abilities_host.schema.projection.combine import (
    ANNOTATIONS,
    canonical,
    either,
    join_objects,
    kind_of,
    kinds_of,
)
from abilities_host.schema.projection.flatten import forms_of
from abilities_host.schema.projection.relax import merge
from abilities_host.schema.projection.work import UnfitError, Work

NODES_LIMIT = 4_000

_SHOWN = 300
_TOLD = (
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "default",
)
"""Keywords that help a model although the dialect does not know them."""

Node = Mapping[str, Any]
Forms = Sequence[dict[str, Any]]
ByKind = dict[str, list[dict[str, Any]]]


class Narrowed(NamedTuple):
    """A schema of the dialect, and where its values are sent as text."""

    schema: dict[str, Any]
    codes: Codes


def narrow_schema(work: Work) -> Work:
    """Say a schema in single types, marks for null and enums of texts.

    Args:
        work: its schema is an object of positive words, without references and `allOf`.

    Returns:
        The same in the dialect, and the step that reads what is sent as text.

    Raises:
        UnfitError: for a result that is no object.
    """
    if work.schema.get("type") != "object":
        raise UnfitError("a result that is no object has no form in the dialect")
    narrowing = _Narrowing()
    schema, codes = narrowing.narrow_root(work.schema)
    if codes.is_empty:
        return replace(work, schema=schema)
    note = "/: what the client has no words for is sent as text"
    return replace(
        work,
        schema=schema,
        steps=(*work.steps, Coded(codes)),
        notes=(*work.notes, note),
    )


class _Narrowing:
    """One pass over a schema, with the room that is left."""

    def __init__(self) -> None:
        self._room = NODES_LIMIT

    def narrow_root(self, root: Node) -> Narrowed:
        made, codes = self._narrow_object([dict(root)])
        return Narrowed({"type": "object", **_annotations(root), **made}, codes)

    def _narrow(self, schema: Any) -> Narrowed:
        self._room -= 1
        # What was joined above is made one schema only where it is looked at.
        node = merge(schema)
        if not isinstance(node, Mapping) or self._room < 0:
            return _as_text(node)
        said = _annotations(node)
        forms = [dict(form) for form in forms_of(_without(node, ANNOTATIONS))]
        by_kind = _sorted_by_kind(forms)
        if by_kind is None:
            return _as_text(node)
        made = self._narrow_kinds(node, by_kind)
        if isinstance(made.codes.code, JsonText):
            return made
        if "anyOf" not in made.schema:
            return Narrowed(
                {**made.schema, **said, **_told(made.schema, node)}, made.codes
            )
        return Narrowed({**made.schema, **said}, made.codes)

    def _narrow_kinds(self, node: Node, by_kind: ByKind) -> Narrowed:
        null = {"nullable": True} if by_kind.pop("null", None) is not None else {}
        if not by_kind:
            return Narrowed({"type": "string", "nullable": True}, Codes())
        members = _members(by_kind)
        if members is not None and not by_kind.keys() <= {"string"}:
            labels = labels_of(members)
            shown = {"type": "string", "enum": list(labels.members)}
            return Narrowed({**shown, **null}, Codes(labels))
        if _needs_text(by_kind):
            return _as_text(node, frozenset({*by_kind, *(["null"] if null else ())}))
        made: list[dict[str, Any]] = []
        codes = Codes()
        for kind, forms in by_kind.items():
            nodes, found = self._narrow_kind(kind, forms)
            made += [{**each, **null} for each in nodes]
            codes = Codes(
                below={**codes.below, **found.below}, items=codes.items or found.items
            )
        return Narrowed(made[0] if len(made) == 1 else {"anyOf": made}, codes)

    def _narrow_kind(self, kind: str, forms: Forms) -> tuple[Forms, Codes]:
        if kind == "object":
            return self._narrow_objects(forms)
        if kind == "array":
            made, codes = self._narrow(either(_items(forms)))
            return [{"type": "array", "items": made}], Codes(
                items=None if codes.is_empty else codes
            )
        if kind == "string":
            return [_text(forms)], Codes()
        bounds = {} if kind == "boolean" else bounds_of(kind, forms)
        return [{"type": kind, **bounds}], Codes()

    def _narrow_objects(self, forms: Forms) -> tuple[Forms, Codes]:
        if len(forms) > 1:
            apart = [self._narrow_object([form]) for form in forms]
            # Where nothing is sent as text, each form can be told as it is.
            if all(codes.is_empty and made["properties"] for made, codes in apart):
                return _distinct(made for made, _ in apart), Codes()
        made, codes = self._narrow_object(forms)
        return [made], codes

    def _narrow_object(self, forms: Forms) -> Narrowed:
        joined = join_objects([_only_object(form) for form in forms])
        properties: dict[str, Any] = {}
        below: dict[str, Codes] = {}
        for name, schema in joined.get("properties", {}).items():
            properties[name], codes = self._narrow(schema)
            if not codes.is_empty:
                below[name] = codes
        made: dict[str, Any] = {"type": "object", **_annotations(joined)}
        made["properties"] = properties
        required = [name for name in joined.get("required", ()) if name in properties]
        if required:
            made["required"] = required
        return Narrowed(made, Codes(below=below))


def _as_text(node: Any, kinds: frozenset[str] | None = None) -> Narrowed:
    said = _annotations(node) if isinstance(node, Mapping) else {}
    plain = _without(node, ANNOTATIONS) if isinstance(node, Mapping) else {}
    shown = orjson.dumps(plain).decode()
    kind = f"fits {shown}" if plain and len(shown) <= _SHOWN else "says any value"
    description = f"{said.get('description', '')} (JSON text that {kind})".strip()
    schema = {"type": "string", **said, "description": description}
    return Narrowed(schema, Codes(JsonText(kinds)))


def _sorted_by_kind(forms: Forms) -> ByKind | None:
    """Sort forms by the types they have; None when one may be anything."""
    found: ByKind = {}
    for form in forms:
        kinds = _kinds(form)
        if kinds is None:
            return None
        for kind in kinds:
            found.setdefault(kind, []).append(form)
    if "number" in found and "integer" in found:
        found["number"] += found.pop("integer")
    return found


def _kinds(form: Node) -> list[str] | None:
    known, null = kinds_of(form), ["null"] if form.get("nullable") is True else []
    members = _enum(form)
    if members is None:
        return [*known, *null] if known else None
    there = list(dict.fromkeys(kind_of(member) for member in members))
    if known:
        there = [kind for kind in there if _fits(kind, known)]
    return [*there, *null]


def _fits(kind: str, known: Sequence[str]) -> bool:
    return kind in known or (kind == "integer" and "number" in known)


def _enum(form: Node) -> list[Any] | None:
    members = [form["const"]] if "const" in form else form.get("enum")
    return members if isinstance(members, list) else None


def _members(by_kind: ByKind) -> list[Any] | None:
    """Give all values there may be, without null; None when they are not named."""
    forms = [form for kind in by_kind for form in by_kind[kind]]
    if by_kind.keys() == {"boolean"} or any(_enum(form) is None for form in forms):
        return None
    named = [member for form in forms for member in _enum(form) or ()]
    distinct = list({canonical(m): m for m in named if m is not None}.values())
    return distinct if len(distinct) <= LABELS_LIMIT else None


def _text(forms: Forms) -> dict[str, Any]:
    members = [_enum(form) for form in forms]
    named = [m for each in members for m in each or () if isinstance(m, str)]
    # An empty text is refused in an enum; without the enum it is still accepted.
    if any(each is None for each in members) or "" in named:
        return {"type": "string"}
    return {"type": "string", "enum": list(dict.fromkeys(named))}


def _items(forms: Forms) -> Iterable[Any]:
    found = []
    for form in forms:
        places, rest = form.get("prefixItems", []), form.get("items", {})
        found += places
        if rest is not False and form.get("maxItems", len(places) + 1) > len(places):
            found.append(rest)
    return found or [{"type": "string"}]


def _needs_text(by_kind: ByKind) -> bool:
    """Say whether an object in it names no properties."""
    return any(not form.get("properties") for form in by_kind.get("object", ()))


def _only_object(form: Node) -> dict[str, Any]:
    said = (*ANNOTATIONS, "properties", "required", "additionalProperties")
    return {k: form[k] for k in said if k in form} | {"type": "object"}


def _distinct(nodes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({canonical(node): node for node in nodes}.values())


def _annotations(node: Node) -> dict[str, Any]:
    return {k: node[k] for k in ANNOTATIONS if isinstance(node.get(k), str)}


def _without(node: Node, keywords: Iterable[str]) -> dict[str, Any]:
    return {k: v for k, v in node.items() if k not in keywords}


def _told(made: Node, node: Node) -> dict[str, Any]:
    """Say in the description what the dialect has no keyword for."""
    told = {k: node[k] for k in _TOLD if k in node}
    enum = _enum(node)
    if enum is not None and "enum" not in made:
        told["one of"] = enum
    if not told:
        return {}
    words = "; ".join(f"{k}: {_written(v)}" for k, v in told.items())
    if len(words) > _SHOWN:
        return {}
    return {"description": f"{node.get('description', '')} ({words})".strip()}


def _written(value: Any) -> str:
    return value if isinstance(value, str) and value else orjson.dumps(value).decode()
