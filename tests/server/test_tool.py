from typing import Any

import jsonschema_rs
import pytest
from server.world import ability

from abilities_host import Changes
from abilities_host.server.eras import ERAS, LEGACY, MODERN, Era
from abilities_host.server.tool import Shape, shape_of, tool_of
from abilities_host.server.wrapping import wrap_schema


def listed(era: Era = MODERN, *, is_write: bool = False, **changed: Any) -> Any:
    return tool_of(ability("test/echo", **changed), era, is_write=is_write)


def accepts(schema: dict[str, Any], value: Any) -> bool:
    return jsonschema_rs.Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize("era", ERAS)
def test_an_ability_becomes_a_tool_with_its_real_name_beside(era: Era) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    record = ability(
        "test/count-up",
        label="Count",
        description="Counts up.",
        input_schema=schema,
        output_schema=schema,
        changes=Changes("counts"),
        meta={"annotations": {"readonly": False, "destructive": True}},
    )

    assert tool_of(record, era, is_write=True) == {
        "name": "test_count-up",
        "title": "Count",
        "description": "Counts up.",
        "inputSchema": schema,
        "outputSchema": schema,
        "annotations": {
            "readOnlyHint": False,
            "destructiveHint": True,
            "title": "Count",
        },
        "_meta": {
            "abilities/name": "test/count-up",
            "abilities/category": "test",
            "abilities/reversible": True,
        },
    }


def test_an_ability_without_schemas_takes_nothing_and_promises_nothing() -> None:
    tool = listed(input_schema=None)

    assert tool["inputSchema"]["additionalProperties"] is False
    assert "outputSchema" not in tool


@pytest.mark.parametrize(
    ("said", "hints"),
    [
        ({}, {}),
        ({"readonly": None, "idempotent": None}, {}),
        ({"readonly": True}, {"readOnlyHint": True}),
        ({"destructive": False}, {"destructiveHint": False}),
        ({"idempotent": True}, {"idempotentHint": True}),
        ({"openWorldHint": "false"}, {"openWorldHint": False}),
        ({"openWorldHint": 1}, {"openWorldHint": True}),
        ({"openWorldHint": "yes"}, {}),
        ({"openWorldHint": 1.5}, {}),
        ({"openWorldHint": [1]}, {}),
        ({"readonly": False, "readOnlyHint": True}, {"readOnlyHint": False}),
        ({"readOnlyHint": "1"}, {"readOnlyHint": True}),
        ({"title": "Alone"}, {}),
        ({"instructions": "No.", "priority": 1.0}, {}),
    ],
)
def test_annotations_become_hints_and_null_says_nothing(
    said: dict[str, Any], hints: dict[str, bool]
) -> None:
    expected = {**hints, "title": "A label"} if hints else None

    assert listed(meta={"annotations": said}).get("annotations") == expected


def test_a_title_of_its_own_beats_the_label_in_the_annotations() -> None:
    tool = listed(meta={"annotations": {"readonly": True, "title": "Other"}})

    assert (tool["title"], tool["annotations"]["title"]) == ("A label", "Other")


def test_a_read_that_the_operator_takes_for_a_write_is_not_hinted_read_only() -> None:
    tool = listed(is_write=True, meta={"annotations": {"readonly": True}})

    assert tool["annotations"]["readOnlyHint"] is False


TREE: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "array",
    "items": {"anyOf": [{"$ref": "#/$defs/leaf"}, {"$ref": "#"}]},
    "$defs": {"leaf": {"type": "integer"}},
}
SCHEMAS: list[dict[str, Any]] = [
    {"type": "integer"},
    TREE,
    {**TREE, "$id": "urn:tree"},
    {"type": ["object", "null"], "properties": {"$ref": {"type": "string"}}},
    {"items": {"$ref": "#far"}, "$defs": {"x": {"$anchor": "far", "type": "null"}}},
    {"enum": [{"$ref": "#/a"}, 1]},
    {"type": "boolean", "not": {"const": False}},
    {"type": "array", "prefixItems": [True, {"type": "string"}]},
]
VALUES: list[Any] = [
    *(None, True, False, 0, 1, "x", [], [1], [[1], 2], [["x"]], [None], [0, "x"]),
    *({}, {"$ref": "#/a"}, {"$ref": 1}, [0, 1]),
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_wrapped_schema_accepts_exactly_the_wrapped_values(
    schema: dict[str, Any],
) -> None:
    wrapped = wrap_schema(schema, "data")

    assert wrapped["type"] == "object"
    assert [accepts(wrapped, {"data": value}) for value in VALUES] == [
        accepts(schema, value) for value in VALUES
    ]
    assert not accepts(wrapped, {})


def test_a_wrapped_schema_with_a_default_may_be_left_out() -> None:
    assert accepts(wrap_schema({"type": "integer", "default": 3}, "input"), {})


def test_only_what_is_no_object_is_wrapped_and_results_only_in_one_era() -> None:
    record = ability(input_schema={"type": "array"}, output_schema={"type": "array"})
    plain = {"type": "array", "items": {}}

    assert shape_of(record, LEGACY) == Shape(
        wraps_input=True, wraps_output=True, declares_output=True
    )
    assert shape_of(record, MODERN) == Shape(wraps_input=True, declares_output=True)
    legacy, modern = (tool_of(record, era, is_write=False) for era in ERAS)
    assert legacy["inputSchema"] == modern["inputSchema"]
    assert legacy["inputSchema"]["properties"] == {"input": plain}
    assert legacy["outputSchema"]["properties"] == {"data": plain}
    assert modern["outputSchema"] == plain


@pytest.mark.parametrize(
    ("wraps", "sent", "meant"),
    [
        (False, None, {}),
        (False, {}, {}),
        (False, {"input": 1}, {"input": 1}),
        (True, None, None),
        (True, {}, None),
        (True, {"input": [1]}, [1]),
        (True, {"input": 1, "more": 2}, {"input": 1, "more": 2}),
    ],
)
def test_arguments_are_unwrapped_where_the_tool_asked_for_it(
    *, wraps: bool, sent: Any, meant: Any
) -> None:
    assert Shape(wraps_input=wraps).unwrap(sent) == meant
