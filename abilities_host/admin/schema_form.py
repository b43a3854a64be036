"""Schema form: the fields for a call, made from the input schema of an ability."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from abilities_host.admin.field_limits import is_number, limits_of
from abilities_host.admin.fields import Choice, Field, FieldKind, Group, SchemaForm
from abilities_host.admin.plain_schema import (
    PlainSchema,
    is_closed,
    plain_schema,
    required_of,
    type_of,
)
from abilities_host.admin.weight import weight_of
from abilities_host.frozen import FrozenDict, thaw
from abilities_host.jsontext import json_text
from abilities_host.masking import MASK, masked
from abilities_host.schema.fitness import find_flaw

FIELDS: Final = 60
CHOICES: Final = 100
SIZE: Final = 30_000
"""Bytes of HTML that all a form says may take; else it is one field of JSON."""

LINE: Final = 200
_LABEL: Final = 80
_OFTEN_KEPT: Final = "\n\t"
_OPTION: Final = " " * 30  # as long as what is around a choice
_PLAIN: Final[Mapping[str, FieldKind]] = FrozenDict(
    integer="integer", number="number", boolean="boolean"
)


def form_of(schema: Any, *, prefix: str = "a", as_json: bool = False) -> SchemaForm:
    """Make a form from a schema; never raises, whatever the schema is.

    Args:
        schema: of the arguments; None for an ability that takes none.
        prefix: begins the key of each field.
        as_json: have all arguments in one field.

    Returns:
        A field for each property, a group for an object, and JSON for everything else.
    """
    if schema is None:
        return SchemaForm()
    if as_json or find_flaw(schema):
        return _whole(schema, prefix)
    root = plain_schema(schema, schema)
    named = root.node.get("properties") if root else None
    if root is None or not isinstance(named, Mapping) or type_of(root.node) != "object":
        return _whole(schema, prefix)
    form = SchemaForm(
        items=tuple(_items(schema, root.node, prefix)), rest=_rest(root.node, prefix)
    )
    return _whole(schema, prefix) if _is_too_large(form) else form


def _whole(schema: Any, prefix: str) -> SchemaForm:
    default = schema.get("default", {}) if isinstance(schema, Mapping) else {}
    text = "{}" if find_flaw(default) else json_text(thaw(default))
    if weight_of(text) > SIZE:
        text = "{}"
    whole = Field(key=f"{prefix}-all", name="", kind="json", default=text)
    return SchemaForm(whole=whole)


def _rest(node: Mapping[str, Any], prefix: str) -> Field | None:
    if is_closed(node):
        return None
    return Field(key=f"{prefix}-rest", name="", kind="json")


def _items(root: Any, node: Mapping[str, Any], prefix: str) -> Iterator[Field | Group]:
    required = required_of(node)
    for place, (name, schema) in enumerate(node["properties"].items()):
        key, is_required = f"{prefix}{place}", name in required
        known = plain_schema(root, schema)
        if known and _is_group(known) and not (is_required and known.is_nullable):
            yield _group(root, known.node, key, name, is_required=is_required)
        else:
            yield _field(known, schema, key, name, is_required=is_required)


def _is_group(known: PlainSchema) -> bool:
    named = known.node.get("properties")
    is_object = isinstance(named, Mapping) and type_of(known.node) == "object"
    return is_object and bool(named) and is_closed(known.node)


def _group(
    root: Any, node: Mapping[str, Any], key: str, name: str, *, is_required: bool
) -> Group:
    required = required_of(node)
    fields = [
        _field(
            plain_schema(root, schema),
            schema,
            f"{key}-{place}",
            inner,
            is_required=inner in required,
            is_filled=is_required,
        )
        for place, (inner, schema) in enumerate(node["properties"].items())
    ]
    return Group(
        name=name,
        description=_text(node.get("description")),
        is_required=is_required,
        fields=tuple(fields),
    )


def _field(
    known: PlainSchema | None,
    schema: Any,
    key: str,
    name: str,
    *,
    is_required: bool,
    is_filled: bool = True,
) -> Field:
    node: Mapping[str, Any] = known.node if known else _mapping(schema)
    choices = _choices(node)
    kind = _kind(node, name, choices)
    if known is None or (is_required and known.is_nullable and kind != "choice"):
        kind, choices = "json", ()
    default = _default(node, kind, choices)
    # An object of which nothing was filled in is left out, its defaults too.
    is_shown = is_filled and kind != "secret"
    return Field(
        key=key,
        name=name,
        kind=kind,
        description=_text(node.get("description")),
        is_required=is_required,
        default=default if is_shown else "",
        otherwise=_in_words(default, choices) if not is_shown else "",
        choices=choices,
        limits=limits_of(node, kind),
    )


def _kind(node: Mapping[str, Any], name: str, choices: tuple[Choice, ...]) -> FieldKind:
    if "enum" in node or "const" in node:
        return "choice" if choices else "json"
    type_ = type_of(node)
    if type_ == "string":
        return _kind_of_text(node, name)
    return _PLAIN.get(type_ or "", "json")


def _kind_of_text(node: Mapping[str, Any], name: str) -> FieldKind:
    if masked("x", name, node) == MASK:
        return "secret"
    default, longest = node.get("default"), node.get("maxLength")
    if isinstance(default, str) and not _is_kept(default):
        return "json"  # a browser would send it back as something else
    is_short = is_number(longest) and longest <= LINE
    is_marked = isinstance(node.get("pattern") or node.get("format"), str)
    if not (is_short or is_marked) or (isinstance(default, str) and "\n" in default):
        return "text"
    return "line"


def _is_kept(text: str) -> bool:
    return all(c.isprintable() or c in _OFTEN_KEPT for c in text)


def _choices(node: Mapping[str, Any]) -> tuple[Choice, ...]:
    """Give the values of an enum; none when there are none, or too many."""
    members = [node["const"]] if "const" in node else node.get("enum")
    if not isinstance(members, list | tuple) or len(members) > CHOICES:
        return ()
    texts = [each if isinstance(each, str) else _compact(each) for each in members]
    if len(set(texts)) < len(texts) or not all(texts):
        texts = [_compact(each) for each in members]  # 1 and "1" look alike
    return tuple(Choice(t[:_LABEL], m) for t, m in zip(texts, members, strict=True))


def _default(
    node: Mapping[str, Any], kind: FieldKind, choices: Sequence[Choice]
) -> str:
    """Write the default as the field would send it; empty when it cannot."""
    if "default" not in node:
        return ""
    value = node["default"]
    if kind == "choice":
        same = (i for i, each in enumerate(choices) if _is_same(each.value, value))
        return str(next(same, ""))
    if kind == "json":
        return json_text(thaw(value))
    if kind in ("line", "text"):
        return value if isinstance(value, str) else ""
    if kind == "boolean":
        return _compact(value) if isinstance(value, bool) else ""
    return _compact(value) if is_number(value) else ""


def _in_words(default: str, choices: Sequence[Choice]) -> str:
    return choices[int(default)].label if choices and default else default


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_same(one: Any, other: Any) -> bool:
    """As JSON has it: to Python 1 is True."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _is_too_large(form: SchemaForm) -> bool:
    fields = list(form.fields)
    groups = [each for each in form.items if isinstance(each, Group)]
    said = [part for each in fields for part in (each.name, each.description)]
    said += [part for each in groups for part in (each.name, each.description)]
    said += [part for each in fields for part in (each.default, each.otherwise)]
    said += [f"{_OPTION}{c.label}" for each in fields for c in each.choices]
    said += [value for each in fields for value in each.limits.values()]
    return len(fields) > FIELDS or sum(map(weight_of, said)) > SIZE
