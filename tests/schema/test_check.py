from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from schema.strategies import DRAFT_07, Pair, documents

from abilities_host.errors import InvalidSchema
from abilities_host.frozen import freeze
from abilities_host.schema.check import SchemaLimits, check_schema

NEWEST = "https://json-schema.org/draft/2020-12/schema"


def fault_of(schema: Any, limits: SchemaLimits | None = None) -> tuple[str, str]:
    with pytest.raises(InvalidSchema) as caught:
        check_schema(
            schema, subject="a/b", argument="input_schema", pack="p", limits=limits
        )
    start = f"input_schema at {caught.value.path or '/'}: "
    assert caught.value.problem.startswith(start)
    return caught.value.path, caught.value.problem.removeprefix(start)


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"not": schema}
    return schema


PATTERN = (
    "is no pattern of ECMA-262, the dialect of JSON Schema: write '$' for '\\Z', "
    "'(?<name>…)' for '(?P<name>…)', '{0,3}' for '{,3}'."
)
NO_DRAFT = f"is no draft this host knows. Write '{NEWEST}'."
CIRCLE = "comes back to itself without going into the value."
NO_TYPE = "must be the name of a type, or a list of different ones."
TYPES = "array, boolean, integer, null, number, object, string"

FAULTS: dict[str, tuple[Any, str, str]] = {
    "no mapping": ([], "", "must be a mapping, but array came."),
    "a boolean": (True, "", "must be a mapping, but boolean came."),
    "a class": (dict, "", "must be a mapping, but type came."),
    "a set": (
        {"properties": {"a": {"enum": {1}}}},
        "/properties/a/enum",
        "is not JSON: a Python set.",
    ),
    "a key that is no text": ({1: 2}, "", "has a key of type int, not text."),
    "no number": ({"default": float("inf")}, "/default", "is not a finite number."),
    "a lone surrogate": (
        {"title": "\ud800"},
        "",
        "holds text with lone surrogates or an integer beyond 64 bits.",
    ),
    "too deep": (nested(64), "/not" * 8, "is nested more than 64 deep."),
    "too long": (
        {"description": "x" * 65_536},
        "",
        "is 65,554 bytes long; the limit is 65,536.",
    ),
    "too many": ({"enum": [0] * 70_000}, "", "holds more than 65,536 values."),
    "an unknown draft": ({"$schema": "https://example.org/x"}, "/$schema", NO_DRAFT),
    "a draft that is no text": ({"$schema": 7}, "/$schema", NO_DRAFT),
    "a Python type": (
        {"properties": {"a": {"type": "str"}}},
        "/properties/a/type",
        "'str' is no type. Did you mean 'string'?",
    ),
    "a Python type of several": (
        {"items": {"type": ["null", "Dict"]}},
        "/items/type",
        "'Dict' is no type. Did you mean 'object'?",
    ),
    "a misspelt type": (
        {"type": "integr"},
        "/type",
        "'integr' is no type. Did you mean 'integer'?",
    ),
    "a foreign type": (
        {"type": "widget"},
        "/type",
        f"'widget' is no type. There are: {TYPES}.",
    ),
    "any type": (
        {"type": "any"},
        "/type",
        "'any' is no type. Leave 'type' out to allow everything.",
    ),
    "no type of several": ({"type": []}, "/type", NO_TYPE),
    "one type twice": ({"type": ["null", "null"]}, "/type", NO_TYPE),
    "a type that is a number": ({"type": 5}, "/type", NO_TYPE),
    "a type where a schema belongs": (
        {"properties": {"type": "string"}},
        "/properties/type",
        (
            "must be a boolean or an object, but string came. "
            "Write a schema such as {'type': 'string'}."
        ),
    ),
    "properties as a list": (
        {"properties": ["a"]},
        "/properties",
        "must be an object, but array came. It maps each name to a schema.",
    ),
    "required as a word": (
        {"properties": {"a": {"required": True}}},
        "/properties/a/required",
        (
            "must be an array, but boolean came. "
            "It is a list of names, beside 'properties'."
        ),
    ),
    "items as a list in 2020-12": (
        {"items": [{}]},
        "/items",
        (
            "must be a boolean or an object, but array came. "
            "For a list of places write 'prefixItems'."
        ),
    ),
    "a type in items as a list": (
        {"$schema": DRAFT_07, "items": [{"type": "int"}]},
        "/items/0/type",
        "'int' is no type. Did you mean 'integer'?",
    ),
    "a limit below nothing": (
        {"$defs": {"x": {"minLength": -1}}},
        "/$defs/x/minLength",
        "must be at least 0.",
    ),
    "an empty choice": (
        {"anyOf": []},
        "/anyOf",
        "must be an array of at least 1 items.",
    ),
    "a Python pattern": ({"pattern": "^a\\Z"}, "/pattern", PATTERN),
    "a pattern for names": (
        {"not": {"patternProperties": {"(": {}}}},
        "/not/patternProperties/(",
        PATTERN,
    ),
    "a pattern that nothing refers to": (
        {"$defs": {"x": {"pattern": "a{,3}"}}},
        "/$defs/x/pattern",
        PATTERN,
    ),
    "a reference to elsewhere": (
        {"items": {"$ref": "https://example.org/x"}},
        "/items/$ref",
        "'https://example.org/x' leads out of the schema; only '#…' is followed.",
    ),
    "a reference to nothing": (
        {"$ref": "#/$defs/Nod", "$defs": {"Node": {}}},
        "/$ref",
        "'#/$defs/Nod' leads to no schema. Did you mean '#/$defs/Node'?",
    ),
    "a reference to an unknown anchor": (
        {"$ref": "#x"},
        "/$ref",
        "'#x' leads to no schema.",
    ),
    "a reference to what is no schema": (
        {"$ref": "#/x", "x": {}},
        "/$ref",
        "'#/x' leads to no schema.",
    ),
    "a reference to text": (
        {"$ref": "#/title", "title": "a"},
        "/$ref",
        "'#/title' leads to no schema.",
    ),
    "an identifier below the root": (
        {"properties": {"a": {"$id": "https://example.org/a"}}},
        "/properties/a/$id",
        "only the root may have an '$id'.",
    ),
    "an identifier that is none": (
        {"$id": "a b"},
        "",
        "cannot be used: Invalid URI reference 'a b': unexpected character at index 1",
    ),
    "a reference that is not encoded": (
        {"items": {"$ref": "#/$defs/a b"}, "$defs": {"a b": {}}},
        "",
        (
            "cannot be used: Invalid URI reference '#/$defs/a b': "
            "unexpected character at index 9"
        ),
    ),
    "a circle of one": ({"allOf": [{"$ref": "#"}]}, "", CIRCLE),
    "a circle of two": (
        {
            "$defs": {
                "a": {"anyOf": [{"$ref": "#/$defs/b"}]},
                "b": {"dependentSchemas": {"x": {"$ref": "#/$defs/a"}}},
            }
        },
        "/$defs/b",
        CIRCLE,
    ),
}


@pytest.mark.parametrize(("schema", "path", "problem"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_with_its_place_and_a_fix(
    schema: Any, path: str, problem: str
) -> None:
    assert fault_of(schema) == (path, problem)


def test_a_reference_that_is_no_text_is_refused_by_every_draft() -> None:
    path, problem = fault_of({"$ref": 5})
    older = fault_of({"$schema": DRAFT_07, "properties": {"a": {"$ref": 5}}})

    assert (path, problem) == ("/$ref", "must be a string, but integer came.")
    assert older == ("/properties/a/$ref", "must be a string, but integer came.")


def test_a_schema_that_contains_itself_is_too_deep() -> None:
    schema: dict[str, Any] = {}
    schema["not"] = schema

    assert fault_of(schema) == ("/not" * 8, "is nested more than 64 deep.")


def test_the_limits_are_those_of_the_host() -> None:
    assert (
        fault_of(nested(3), SchemaLimits(depth=3))[1] == "is nested more than 3 deep."
    )
    assert fault_of({"title": "abcdefgh"}, SchemaLimits(size=10)) == (
        "",
        "is 20 bytes long; the limit is 10.",
    )


def test_the_error_names_pack_ability_and_argument() -> None:
    with pytest.raises(InvalidSchema) as caught:
        check_schema({"type": 1}, subject="a/b", argument="output_schema", pack="p")

    assert str(caught.value) == f"'a/b' (pack 'p'): output_schema at /type: {NO_TYPE}"


FINE: dict[str, Any] = {
    "nothing": {},
    "63 deep": nested(63),
    "a frozen one": freeze({"type": "object", "properties": {"a": {"enum": [1]}}}),
    "a proxy": MappingProxyType({"properties": MappingProxyType({})}),
    "draft-07": {"$schema": DRAFT_07, "items": [{}], "definitions": {}},
    "draft-07 without its mark": {"$schema": DRAFT_07.rstrip("#")},
    "2019-09": {"$schema": "https://json-schema.org/draft/2019-09/schema"},
    "a tree": {"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}},
    "an anchor": {"$ref": "#x", "$defs": {"a": {"$anchor": "x"}}},
    "an anchor of draft-07": {
        "$schema": DRAFT_07,
        "properties": {"a": {"$ref": "#x"}},
        "definitions": {"a": {"$id": "#x"}},
    },
    "a dynamic anchor": {"$dynamicRef": "#x", "$defs": {"a": {"$dynamicAnchor": "x"}}},
    "a boolean it refers to": {"$ref": "#/$defs/a", "$defs": {"a": True}},
    "an encoded reference": {"$ref": "#/$defs/a%20~1", "$defs": {"a /": {}}},
    "a reference into a list": {"items": {"$ref": "#/allOf/0"}, "allOf": [{}]},
    "an identifier of the whole": {
        "$id": "https://example.org/a",
        "$ref": "#/$defs/b",
        "$defs": {"b": {}},
    },
    "properties named as keywords": {
        "properties": {"$ref": {}, "pattern": {}, "$id": {}, "type": {}}
    },
    "a hard pattern": {"pattern": "^(a+)+$", "patternProperties": {"^(?!x)": {}}},
    "unknown keywords": {"x-secret": True, "nullable": True, "writeOnly": True},
}


@pytest.mark.parametrize("schema", FINE.values(), ids=FINE)
def test_a_good_schema_passes(schema: Any) -> None:
    check_schema(schema, subject="a/b", argument="input_schema")


def test_a_schema_is_mended_before_it_is_checked_and_given_back() -> None:
    schemas = check_schema(
        MappingProxyType({"properties": {"a": []}, "required": ("a", "a")}),
        subject="a/b",
        argument="input_schema",
    )

    assert schemas == [{"properties": {"a": {}}, "required": ["a"]}]


@settings(deadline=None)
@given(documents())
def test_every_schema_that_can_be_used_passes(pair: Pair) -> None:
    check_schema(pair.schema, subject="a/b", argument="input_schema")
