from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from schema.strategies import (
    DRAFT_07,
    VALUES,
    JsonSchema,
    Pair,
    accepts,
    documents,
    pairs,
    wild_documents,
)
from schema.zoo import NULL, TEXT, TREE, WHOLE, obj

from abilities_host.schema.arguments import Repaired, repair_arguments

LIST: JsonSchema = {"type": "array", "items": WHOLE}
FREE: JsonSchema = {"type": "object"}

REPAIRED: dict[str, tuple[JsonSchema, Any, Repaired]] = {
    "I-26 an object that came as text": (
        obj(p=FREE),
        {"p": '{"title": "t"}'},
        Repaired({"p": {"title": "t"}}, ("/p decoded",), 1),
    ),
    "I-26 a list that was encoded twice": (
        obj(p=LIST),
        {"p": '"[1]"'},
        Repaired({"p": [1]}, ("/p decoded",), 1),
    ),
    "I-26 all arguments as text": (
        obj(p=TEXT),
        '{"p": "[1]"}',
        Repaired({"p": "[1]"}, ("/ decoded",), 1),
    ),
    "I-26 text in what was text": (
        obj(p=obj(l=LIST), q=LIST),
        {"p": '{"l": "[1]"}', "q": [1]},
        Repaired({"p": {"l": [1]}, "q": [1]}, ("/p decoded", "/p/l decoded"), 2),
    ),
    "I-26 below references, forms and lists": (
        {
            **obj(
                a={"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/T"}, NULL]}},
                t={"type": "array", "prefixItems": [LIST]},
                m={"type": "object", "additionalProperties": LIST},
            ),
            "$defs": {"T": TREE},
        },
        {"a": [None, {"kids": "[]"}, '{"v": 1}'], "t": ["[2]"], "m": {"x": "[3]"}},
        Repaired(
            {"a": [None, {"kids": []}, {"v": 1}], "t": [[2]], "m": {"x": [3]}},
            ("/a/1/kids decoded", "/a/2 decoded", "/t/0 decoded", "/m/x decoded"),
            4,
        ),
    ),
    "a tuple of draft-07": (
        {
            "$schema": DRAFT_07,
            **obj(t={"type": "array", "items": [TEXT], "additionalItems": FREE}),
        },
        {"t": ["{}", "{}"]},
        Repaired({"t": ["{}", {}]}, ("/t/1 decoded",), 1),
    ),
    "I-29 nothing at all": (obj(a=TEXT), None, Repaired({}, ("/ emptied",), 1)),
    "I-29 an empty list": (obj(a=TEXT), [], Repaired({}, ("/ emptied",), 1)),
    "I-29 nothing below": (
        obj(a=obj(), b={"anyOf": [obj("x"), obj()]}),
        {"a": [], "b": None},
        Repaired({"a": {}, "b": {}}, ("/a emptied", "/b emptied"), 2),
    ),
}


@pytest.mark.parametrize(
    ("schema", "given", "repaired"), REPAIRED.values(), ids=REPAIRED
)
def test_what_can_mean_one_thing_only_is_repaired(
    schema: JsonSchema, given: Any, repaired: Repaired
) -> None:
    before = deepcopy(given)

    assert repair_arguments(schema, given) == repaired
    assert given == before


FORMS: JsonSchema = {"anyOf": [obj(a=LIST), obj(b=TEXT)]}
MANY: JsonSchema = {"allOf": [{"anyOf": [FREE] * 5}, {"oneOf": [FREE] * 5}]}
OLD: JsonSchema = {"$schema": DRAFT_07, "definitions": {"T": {}}}
CHAIN = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(30)}

ALONE: dict[str, tuple[JsonSchema, Any]] = {
    "a text may be a text": (obj(a={"type": ["array", "string"]}), {"a": "[1]"}),
    "a text may be a text in one form": (obj(a={"anyOf": [LIST, TEXT]}), {"a": "[1]"}),
    "an enum has a text": (obj(a={"enum": [[1], "[1]"]}), {"a": "[1]"}),
    "anything may be": (obj(a={}), {"a": "[1]"}),
    "one form leaves it open": (FORMS, {"a": "[1]"}),
    "another type than is wanted": (obj(a=LIST), {"a": "{}"}),
    "I-27 malformed": (obj(a=LIST), {"a": "[1"}),
    "encoded three times": (obj(a=LIST), {"a": '"\\"[1]\\""'}),
    "too large": (obj(a=LIST), {"a": "[" + " " * 1_048_576 + "]"}),
    "too deep": (obj(a=FREE), {"a": '{"a":' * 70 + "1" + "}" * 70}),
    "too deep already": (FREE, '{"a":' * 1 + "1"),
    "a number in a text": (obj(a=WHOLE), {"a": "5"}),
    "required ones": (obj("a", a=TEXT), []),
    "a list is wanted": (obj(a=LIST), {"a": {}}),
    "null is allowed": (obj(a={"anyOf": [obj(), NULL]}), {"a": None}),
    "too many ways": (obj(a=MANY), {"a": "{}"}),
    "a word that draft-07 ignores": (
        {**OLD, **obj(a={"$ref": "#/definitions/T", "type": "object"})},
        {"a": "{}"},
    ),
    "a long chain of references": (
        {**obj(a={"$ref": "#/$defs/d0"}), "$defs": {**CHAIN, "d30": LIST}},
        {"a": "[1]"},
    ),
    "nothing may be there": (obj(a=False), {"a": "[1]"}),
    "a name of a pattern": (
        {**FREE, "patternProperties": {"a": TEXT}, "additionalProperties": LIST},
        {"a": "[1]"},
    ),
}


@pytest.mark.parametrize(("schema", "given"), ALONE.values(), ids=ALONE)
def test_what_is_doubtful_is_left_alone(schema: JsonSchema, given: Any) -> None:
    repaired = repair_arguments(schema, given)

    assert repaired == Repaired(given)
    assert repaired.arguments is given


def test_what_contains_itself_is_left_alone() -> None:
    given: dict[str, Any] = {}
    given["a"] = given

    assert repair_arguments(FREE, given).arguments is given


@pytest.mark.parametrize(
    ("kind", "text", "number"),
    [
        ("integer", "5", 5),
        ("integer", "-0", 0),
        ("number", "1.5e3", 1500.0),
        ("integer", "1.5", None),
        ("integer", " 5", None),
        ("integer", "0x5", None),
        ("number", "NaN", None),
        ("number", "1e999", None),
        ("boolean", "1", None),
        (["integer", "string"], "5", None),
        (["null", "number"], "5", 5),
    ],
)
def test_numbers_in_texts_are_read_for_clients_that_send_them(
    kind: Any, text: str, number: float | None
) -> None:
    schema = obj(a={"type": kind})

    repaired = repair_arguments(schema, {"a": text}, numbers_in_strings=True)

    if number is None:
        assert repaired == Repaired({"a": text})
    else:
        assert repaired == Repaired({"a": number}, ("/a number",), 1)


def test_a_number_that_two_schemas_describe_is_read() -> None:
    schema = obj(a={"allOf": [{"type": "number"}, WHOLE]})

    repaired = repair_arguments(schema, {"a": "5"}, numbers_in_strings=True)

    assert repaired.arguments == {"a": 5}


def test_sixteen_places_are_named_and_all_are_counted() -> None:
    schema = obj(l={"type": "array", "items": LIST})

    repaired = repair_arguments(schema, {"l": ["[1]"] * 20})

    assert repaired.arguments == {"l": [[1]] * 20}
    assert repaired.places == tuple(f"/l/{n} decoded" for n in range(16))
    assert repaired.count == 20


@given(st.one_of(documents(), pairs(3)), st.data())
def test_a_valid_value_is_never_repaired(pair: Pair, data: st.DataObject) -> None:
    value = data.draw(pair.values)
    assume(accepts(pair.schema, value))

    for numbers in (False, True):
        repaired = repair_arguments(pair.schema, value, numbers_in_strings=numbers)
        assert repaired == Repaired(value)


TEXTS = st.sampled_from(["[1]", "{}", '"[]"', '{"a": "[]"}', "1", "a", ""])
GARBLED = st.recursive(
    TEXTS | VALUES,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "v"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(wild_documents(), st.lists(st.fixed_dictionaries({"v": GARBLED}), max_size=4))
def test_what_a_wild_schema_accepts_is_never_repaired(
    schema: JsonSchema, values: list[Any]
) -> None:
    for value in values:
        repaired = repair_arguments(schema, value)

        assert not accepts(schema, value) or repaired == Repaired(value)
        again = repair_arguments(schema, repaired.arguments)
        assert again.arguments == repaired.arguments or again.count
