from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import validator_for
from schema.strategies import DRAFT_07, JsonSchema, Pair, documents, pairs

from abilities_host.schema.explain import explain
from abilities_host.schema.validate import Validator

HIDDEN = "zq7-never-shown"
POINT: JsonSchema = {"type": "object", "required": ["x"]}

WORDS: dict[str, tuple[JsonSchema, Any, list[str]]] = {
    "type": ({"type": "string"}, 1, ["/: must be a string, but integer came."]),
    "types": (
        {"type": ["array", "null"]},
        True,
        ["/: must be an array or null, but boolean came."],
    ),
    "a number is no integer": (
        {"type": "integer"},
        1.5,
        ["/: must be an integer, but number came."],
    ),
    "enum": (
        {"enum": ["publish", "draft", "", 1, {"a": 1}]},
        "publsh",
        [
            (
                "/: must be one of 'publish', 'draft', 1, {\"a\":1}, but string came. "
                "Did you mean 'publish'?"
            )
        ],
    ),
    "a long enum": (
        {"enum": list(range(20))},
        HIDDEN,
        ["/: must be one of 0, 1, 2, 3, 4, 5, 6, 7 and 12 more, but string came."],
    ),
    "const": ({"const": [1]}, HIDDEN, ["/: must be [1], but string came."]),
    "numbers": (
        {"minimum": 3, "exclusiveMinimum": 3, "multipleOf": 0.5},
        0.2,
        [
            "/: must be at least 3.",
            "/: must be more than 3.",
            "/: must be a multiple of 0.5.",
        ],
    ),
    "large numbers": (
        {"maximum": 3, "exclusiveMaximum": 2.5},
        9,
        ["/: must be at most 3.", "/: must be less than 2.5."],
    ),
    "short text": (
        {"minLength": 9, "pattern": "^a"},
        "b",
        [
            "/: must be at least 9 characters long.",
            "/: must be text that matches '^a'.",
        ],
    ),
    "long text": (
        {"maxLength": 3},
        HIDDEN,
        ["/: must be at most 3 characters long."],
    ),
    "arrays": (
        {"minItems": 4, "uniqueItems": True},
        [1, 1],
        [
            "/: must be an array of at least 4 items.",
            "/: must be an array without repeated items.",
        ],
    ),
    "many items": (
        {"maxItems": 1},
        [1, 2],
        ["/: must be an array of at most 1 items."],
    ),
    "contains": (
        {"contains": {"const": 1}},
        [HIDDEN],
        ["/: must be an array with an item of the kind asked for."],
    ),
    "minContains": (
        {"contains": {"const": 1}, "minContains": 2},
        [1],
        ["/: must be an array with more items of the kind asked for."],
    ),
    "maxContains": (
        {"contains": {"const": 1}, "maxContains": 1},
        [1, 1],
        ["/: must be an array with fewer items of the kind asked for."],
    ),
    "a tuple": (
        {"prefixItems": [{"type": "string"}], "items": False},
        [1, HIDDEN],
        ["/0: must be a string, but integer came.", "/1: must be left out."],
    ),
    "a tuple of draft-07": (
        {"$schema": DRAFT_07, "items": [{}], "additionalItems": False},
        [1, HIDDEN],
        ["/: must be an array of at most 1 items."],
    ),
    "unevaluatedItems": (
        {"prefixItems": [{}], "unevaluatedItems": False},
        [1, HIDDEN],
        ["/: must be what 'unevaluatedItems' asks for."],
    ),
    "an object": (
        {"minProperties": 2},
        {"a": HIDDEN},
        ["/: must be an object of at least 2 properties."],
    ),
    "a large object": (
        {"maxProperties": 0},
        {"a": HIDDEN},
        ["/: must be an object of at most 0 properties."],
    ),
    "required": (
        {"required": ["a"], "properties": {"a": {}, "b": POINT}},
        {"b": {}},
        [
            "/: missing required argument 'a'.",
            "/b: missing required property 'x'.",
        ],
    ),
    "dependentRequired": (
        {"dependentRequired": {"a": ["b"]}},
        {"a": HIDDEN},
        ["/: missing required argument 'b'."],
    ),
    "an unknown name, close to one": (
        {"properties": {"title": {}}},
        {"titel": HIDDEN},
        ["/: unknown argument 'titel'. Did you mean 'title'?"],
    ),
    "an unknown name below": (
        {"properties": {"a": {"type": "object", "properties": {"title": {}}}}},
        {"a": {"other": HIDDEN}},
        ["/a: unknown property 'other'. There are: title."],
    ),
    "an unknown name where there are none": (
        {"properties": {}},
        {"other": HIDDEN},
        ["/: unknown argument 'other'. There are: none."],
    ),
    "a name where the schema has no properties": (
        {"additionalProperties": False},
        {"other": HIDDEN},
        ["/: must be an object without properties."],
    ),
    "a property named as a keyword that is ruled out": (
        {"properties": {"additionalProperties": False}},
        {"additionalProperties": HIDDEN},
        ["/additionalProperties: must be left out."],
    ),
    "a hostile name": (
        {"properties": {}},
        {"a\u202e\n" + "b" * 99: HIDDEN},
        [f"/: unknown argument 'a\\u202e\\u000a{'b' * 61}…'. There are: none."],
    ),
    "an unknown name by way of a reference": (
        {
            "properties": {"a": {"$ref": "#/$defs/p"}},
            "$defs": {"p": {"properties": {"title": {}}, "type": "object"}},
        },
        {"a": {"titel": HIDDEN}},
        ["/a: unknown property 'titel'. Did you mean 'title'?"],
    ),
    "unevaluatedProperties": (
        {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False},
        {"a": 1, "b": HIDDEN},
        ["/: unknown argument 'b'. There are: none."],
    ),
    "propertyNames": (
        {"propertyNames": {"maxLength": 2}},
        {"abc": HIDDEN},
        ["/: the name 'abc' is not allowed."],
    ),
    "a property that is ruled out": (
        {"properties": {"a": False}},
        {"a": HIDDEN},
        ["/a: must be left out."],
    ),
    "not": (
        {"not": {"type": "string"}},
        HIDDEN,
        ["/: must be something else: this is ruled out."],
    ),
    "then": (
        {"if": {"type": "integer"}, "then": {"minimum": 3}},
        1,
        ["/: must be at least 3."],
    ),
    "forms of other types": (
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        1,
        ["/: must be a string or null, but integer came."],
    ),
    "the one form that was meant": (
        {"anyOf": [{"type": "null"}, POINT]},
        {},
        ["/: missing required argument 'x'."],
    ),
    "several forms that could be meant": (
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {},
        ["/: must be one of 2 forms, and fits none of them."],
    ),
    "several forms that fit": (
        {"oneOf": [{"type": "integer"}, {"minimum": 0}]},
        1,
        ["/: must be exactly one of the forms, but it fits several."],
    ),
    "content of draft-07": (
        {"$schema": DRAFT_07, "contentEncoding": "base64"},
        "%" + HIDDEN,
        ["/: must be text encoded as 'base64'."],
    ),
    "a content type of draft-07": (
        {"$schema": DRAFT_07, "contentMediaType": "application/json"},
        "{" + HIDDEN,
        ["/: must be text of the type 'application/json'."],
    ),
    "a place with odd names": (
        {"additionalProperties": {"type": "string"}},
        {"a/b~\n": 1},
        ["/a~1b~0\\u000a: must be a string, but integer came."],
    ),
    "the same twice is said once": (
        {"allOf": [{"type": "string"}, {"type": "string"}]},
        1,
        ["/: must be a string, but integer came."],
    ),
}


@pytest.mark.parametrize(("schema", "value", "words"), WORDS.values(), ids=WORDS)
def test_a_refusal_has_words(schema: JsonSchema, value: Any, words: list[str]) -> None:
    problems = Validator(schema).problems(value)

    assert [f"{p['path'] or '/'}: {p['message']}" for p in problems] == words


def test_an_error_of_a_schema_that_is_not_at_hand_has_words() -> None:
    closed = {"properties": {}, "additionalProperties": False}
    schema = {"properties": {"a": closed}}
    errors = validator_for(schema).iter_errors({"a": {"b": HIDDEN}})

    assert [problem["message"] for problem in explain(errors, {})] == [
        "unknown property 'b'. There are: none."
    ]


def test_a_pattern_that_takes_too_long_is_told_as_any_other() -> None:
    schema = {"pattern": r"^(?=(a+)+b)\1$"}

    (problem,) = Validator(schema).problems("a" * 5000)

    assert problem["keyword"] in {"pattern", "backtrackLimitExceeded"}
    assert "aaaa" not in problem["message"]


@given(documents(), pairs(), st.data())
def test_no_problem_ever_shows_a_value(
    pair: Pair, other: Pair, data: st.DataObject
) -> None:
    names = ["a", "b", "é"]
    leaf = st.sampled_from([HIDDEN, 987654321, 98765.4321, None])
    odd = st.dictionaries(st.sampled_from(names), leaf | st.lists(leaf, max_size=2))
    value = data.draw(odd | st.lists(odd, max_size=2) | leaf)

    problems = Validator(pair.schema).problems(value)
    problems += Validator(other.schema).problems(value)

    told = str(problems)
    assert HIDDEN not in told
    assert "98765" not in told
    assert all(problem["message"] for problem in problems)
