from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from schema.strategies import VALUES, JsonSchema, wild_documents

from abilities_host.frozen import FrozenDict, freeze
from abilities_host.schema.defaults import apply_defaults, has_defaults

POINT: JsonSchema = {"properties": {"x": {"default": 0}, "y": {}}}
D7 = {"$schema": "http://json-schema.org/draft-07/schema#"}

FILLED: dict[str, tuple[JsonSchema, Any, Any]] = {
    "null at the top": ({"default": {"a": 1}}, None, {"a": 1}),
    "null at the top, then what it lacks": ({"default": {}, **POINT}, None, {"x": 0}),
    "null without a default": (POINT, None, None),
    "a missing property": (POINT, {"y": 1}, {"y": 1, "x": 0}),
    "null is not missing": (POINT, {"x": None}, {"x": None}),
    "an object below": ({"properties": {"p": POINT}}, {"p": {}}, {"p": {"x": 0}}),
    "an object that is not there": ({"properties": {"p": POINT}}, {}, {}),
    "items": ({"items": POINT}, [{}, {"x": 1}, 5], [{"x": 0}, {"x": 1}, 5]),
    "prefixItems": (
        {"prefixItems": [{}, POINT], "items": POINT},
        [{}, {}, {}],
        [{}, {"x": 0}, {"x": 0}],
    ),
    "items as a list": (
        {**D7, "items": [POINT], "additionalItems": False},
        [{}, {}],
        [{"x": 0}, {}],
    ),
    "a reference": (
        {"$defs": {"p": POINT}, "properties": {"p": {"$ref": "#/$defs/p"}}},
        {"p": {}},
        {"p": {"x": 0}},
    ),
    "a default of what is referred to": (
        {"$defs": {"n": {"default": 3}}, "properties": {"n": {"$ref": "#/$defs/n"}}},
        {},
        {"n": 3},
    ),
    "a default beside a reference": (
        {
            "$defs": {"n": {"default": 3}},
            "properties": {"n": {"$ref": "#/$defs/n", "default": 4}},
        },
        {},
        {"n": 4},
    ),
    "nothing inside composition": (
        {"anyOf": [POINT], "allOf": [POINT], "if": POINT, "not": POINT},
        {},
        {},
    ),
    "a default beside composition": (
        {"properties": {"a": {"anyOf": [{"type": "null"}], "default": None}}},
        {},
        {"a": None},
    ),
    "nonsense": ({"properties": {"a": True}, "items": 5}, {"a": [1]}, {"a": [1]}),
    "a circle of references": ({"$ref": "#"}, {"a": 1}, {"a": 1}),
}


@pytest.mark.parametrize(("schema", "value", "filled"), FILLED.values(), ids=FILLED)
def test_defaults_are_filled_in(schema: JsonSchema, value: Any, filled: Any) -> None:
    before = deepcopy(value)

    assert apply_defaults(schema, value) == filled
    assert value == before


def test_a_value_that_lacks_nothing_is_given_back_itself() -> None:
    value = {"x": 1, "p": {"x": 2}, "q": [{"x": 3}]}
    schema = {"properties": {"x": {"default": 0}, "p": POINT, "q": {"items": POINT}}}

    assert apply_defaults(schema, value) is value


def test_each_call_gets_its_own_copy_of_a_default() -> None:
    schema = freeze({"properties": {"tags": {"default": []}}})

    apply_defaults(schema, {})["tags"].append("mine")

    assert apply_defaults(schema, {}) == {"tags": []}


def test_frozen_arguments_are_filled_as_well() -> None:
    filled = apply_defaults(POINT, FrozenDict({"y": 1}))

    assert filled == {"y": 1, "x": 0}


def test_a_value_that_contains_itself_is_given_back() -> None:
    value: dict[str, Any] = {}
    value["p"] = value

    assert apply_defaults({"properties": {"p": {"$ref": "#"}}, **POINT}, value) is value


@pytest.mark.parametrize(
    ("schema", "has"),
    [(POINT, True), ({"properties": {"default": {}}}, False), ({"default": 1}, True)],
)
def test_a_schema_says_whether_it_names_a_default(
    schema: JsonSchema, *, has: bool
) -> None:
    assert has_defaults(schema) is has


@settings(deadline=None)
@given(wild_documents(), VALUES)
def test_filling_twice_changes_nothing(schema: JsonSchema, value: Any) -> None:
    once = apply_defaults(schema, {"v": value})

    assert apply_defaults(schema, once) == once
