from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from schema.strategies import (
    CLOSED,
    JsonSchema,
    Pair,
    accepts,
    args,
    strict_documents,
)

from abilities_host.schema.strictify import Strict, strictify
from abilities_host.schema.unstrict import unstrict


def strict_args(**properties: Any) -> JsonSchema:
    return {**args(*properties, **properties), **CLOSED}


TEXT: JsonSchema = {"type": "string"}
NULL: JsonSchema = {"type": "null"}

MADE: dict[str, tuple[JsonSchema, JsonSchema]] = {
    "I-19 no arguments": ({}, strict_args()),
    "no properties": (args(), strict_args()),
    "closed without properties": ({"type": "object", **CLOSED}, strict_args()),
    "I-17 optional ones may be null": (
        args("title", title=TEXT, status={"type": "string", "enum": ["a", "b"]}),
        strict_args(
            title=TEXT,
            status={"type": ["string", "null"], "enum": ["a", "b", None]},
        ),
    ),
    "a list of types": (
        args(a={"type": ["string", "integer"]}),
        strict_args(a={"type": ["string", "integer", "null"]}),
    ),
    "an enum without a type": (
        args(a={"enum": ["x"]}, b={"type": "string", "enum": ["x", None]}),
        strict_args(
            a={"enum": ["x", None]},
            b={"type": ["string", "null"], "enum": ["x", None]},
        ),
    ),
    "a const": (
        args(a={"const": 3}),
        strict_args(a={"anyOf": [{"const": 3}, NULL]}),
    ),
    "forms": (
        args(
            a={"anyOf": [TEXT, {"type": "integer"}], "title": "A"},
            b={"oneOf": [TEXT, {"type": "integer"}]},
        ),
        strict_args(
            a={"title": "A", "anyOf": [TEXT, {"type": "integer"}, NULL]},
            b={"anyOf": [TEXT, {"type": "integer"}, NULL]},
        ),
    ),
    "forms of one type of text": (
        args("a", a={"type": "string", "anyOf": [{"minLength": 3}, {"enum": [""]}]}),
        strict_args(a=TEXT),
    ),
    "I-18 keywords that are not taken": (
        args(
            "u", u={"type": "string", "format": "uri", "default": "", "pattern": "^h"}
        ),
        strict_args(u=TEXT),
    ),
    "an object and a list below": (
        args(
            "a",
            "o",
            a={"type": "array", "items": args(x=TEXT), "minItems": 1},
            o={**args("y", y=TEXT), **CLOSED, "enum": [{"y": "1"}], "minProperties": 1},
        ),
        strict_args(
            a={
                "type": "array",
                "items": strict_args(x={"type": ["string", "null"]}),
            },
            o=strict_args(y=TEXT),
        ),
    ),
    "references": (
        {
            **args("n", n={"$ref": "#/$defs/n", "title": "N"}, m={"$ref": "#/$defs/n"}),
            "$defs": {"n": args(next={"$ref": "#/$defs/n"}), "unused": {}},
        },
        {
            **strict_args(
                n={"$ref": "#/$defs/n"}, m={"anyOf": [{"$ref": "#/$defs/n"}, NULL]}
            ),
            "$defs": {"n": strict_args(next={"anyOf": [{"$ref": "#/$defs/n"}, NULL]})},
        },
    ),
    "a root that refers to itself": (
        args("a", a={"type": "array", "items": {"$ref": "#"}}),
        strict_args(a={"type": "array", "items": {"$ref": "#"}}),
    ),
    "a root that is a reference": (
        {"$ref": "#/definitions/a", "definitions": {"a": args("x", x=TEXT)}},
        strict_args(x=TEXT),
    ),
    "a root without a type": ({"properties": {}}, strict_args()),
}


@pytest.mark.parametrize(("schema", "strict"), MADE.values(), ids=MADE)
def test_the_strict_form(schema: JsonSchema, strict: JsonSchema) -> None:
    before = deepcopy(schema)

    assert strictify(schema) == Strict(strict)
    assert strictify(schema).is_possible
    assert schema == before


ALLOF = {"allOf": [TEXT]}
REFUSED: dict[str, tuple[JsonSchema, list[str]]] = {
    "a free-form root": (
        {"type": "object"},
        ["/: an object whose properties are not named"],
    ),
    "I-19 a free-form map": (
        args("m", m={"type": "object"}),
        ["/properties/m: an object whose properties are not named"],
    ),
    "declared open": (
        {**args(), "additionalProperties": True},
        ["/: an object that is open to other properties"],
    ),
    "others have a schema": (
        {**args(), "additionalProperties": TEXT},
        ["/: an object that is open to other properties"],
    ),
    "names by pattern": (
        {**args(), **CLOSED, "patternProperties": {"^x": {}}},
        ["/: an object whose properties are named by a pattern"],
    ),
    "an optional property that may be null": (
        args(a={"type": ["string", "null"]}, b={"anyOf": [TEXT, NULL]}),
        [
            "/properties/a: an optional property that may be null as well",
            "/properties/b: an optional property that may be null as well",
        ],
    ),
    "anything": (
        args("a", "l", "n", a={"minimum": 3}, l={"type": "array"}, n=True),
        [
            "/properties/a: a value of any kind",
            "/properties/l: a value of any kind",
            "/properties/n: a value of any kind",
        ],
    ),
    "tuples": (
        args(
            "t",
            "u",
            t={"type": "array", "prefixItems": []},
            u={"type": "array", "items": [{}]},
        ),
        [
            "/properties/t: a list whose places differ",
            "/properties/u: a list whose places differ",
        ],
    ),
    "allOf": (
        args("a", a=ALLOF),
        ["/properties/a: several schemas for one value (allOf)"],
    ),
    "forms at the root": (
        {**args(a=TEXT), "anyOf": [{"required": ["a"]}]},
        ["/: a choice of forms at the root"],
    ),
    "a root of text": (TEXT, ["/: a root that is not always an object"]),
    "an object of a form": (
        args("a", a={"anyOf": [args(), NULL]}),
        ["/properties/a/anyOf/0: an object that is open to other properties"],
    ),
    "references to elsewhere": (
        {
            **args("a", "b", "c", a={"$ref": "#/properties/b"}, b={"$ref": "#here"}),
            "properties": {
                "a": {"$ref": "#/properties/b"},
                "b": {"$ref": "#n"},
                "c": {"$ref": "#/$defs/n/properties/x"},
            },
            "$defs": {"n": {"$anchor": "n", **args(x=TEXT)}},
        },
        [
            f"/properties/{name}: a reference to a place outside '#' and '#/$defs/…'"
            for name in "abc"
        ],
    ),
    "a root of any type that refers to itself": (
        {"properties": {"a": {"$ref": "#"}}, "required": ["a"]},
        ["/properties/a: a reference to a place outside '#' and '#/$defs/…'"],
    ),
    "one definition used twice is said once": (
        {
            **args("a", "b", a={"$ref": "#/$defs/x"}, b={"$ref": "#/$defs/x"}),
            "$defs": {"x": {}},
        },
        ["/$defs/x: a value of any kind"],
    ),
}


@pytest.mark.parametrize(("schema", "reasons"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_closed_is_said(schema: JsonSchema, reasons: list[str]) -> None:
    assert strictify(schema) == Strict(None, tuple(reasons))
    assert not strictify(schema).is_possible


def test_at_most_sixteen_reasons_are_given() -> None:
    many: dict[str, Any] = {f"p{number}": ALLOF for number in range(40)}

    assert len(strictify(args(*many, **many)).reasons) == 16


TWO_FORMS = args(
    "a",
    a={
        "anyOf": [
            {**args("q", x=TEXT, q=NULL), **CLOSED},
            {**args(x=TEXT, y=TEXT), **CLOSED},
            {"type": "array", "items": {**args(z=TEXT), **CLOSED}},
        ]
    },
)


@pytest.mark.parametrize(
    ("arguments", "back"),
    [
        ({"a": {"x": None, "q": None}}, {"a": {"q": None}}),
        ({"a": {"x": None, "y": None}}, {"a": {}}),
        ({"a": [{"z": None}, {"z": "1"}]}, {"a": [{}, {"z": "1"}]}),
        ({"a": {"x": None, "other": None}}, {"a": {"x": None, "other": None}}),
        ({"a": None, "b": None}, {"a": None, "b": None}),
        ([None], [None]),
        (None, None),
    ],
)
def test_nulls_go_back_by_the_form_that_fits(arguments: Any, back: Any) -> None:
    before = deepcopy(arguments)

    assert unstrict(arguments, TWO_FORMS) == back
    assert arguments == before


def test_arguments_that_contain_themselves_are_given_back() -> None:
    arguments: dict[str, Any] = {}
    arguments["a"] = arguments

    assert unstrict(arguments, TWO_FORMS) is arguments


def test_forms_within_forms_are_gone_through_once_each() -> None:
    nest = {"type": "array", "items": {"$ref": "#/$defs/n"}}
    schema = {**args(n={"$ref": "#/$defs/n"}), "$defs": {"n": {"anyOf": [nest, nest]}}}
    deep: list[Any] = []
    for _ in range(50):
        deep = [deep]

    assert unstrict({"n": deep}, schema) == {"n": deep}


def test_a_long_chain_of_references_is_left_alone() -> None:
    chain: JsonSchema = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(20)}
    schema = {**args(a={"$ref": "#/$defs/d0"}), "$defs": {**chain, "d20": args(b=TEXT)}}

    assert unstrict({"a": {"b": None}}, schema) == {"a": {"b": None}}


def image(root: JsonSchema, node: Any, value: Any) -> Any:
    """Write null for whatever is left out, as a strict client does."""
    if "$ref" in node:
        return image(root, root["$defs"]["x"], value)
    for form in node.get("anyOf", node.get("oneOf", ())):
        if accepts({"$defs": root["$defs"], "allOf": [form]}, value):
            return image(root, form, value)
    if isinstance(value, list):
        return [image(root, node["items"], item) for item in value]
    if isinstance(value, dict):
        return {
            name: image(root, schema, value[name]) if name in value else None
            for name, schema in node["properties"].items()
        }
    return value


@given(strict_documents(), st.data())
def test_every_value_has_a_strict_image_and_comes_back(
    pair: Pair, data: st.DataObject
) -> None:
    value = data.draw(pair.values)
    assume(accepts(pair.schema, value))  # one value may fit two forms of a oneOf
    strict = strictify(pair.schema)
    assert strict.schema is not None

    sent = image(pair.schema, pair.schema, value)

    assert accepts(strict.schema, sent)
    assert unstrict(sent, pair.schema) == value
