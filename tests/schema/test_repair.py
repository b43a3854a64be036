from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from schema.strategies import Pair, accepts, documents, wild_documents

from abilities_host.schema.check import check_schema
from abilities_host.schema.repair import mend, repair


def test_the_marks_of_other_languages_are_mended_at_every_depth() -> None:
    schema = {
        "type": "object",
        "properties": {"a": [], "b": {"properties": [], "required": {}}},
        "oneOf": [[], {"not": {"required": None, "dependentSchemas": None}}],
        "required": ["a", "b", "a"],
        "additionalProperties": [],
    }

    mended = repair(schema)

    assert mended == {
        "type": "object",
        "properties": {"a": {}, "b": {"properties": {}}},
        "oneOf": [{}, {"not": {"dependentSchemas": {}}}],
        "required": ["a", "b"],
        "additionalProperties": {},
    }
    check_schema(mended, subject="a/b", argument="input_schema")


def test_what_could_mean_something_else_is_left_for_the_check() -> None:
    schema = {"properties": ["a"], "required": [1, 1], "items": [], "allOf": []}

    assert repair(schema) == schema


def test_mending_in_place_gives_every_schema_from_the_root_down() -> None:
    schema: dict[str, Any] = {
        "properties": {"a": {"items": {"title": "inner"}, "required": []}, "b": True},
        "not": [],
    }

    schemas = mend(schema)

    assert schema == {
        "properties": {"a": {"items": {"title": "inner"}}, "b": True},
        "not": {},
    }
    assert schemas[0] is schema
    assert schemas[1:] == [schema["properties"]["a"], {"title": "inner"}]


@settings(deadline=None)
@given(documents(), st.data())
def test_a_valid_schema_keeps_its_meaning(pair: Pair, data: st.DataObject) -> None:
    value = data.draw(pair.values)

    assert accepts(repair(pair.schema), value)


@settings(deadline=None)
@given(wild_documents())
def test_repairing_twice_changes_nothing(schema: dict[str, object]) -> None:
    assert repair(repair(schema)) == repair(schema)
