from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from schema.strategies import (
    DRAFT_07,
    VALUES,
    JsonSchema,
    Pair,
    accepts,
    documents,
    has_empty_text,
    wild_documents,
)

from abilities_host.frozen import freeze
from abilities_host.schema.sanitize import sanitize

ACTIONS = {"type": "string", "enum": ["list", "open", "close", "create", ""]}
SHOWN_ACTIONS = {"type": "string", "enum": ["list", "open", "close", "create"]}


def args(**properties: Any) -> JsonSchema:
    return {"type": "object", "properties": properties}


# What one client family alone needs (I-05: `properties` in every object, I-06: none
# that is empty, and the rest of I-02 and I-03) is left to that family's projection.
ROWS = {
    "I-01 an empty member at the top": (args(do=ACTIONS), args(do=SHOWN_ACTIONS)),
    "I-01 an empty member in items, with its default": (
        args(all={"type": "array", "items": args(age={**ACTIONS, "default": ""})}),
        args(all={"type": "array", "items": args(age=SHOWN_ACTIONS)}),
    ),
    "I-01 an enum of nothing else": (
        args(a={"type": "string", "enum": [""], "default": ""}),
        args(a={"type": "string"}),
    ),
    "I-01 a default that is a member": (
        args(a={"enum": ["", "x"], "default": "x"}),
        args(a={"enum": ["x"], "default": "x"}),
    ),
    "I-02 an array without items": (
        args(make={"type": "array"}, more=args(some={"type": ["array", "null"]})),
        args(
            make={"type": "array", "items": {}},
            more=args(some={"type": ["array", "null"], "items": {}}),
        ),
    ),
    "I-03 items that say nothing stay so": (
        args(a={"type": "array", "items": {}}),
        args(a={"type": "array", "items": {}}),
    ),
    "I-04 properties as a list": (
        {"type": "object", "properties": [], "$defs": [], "patternProperties": []},
        {"type": "object", "properties": {}, "$defs": {}, "patternProperties": {}},
    ),
    "I-04 properties as a list below": (
        args(a={"allOf": [{"type": "object", "properties": []}]}),
        args(a={"allOf": [{"type": "object", "properties": {}}]}),
    ),
    "I-05 an object without properties stays so": (
        {"type": "object", "additionalProperties": False},
        {"type": "object", "additionalProperties": False},
    ),
    "I-06 an object with no property stays so": (args(a=args()), args(a=args())),
    "I-07 required as a map": ({**args(a={}), "required": {}}, args(a={})),
    "I-07 required as null": ({**args(a={}), "required": None}, args(a={})),
    "I-07 required as an empty list": ({**args(a={}), "required": []}, args(a={})),
    "I-07 required twice and unknown": (
        {**args(a={}), "required": ["a", "b", "a"]},
        {**args(a={}), "required": ["a"]},
    ),
    "I-07 nothing but unknown": ({**args(), "required": ["b"]}, args()),
}


@pytest.mark.parametrize(("schema", "shown"), ROWS.values(), ids=ROWS)
def test_what_clients_refused_is_repaired(
    schema: JsonSchema, shown: JsonSchema
) -> None:
    assert sanitize(schema) == shown


EMPTY: JsonSchema = {"enum": ["", "a"]}
FULL: JsonSchema = {"enum": ["a"]}
LOOSE = {
    "properties": lambda s: args(a=s),
    "patternProperties": lambda s: {"patternProperties": {"^a": s}},
    "additionalProperties": lambda s: {"additionalProperties": s},
    "unevaluatedProperties": lambda s: {"unevaluatedProperties": s},
    "propertyNames": lambda s: {"propertyNames": s},
    "items": lambda s: {"items": s},
    "items as a list": lambda s: {"$schema": DRAFT_07, "items": [{}, s]},
    "additionalItems": lambda s: {"$schema": DRAFT_07, "additionalItems": s},
    "prefixItems": lambda s: {"prefixItems": [s]},
    "unevaluatedItems": lambda s: {"unevaluatedItems": s},
    "contains": lambda s: {"contains": s, "minContains": 2},
    "allOf": lambda s: {"allOf": [s]},
    "anyOf": lambda s: {"anyOf": [s]},
    "then": lambda s: {"if": {}, "then": s},
    "else": lambda s: {"if": {}, "else": s},
    "dependentSchemas": lambda s: {"dependentSchemas": {"b": s}},
    "dependencies": lambda s: {"dependencies": {"b": s, "c": ["d"], "e": []}},
    "contentSchema": lambda s: {"contentSchema": s},
    "$defs": lambda s: {"$defs": {"x": s}, "$ref": "#/$defs/x"},
    "definitions": lambda s: {
        "definitions": {"x": s},
        "items": {"$ref": "#/definitions/x"},
    },
    "an anchor": lambda s: {"$defs": {"x": {"$anchor": "n", **s}}, "$ref": "#n"},
}
BOUND = {
    "not": lambda s: {"not": s},
    "if": lambda s: {"if": s},
    "oneOf": lambda s: {"oneOf": [s]},
    "bounded contains": lambda s: {"contains": s, "maxContains": 2},
    "below not": lambda s: {"not": args(a={"items": s})},
    "$defs used under not": lambda s: {
        "$defs": {"x": s},
        "allOf": [{"$ref": "#/$defs/x"}],
        "not": {"$ref": "#/$defs/x"},
    },
    "$defs used under not by way of another": lambda s: {
        "$defs": {"x": s, "y": {"anyOf": [{"$ref": "#/$defs/x"}]}},
        "not": {"$ref": "#/$defs/y"},
    },
    "a place used under not": lambda s: {
        "not": {"$ref": "#/allOf/0"},
        "allOf": [s],
    },
    "a reference nobody can follow": lambda s: {
        "anyOf": [s],
        "not": {"$ref": "https://example.org/x"},
    },
}


@pytest.mark.parametrize("around", LOOSE.values(), ids=LOOSE)
def test_where_looser_parts_make_the_whole_looser_all_is_edited(around: Any) -> None:
    assert sanitize({"type": "object", **around(EMPTY)}) == {
        "type": "object",
        **around(FULL),
    }


@pytest.mark.parametrize("around", BOUND.values(), ids=BOUND)
def test_where_looser_parts_could_refuse_more_nothing_is_edited(around: Any) -> None:
    schema = {"type": "object", **around({**EMPTY, "required": ["z"]})}

    assert sanitize(schema) == schema


def test_under_not_only_the_marks_of_other_languages_are_mended() -> None:
    schema: JsonSchema = {
        "not": {"properties": [], "required": [], "items": [], "not": []}
    }

    shown = sanitize(schema)

    assert shown == {"not": {"properties": {}, "items": [], "not": {}}}


def test_items_are_not_added_where_that_would_evaluate_them() -> None:
    schema = {"type": "object", "not": {"type": "array", "unevaluatedItems": False}}

    assert sanitize(schema) == schema


def test_names_that_composition_declares_stay_required() -> None:
    either = {"anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}]}
    joined = {"allOf": [{"properties": {"d": {}}}], "required": ["d", "e"]}

    assert sanitize({**args(a={}, b={}), **either}) == {
        **args(a={}, b={}),
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    assert sanitize(joined) == {**joined, "required": ["d"]}


def test_names_beside_a_reference_stay_required() -> None:
    schema = {"$defs": {"x": args(a={})}, "$ref": "#/$defs/x", "required": ["a"]}

    assert sanitize(schema) == schema


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        ({}, {"type": "object"}),
        ({"properties": {}}, {"type": "object", "properties": {}}),
        ({"type": "string"}, {"type": "string"}),
        ({"anyOf": [True, False]}, {"anyOf": [True, False]}),
        (
            {"properties": {"a": 5}, "allOf": 5},
            {"type": "object", "properties": {"a": 5}, "allOf": 5},
        ),
        ({"type": "object", "enum": 5, "required": [5]}, {"type": "object", "enum": 5}),
    ],
)
def test_the_root_is_an_object_and_nonsense_does_no_harm(
    schema: JsonSchema, shown: JsonSchema
) -> None:
    assert sanitize(schema) == shown


def test_a_frozen_schema_gives_a_plain_copy() -> None:
    shown = sanitize(freeze(args(a={"type": "array"})))

    assert type(shown) is dict
    assert type(shown["properties"]) is dict


@settings(deadline=None)
@given(documents() | wild_documents().map(lambda schema: Pair(schema, st.none())))
def test_it_is_idempotent_and_leaves_the_authors_schema_alone(pair: Pair) -> None:
    before = deepcopy(pair.schema)

    once = sanitize(pair.schema)

    assert pair.schema == before
    assert sanitize(once) == once


@settings(deadline=None)
@given(documents(), st.data())
def test_what_the_author_accepts_is_accepted_but_hidden_members(
    pair: Pair, data: st.DataObject
) -> None:
    value = data.draw(pair.values)
    assert accepts(pair.schema, value)

    assert has_empty_text(value) or accepts(sanitize(pair.schema), value)


@given(st.data())
def test_every_result_the_author_promises_is_one_for_the_client_too(
    data: st.DataObject,
) -> None:
    members = data.draw(st.lists(st.sampled_from(["", "a", "b"]), min_size=1))
    schema: JsonSchema = {
        "type": "object",
        "properties": {"state": {"type": "string", "enum": members, "default": ""}},
    }
    value = {"state": data.draw(st.sampled_from(members))}

    assert accepts(sanitize(schema, is_result=True), value)
    assert sanitize(schema, is_result=True)["properties"]["state"] == (
        {"type": "string", "default": ""}
        if "" in members
        else {"type": "string", "enum": members, "default": ""}
    )


@given(wild_documents(), VALUES)
def test_whatever_keywords_meet_nothing_accepted_is_refused(
    schema: JsonSchema, value: Any
) -> None:
    assume(not has_empty_text(value))
    shown = sanitize(schema)

    assert accepts(shown, {"v": value}) >= accepts(schema, {"v": value})
