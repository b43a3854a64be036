from schema.strategies import DRAFT_07, JsonSchema

from abilities_host.schema.keywords import (
    LISTS,
    MAPS,
    SINGLE_OR_LIST,
    SINGLES,
    subschemas,
    with_subschemas,
)
from abilities_host.schema.places import every_schema, find_places, find_target

EVERYWHERE: JsonSchema = {
    **{keyword: {"n": {"title": keyword}} for keyword in MAPS},
    **{keyword: [{"title": keyword}] for keyword in LISTS},
    **{keyword: {"title": keyword} for keyword in SINGLES | SINGLE_OR_LIST},
}


def test_every_keyword_that_holds_schemas_is_reached() -> None:
    found = {node["title"] for place, node in every_schema(EVERYWHERE) if place}

    assert found == MAPS | LISTS | SINGLES | SINGLE_OR_LIST


def test_replacing_shares_what_is_not_replaced_and_changes_nothing() -> None:
    schema = {"items": [{}, True], "properties": {"a": {}}, "enum": [{}], "not": {}}

    copy = with_subschemas(schema, lambda keyword, _, child: {"was": [keyword, child]})

    assert copy == {
        "items": [{"was": ["items", {}]}, {"was": ["items", True]}],
        "properties": {"a": {"was": ["properties", {}]}},
        "enum": [{}],
        "not": {"was": ["not", {}]},
    }
    assert schema == {
        "items": [{}, True],
        "properties": {"a": {}},
        "enum": [{}],
        "not": {},
    }
    assert copy["enum"] is schema["enum"]


def test_what_is_no_schema_is_passed_over() -> None:
    odd = {
        "dependencies": {"a": ["b"], "c": []},
        "properties": {"a": 5},
        "not": "x",
        "items": 5,
        "anyOf": {"a": {}},
        "prefixItems": [5],
        "enum": [{}],
    }

    assert list(subschemas(odd)) == []


def test_a_reference_is_found_by_pointer_and_by_anchor() -> None:
    schema = {
        "$defs": {"a/b": {"$anchor": "x"}, "list": {"allOf": [True, {}]}},
        "definitions": {"old": {"$id": "#y"}},
    }

    assert find_target(schema, "#") == ()
    assert find_target(schema, "#/$defs/a~1b") == ("$defs", "a/b")
    assert find_target(schema, "#/$defs/list/allOf/0") == ("$defs", "list", "allOf", 0)
    assert find_target(schema, "#x") == ("$defs", "a/b")
    assert find_target(schema, "#y") == ("definitions", "old")
    assert find_target(schema, "#/$defs/nothing") is None
    assert find_target(schema, "#nothing") is None
    assert find_target(schema, "https://example.org/#x") is None
    assert find_target(schema, None) is None


def test_a_place_keeps_a_quality_only_if_every_way_there_does() -> None:
    schema = {
        "$schema": DRAFT_07,
        "definitions": {"both": {"items": {}}, "good": {}, "bad": {}},
        "anyOf": [{"$ref": "#/definitions/both"}, {"$ref": "#/definitions/good"}],
        "not": {
            "anyOf": [{"$ref": "#/definitions/both"}, {"$ref": "#/definitions/bad"}]
        },
    }

    kept = find_places(schema, lambda _, keyword: keyword != "not")

    assert kept == {
        (),
        ("anyOf", 0),
        ("anyOf", 1),
        ("definitions", "good"),
    }
