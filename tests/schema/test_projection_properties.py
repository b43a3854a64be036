"""Every valid value has an image for every client, and comes back from it."""

from copy import deepcopy
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from schema.strategies import (
    VALUES,
    JsonSchema,
    Pair,
    accepts,
    args,
    documents,
    has_empty_text,
    pairs,
    strict_documents,
    wild_documents,
)

from abilities_host.schema.checkers import accepts as refusals
from abilities_host.schema.profiles import PROFILES, Profile
from abilities_host.schema.projection import Projected, project, project_output
from abilities_host.schema.projection.combine import canonical
from abilities_host.schema.reading import as_read

# What takes the time is the drawing, so each schema is tried in every profile.
ALL = tuple(PROFILES.values())
SCHEMAS = st.one_of(documents().map(lambda pair: pair.schema), wild_documents())
KEYWORDS = ["type", "properties", "required", "enum", "items", "$ref", "$schema"]


def as_json_schema(node: Any) -> Any:
    """Say in JSON Schema what a dialect with a mark for null says."""
    if isinstance(node, list):
        return [as_json_schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    said = {key: as_json_schema(value) for key, value in node.items()}
    if said.pop("nullable", None) is True:
        return {"anyOf": [said, {"type": "null"}]}
    return said


def shown(schema: JsonSchema, profile: Profile) -> Projected:
    made = project(schema, profile)
    assert isinstance(made, Projected), made
    return made


def check_round_trip(schema: JsonSchema, value: Any, profile: Profile) -> None:
    made, before = shown(schema, profile), deepcopy(value)
    plain = as_json_schema(made.schema) if profile.null == "nullable" else made.schema

    sent = made.reverse.image(value)

    assert accepts(plain, sent), profile.name
    assert canonical(made.reverse.apply(sent)) == canonical(value), profile.name
    assert value == before


@given(st.one_of(documents(), pairs(3)), st.data())
def test_every_valid_value_has_an_image_and_comes_back(
    pair: Pair, data: st.DataObject
) -> None:
    value = data.draw(pair.values)
    assume(not has_empty_text(value))  # hidden members of enums: a declared exception
    # One value may fit two forms of a oneOf, or be more than the host reads.
    assume(accepts(as_read(pair.schema), value))
    assume(pair.schema)  # without a word it is an ability without arguments

    for profile in ALL:
        check_round_trip(pair.schema, value, profile)


@given(strict_documents(), st.data())
def test_what_can_be_strict_has_an_image_for_every_client(
    pair: Pair, data: st.DataObject
) -> None:
    value = data.draw(pair.values)
    assume(not has_empty_text(value))
    assume(accepts(pair.schema, value))

    for profile in ALL:
        check_round_trip(pair.schema, value, profile)


@given(wild_documents(), st.lists(VALUES, max_size=5))
def test_no_projection_is_tighter_than_a_wild_schema(
    schema: JsonSchema, values: list[Any]
) -> None:
    for value in ({"v": value} for value in values if not has_empty_text(value)):
        if accepts(as_read(schema), value):
            for profile in ALL:
                check_round_trip(schema, value, profile)


OPEN = args("a b", **{"a b": {"type": "integer"}, "é/ü": args()})
LOOK_ALIKE = st.sampled_from(["a b", "a_b", "a_b_", "a_b__", "e_u", "e_u_", "_", "c"])


@given(st.dictionaries(LOOK_ALIKE, st.integers(0, 3)))
def test_names_that_look_like_shown_ones_come_back_too(value: dict[str, int]) -> None:
    schema = {**OPEN, "additionalProperties": {"type": "integer"}}

    check_round_trip(schema, {"a b": 1, **value}, PROFILES["anthropic"])


@given(SCHEMAS)
def test_projecting_twice_is_projecting_once(schema: JsonSchema) -> None:
    for profile in ALL:
        made = project(schema, profile)

        assert project(schema, profile) == made
        if isinstance(made, Projected):
            assert shown(made.schema, profile).schema == made.schema, profile.name


@given(SCHEMAS)
def test_a_checker_refuses_nothing_that_was_projected(schema: JsonSchema) -> None:
    for profile in ALL:
        made = project(schema, profile)
        if isinstance(made, Projected):
            assert refusals(profile, made.schema) == [], profile.name


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "input", "v", "a b", "a_b"]), inner)
    ),
    max_leaves=8,
)


@given(SCHEMAS, ANYTHING)
def test_the_way_back_takes_whatever_comes(schema: JsonSchema, arguments: Any) -> None:
    for profile in ALL:
        reverse = shown(schema, profile).reverse

        assert repr(reverse.apply(arguments)) == repr(reverse.apply(arguments))


@given(ANYTHING | st.dictionaries(st.sampled_from(KEYWORDS), VALUES))
def test_what_is_no_schema_is_left_out_with_a_reason(schema: Any) -> None:
    for profile in ALL:
        made = project(schema, profile)

        assert isinstance(made, Projected) or made.reason


@given(documents(), st.data())
def test_results_stay_valid_as_they_are(pair: Pair, data: st.DataObject) -> None:
    value = data.draw(pair.values)
    assume(accepts(pair.schema, value))

    for profile in ALL:
        made = project_output(pair.schema, profile)
        if isinstance(made, Projected):
            assert made.reverse.is_identity
            assert accepts(made.schema, value), profile.name
