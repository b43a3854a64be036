import pytest
from hypothesis import given
from hypothesis import strategies as st
from schema.strategies import (
    DRAFT_07,
    JsonSchema,
    Pair,
    accepts,
    documents,
    wild_documents,
)

from abilities_host.schema.nullable import admits_null


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/x", "$defs": {"x": {"type": "null"}}},
        {"$ref": "#/$defs/x", "type": "string", "$defs": {"x": {"type": "null"}}},
        {
            "$schema": DRAFT_07,
            "$ref": "#/definitions/x",
            "type": "string",
            "definitions": {"x": {"type": "null"}},
        },
        {"if": {"type": "null"}, "then": False},
        {"if": {"type": "string"}, "then": False},
        {"if": False, "else": {"type": "string"}},
        {"not": {"enum": [None]}},
        {"const": None},
        {"const": 0},
    ],
)
def test_what_accepts_null_is_known_as_the_validator_knows_it(
    schema: JsonSchema,
) -> None:
    assert admits_null(schema, schema) is accepts(schema, None)


def test_a_reference_that_leads_nowhere_may_be_null() -> None:
    assert admits_null({}, {"$ref": "#/nowhere"})


@given(documents() | wild_documents().map(lambda schema: Pair(schema, st.none())))
def test_it_agrees_with_the_validator_on_every_property(pair: Pair) -> None:
    root = pair.schema
    for part in root["properties"].values():
        whole = {
            k: v for k, v in root.items() if k in ("$schema", "$defs", "definitions")
        }

        assert admits_null(root, part) is accepts({**whole, "allOf": [part]}, None)
