"""Schemas for property tests: with values they accept, and wild ones without."""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import jsonschema_rs
from hypothesis import strategies as st

from abilities_host.schema.nullable import admits_null

JsonSchema = dict[str, Any]
Values = st.SearchStrategy[Any]

DRAFT_07 = "http://json-schema.org/draft-07/schema#"

NAME = st.sampled_from(["", "a", "b", "é", "a b", "a/b~c"])
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
WHOLE = st.integers(-(2**53), 2**53)
SCALAR = st.sampled_from(["", "a", 1, 2, None, True])


class Pair(NamedTuple):
    """A schema and a strategy of values that it accepts."""

    schema: JsonSchema
    values: Values


def accepts(schema: Mapping[str, Any], value: Any) -> bool:
    """What jsonschema-rs says, with nothing of ours in between."""
    return jsonschema_rs.is_valid(
        dict(schema), value, offline=True, validate_formats=False
    )


def has_empty_text(value: Any) -> bool:
    if isinstance(value, dict):
        return any(has_empty_text(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return any(map(has_empty_text, value))
    return bool(value == "")


LEAVES = {
    "any": Pair({}, SCALAR),
    "string": Pair({"type": "string", "maxLength": 4, "description": "é"}, TEXT),
    "integer": Pair({"type": "integer", "minimum": -(2**53), "title": ""}, WHOLE),
    "maybe null": Pair({"type": ["string", "null"]}, TEXT | st.none()),
    "boolean": Pair({"type": "boolean", "examples": [""]}, st.booleans()),
    "const": Pair({"const": "a", "x-secret": True}, st.just("a")),
    "empty const": Pair({"const": ""}, st.just("")),
}
NODES = [
    "array",
    "tuple",
    "map",
    "pattern map",
    "object",
    "anyOf",
    "allOf",
    "oneOf",
    "if",
    "not",
    "contains",
    "dependent",
]


@st.composite
def pairs(
    draw: st.DrawFn, depth: int = 2, definitions: Mapping[str, Pair] | None = None
) -> Pair:
    """Give a schema with the values it accepts, valid by construction."""
    references = sorted(definitions or {})
    kind = draw(
        st.sampled_from([*LEAVES, "enum", *references, *(NODES if depth else [])])
    )
    if kind in LEAVES:
        return LEAVES[kind]
    if kind == "enum":
        return _enum(draw)
    if definitions and kind in definitions:
        reference = {"$ref": f"#/$defs/{kind}"}
        return Pair(reference, definitions[kind].values)
    return _node(draw, kind, pairs(depth - 1, definitions))


def _enum(draw: st.DrawFn) -> Pair:
    some = draw(st.lists(SCALAR, min_size=1, max_size=3, unique_by=repr))
    default = {"default": some[0]} if draw(st.booleans()) else {}
    return Pair({"enum": some, **default}, st.sampled_from(some))


def _node(draw: st.DrawFn, kind: str, inner: st.SearchStrategy[Pair]) -> Pair:
    if kind == "object":
        return _object(draw, inner)
    if kind in ("array", "map", "pattern map", "contains", "dependent"):
        return _wrapped(kind, draw(inner))
    if kind in ("if", "not"):
        return _guarded(kind, draw(inner), draw(wild(1)))
    return _joined(draw, kind, draw(inner), draw(inner))


def _object(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    fields = draw(st.dictionaries(NAME, inner, max_size=3))
    need = [name for name in fields if draw(st.booleans())]
    word = draw(st.sampled_from([{}, {}, {"additionalProperties": True}, CLOSED]))
    schema = {
        "type": "object",
        "properties": {name: pair.schema for name, pair in fields.items()},
        "required": need,
        **word,
    }
    values = st.fixed_dictionaries(
        {name: fields[name].values for name in need},
        optional={n: pair.values for n, pair in fields.items() if n not in need},
    )
    return Pair(schema, values)


CLOSED = {"additionalProperties": False}


def _wrapped(kind: str, part: Pair) -> Pair:
    schema, values = part
    named = st.dictionaries(NAME, values, max_size=2)
    some = st.dictionaries(st.sampled_from(["a", "a b"]), values, max_size=2)
    depends = {"dependentSchemas": {"a": {"properties": {"a": schema}}}}
    return {
        "array": Pair({"type": "array", "items": schema}, st.lists(values, max_size=2)),
        "map": Pair({"type": "object", "additionalProperties": schema}, named),
        "pattern map": Pair({"patternProperties": {"^a": schema}}, some),
        "contains": Pair(
            {"contains": schema, "maxContains": 2},
            st.lists(values, min_size=1, max_size=2),
        ),
        "dependent": Pair(depends, st.fixed_dictionaries({"a": values})),
    }[kind]


def _joined(draw: st.DrawFn, kind: str, one: Pair, two: Pair) -> Pair:
    schemas = [one.schema, two.schema]
    if kind == "tuple":
        both = st.tuples(one.values, two.values).map(list)
        return Pair({"type": "array", "prefixItems": schemas, "items": False}, both)
    if kind == "anyOf":
        return Pair({"anyOf": schemas}, one.values | two.values)
    if kind == "allOf":
        return Pair({"allOf": [one.schema, {"title": "t"}]}, one.values)
    tagged = [
        {"type": "object", "properties": {"k": {"const": n}, "v": s}, "required": ["k"]}
        for n, s in enumerate(schemas)
    ]
    choice = [
        st.fixed_dictionaries({"k": st.just(n)}, optional={"v": values})
        for n, values in enumerate((one.values, two.values))
    ]
    return Pair({"oneOf": tagged}, draw(st.sampled_from(choice)))


def _guarded(kind: str, part: Pair, other: JsonSchema) -> Pair:
    if kind == "if":
        guarded = {"if": other, "then": part.schema, "else": part.schema}
        return Pair(guarded, part.values)
    return Pair({"anyOf": [{"not": other}, part.schema]}, part.values)


@st.composite
def documents(draw: st.DrawFn) -> Pair:
    """Give an object schema with definitions, in 2020-12 or draft-07."""
    definitions = {name: draw(pairs(1)) for name in ("x", "y~z")}
    written = {"x": definitions["x"], "y~0z": definitions["y~z"]}
    fields = draw(st.dictionaries(NAME, pairs(2, written), max_size=3))
    need = [name for name in fields if draw(st.booleans())]
    schema = {
        "type": "object",
        "properties": {name: pair.schema for name, pair in fields.items()},
        "required": need,
        "$defs": {name: pair.schema for name, pair in definitions.items()},
    }
    values = st.fixed_dictionaries(
        {name: fields[name].values for name in need},
        optional={n: pair.values for n, pair in fields.items() if n not in need},
    )
    if draw(st.booleans()):
        return Pair({"$schema": DRAFT_07, **as_draft_07(schema)}, values)
    return Pair(schema, values)


def as_draft_07(node: Any) -> Any:
    """Say in the words of draft-07 what `pairs` says in those of 2020-12."""
    if isinstance(node, list):
        return [as_draft_07(item) for item in node]
    if not isinstance(node, dict):
        return node
    older = {"$defs": "definitions", "dependentSchemas": "dependencies"}
    said = {older.get(key, key): as_draft_07(value) for key, value in node.items()}
    if "prefixItems" in said:
        said["additionalItems"] = said.pop("items", True)
        said["items"] = said.pop("prefixItems")
    if "$ref" in said:
        said["$ref"] = said["$ref"].replace("$defs", "definitions")
    said.pop("maxContains", None)
    return said


VALUES: Values = st.recursive(
    st.sampled_from(["", "a", 1, None]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    ),
    max_leaves=5,
)


@cache
def wild(depth: int = 2, *, refers: bool = False) -> st.SearchStrategy[JsonSchema]:
    """Give any schema of a small vocabulary, in which every keyword meets every other.

    Half of the values are refused by it, so it says more of an edit than of a value.
    """
    parts = _wild_parts(depth, refers=refers)
    keywords = st.lists(st.sampled_from(sorted(parts)), max_size=3, unique=True)
    return keywords.flatmap(
        lambda chosen: st.fixed_dictionaries({name: parts[name] for name in chosen})
    )


def _wild_parts(depth: int, *, refers: bool) -> dict[str, Values]:
    names = st.lists(st.sampled_from(["a", "b", "c"]), max_size=2, unique=True)
    kinds = st.sampled_from(["object", "array", "string", ["array", "null"]])
    parts: dict[str, Values] = {
        "type": kinds,
        "enum": st.lists(st.sampled_from(["", "a", 1]), max_size=2, unique=True),
        "default": st.just(""),
        "required": names,
        **dict.fromkeys(["unevaluatedItems", "unevaluatedProperties"], st.just(False)),  # noqa: FBT003 - a schema
    }
    if refers:
        parts["$ref"] = st.sampled_from(["#/$defs/x", "#/$defs/y"])
    if not depth:
        return parts
    inner = wild(depth - 1, refers=refers)
    some = st.lists(inner, min_size=1, max_size=2)
    return parts | {
        "properties": st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
        **dict.fromkeys(["items", "additionalProperties", "contains", "not"], inner),
        **dict.fromkeys(["if", "then", "else", "propertyNames"], inner),
        **dict.fromkeys(["minContains", "maxContains"], st.integers(0, 1)),
        **dict.fromkeys(["anyOf", "oneOf", "allOf", "prefixItems"], some),
        "dependentSchemas": st.fixed_dictionaries({"a": inner}),
    }


EDITED: st.SearchStrategy[JsonSchema] = st.sampled_from(
    [{"required": ["a"]}, {"enum": [""]}, {"enum": []}]
)
"""Schemas that an edit makes accept more."""


@st.composite
def wild_documents(draw: st.DrawFn) -> JsonSchema:
    """Give an object schema around a wild one, with definitions it may refer to."""
    return {
        "type": "object",
        "properties": {"v": draw(wild(refers=True) | turned(EDITED | wild(1)))},
        "$defs": {"x": draw(wild(1)), "y": {"not": {"$ref": "#/$defs/x"}}},
    }


def turned(parts: st.SearchStrategy[JsonSchema]) -> st.SearchStrategy[JsonSchema]:
    """Put schemas where one that accepts more can make the whole refuse more."""
    two = st.lists(parts, min_size=2, max_size=2)
    return st.one_of(
        st.fixed_dictionaries({"not": parts}),
        st.fixed_dictionaries({"if": parts, "then": parts, "else": st.just({})}),
        st.fixed_dictionaries({"if": parts, "then": st.just(False)}),  # noqa: FBT003 - a schema
        st.fixed_dictionaries({"oneOf": two}),
        st.fixed_dictionaries({"contains": parts, "maxContains": st.integers(0, 1)}),
    )


def args(*required: str, **properties: Any) -> JsonSchema:
    return {"type": "object", "properties": properties, "required": list(required)}


@st.composite
def strict_pairs(
    draw: st.DrawFn, depth: int = 2, definition: Pair | None = None
) -> Pair:
    """Give a schema that has a strict form, with the values it accepts."""
    scalars = ["string", "integer", "boolean", "const", "empty const"]
    reference = ["reference"] if definition else []
    nodes = ["array", "object", "or null", "choice"] if depth else []
    kind = draw(st.sampled_from(scalars + reference + nodes))
    if kind in scalars:
        return LEAVES[kind]
    if definition and kind == "reference":
        return Pair({"$ref": "#/$defs/x"}, definition.values)
    if kind == "object":
        return draw(strict_objects(depth - 1, definition))
    schema, values = draw(strict_pairs(depth - 1, definition))
    if kind == "array":
        return Pair({"type": "array", "items": schema}, st.lists(values, max_size=2))
    if kind == "or null":
        return Pair({"anyOf": [{"type": "null"}, schema]}, values | st.none())
    other = draw(strict_objects(depth - 1, definition))
    return Pair({"oneOf": [schema, other.schema]}, values | other.values)


@st.composite
def strict_objects(draw: st.DrawFn, depth: int, definition: Pair | None) -> Pair:
    names = st.sampled_from(["", "a", "b", "é/~%"])
    inner = strict_pairs(depth, definition)
    fields = draw(st.dictionaries(names, inner, max_size=3))
    defined = {"$defs": {"x": definition.schema}} if definition else {}
    need = {
        name
        for name, pair in fields.items()
        if admits_null(defined, pair.schema) or draw(st.booleans())
    }
    schemas = {name: pair.schema for name, pair in fields.items()}
    values = st.fixed_dictionaries(
        {name: pair.values for name, pair in fields.items() if name in need},
        optional={n: pair.values for n, pair in fields.items() if n not in need},
    )
    return Pair({**args(*sorted(need), **schemas), **CLOSED}, values)


@st.composite
def strict_documents(draw: st.DrawFn) -> Pair:
    definition = draw(strict_pairs(1))
    schema, values = draw(strict_objects(2, definition))
    return Pair({**schema, "$defs": {"x": definition.schema}}, values)
