from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from schema.strategies import (
    DRAFT_07,
    VALUES,
    JsonSchema,
    Pair,
    accepts,
    documents,
    wild_documents,
)

from abilities_host.schema.reading import as_read
from abilities_host.schema.sanitize import sanitize

OPEN: JsonSchema = {"type": "object", "properties": {"x": {}}}
CLOSED: JsonSchema = {**OPEN, "additionalProperties": False}

ALONE = {
    "the root": lambda s: s,
    "without a type": lambda s: {k: v for k, v in s.items() if k != "type"},
    "one type of several": lambda s: {**s, "type": ["object", "null"]},
    "no property at all": lambda s: {**s, "properties": {}},
    "items": lambda s: {"items": s},
    "prefixItems": lambda s: {"prefixItems": [s]},
    "items as a list": lambda s: {"$schema": DRAFT_07, "items": [s]},
    "additionalProperties": lambda s: {"additionalProperties": s},
    "$defs": lambda s: {"$defs": {"x": s}, "items": {"$ref": "#/$defs/x"}},
    "a root that refers": lambda s: {"$defs": {"x": s}, "$ref": "#/$defs/x"},
}
TOGETHER = {
    "allOf": lambda s: {"allOf": [s]},
    "anyOf": lambda s: {"anyOf": [s, {"type": "null"}]},
    "oneOf": lambda s: {"oneOf": [s]},
    "not": lambda s: {"not": s},
    "if": lambda s: {"if": s, "then": s, "else": s},
    "dependentSchemas": lambda s: {"dependentSchemas": {"a": s}},
    "contains": lambda s: {"contains": s},
    "items beside contains": lambda s: {"items": s, "contains": {"required": ["y"]}},
    "patternProperties": lambda s: {"patternProperties": {"^a": s}},
    "a property that a pattern describes too": lambda s: {
        "properties": {"ab": s},
        "patternProperties": {"^a": {}},
    },
    "a property that allOf describes too": lambda s: {
        "properties": {"a": s},
        "allOf": [{"properties": {"a": {"required": ["y"]}}}],
    },
    "$defs used in allOf as well": lambda s: {
        "$defs": {"x": s},
        "items": {"$ref": "#/$defs/x"},
        "additionalProperties": {"allOf": [{"$ref": "#/$defs/x"}]},
    },
    "$defs beside other properties": lambda s: {
        "$defs": {"x": s},
        "items": {"$ref": "#/$defs/x", "properties": {"y": {}}},
    },
    "propertyNames": lambda s: {**s, "propertyNames": {"maxLength": 3}},
    "unevaluatedProperties": lambda s: {**s, "unevaluatedProperties": {}},
    "said open": lambda s: {**s, "additionalProperties": True},
    "a schema for others": lambda s: {**s, "additionalProperties": {}},
    "a required name that is not declared": lambda s: {**s, "required": ["y"]},
    "no properties": lambda _: {"type": "object"},
    "another type": lambda s: {**s, "type": "array"},
    "a reference nobody can follow": lambda s: {**s, "items": {"$ref": "#/nowhere"}},
}


@pytest.mark.parametrize("around", ALONE.values(), ids=ALONE)
def test_an_object_that_one_schema_alone_describes_is_read_as_closed(
    around: Any,
) -> None:
    closed = {**around(OPEN), "additionalProperties": False}
    expected = closed if "properties" in closed else around(CLOSED)

    assert as_read(around(OPEN)) == expected


@pytest.mark.parametrize("around", TOGETHER.values(), ids=TOGETHER)
def test_an_object_of_which_more_is_said_stays_open(around: Any) -> None:
    assert as_read(around(OPEN)) == around(OPEN)


@settings(deadline=None)
@given(wild_documents())
def test_it_is_idempotent_and_leaves_the_authors_schema_alone(
    schema: JsonSchema,
) -> None:
    before = deepcopy(schema)

    once = as_read(schema)

    assert schema == before
    assert as_read(once) == once


@given(wild_documents(), VALUES)
def test_what_is_read_is_never_looser_than_what_is_written(
    schema: JsonSchema, value: Any
) -> None:
    assert accepts(schema, {"v": value}) >= accepts(as_read(schema), {"v": value})


@settings(deadline=None)
@given(documents())
def test_what_is_shown_says_as_little_as_the_author(pair: Pair) -> None:
    said = str(pair.schema).count("'additionalProperties': False")

    assert str(sanitize(pair.schema)).count("'additionalProperties': False") == said
