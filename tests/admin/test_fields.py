"""A form is made from any schema, and gives back what is filled in, or says why not."""

import re
from collections.abc import Mapping
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.admin.field_limits import html_pattern, limits_of
from abilities_host.admin.fields import Choice, Field, Group, SchemaForm
from abilities_host.admin.filled import Filled, Problem, arguments_of
from abilities_host.admin.schema_form import FIELDS, SIZE, form_of
from abilities_host.schema.validate import Validator

NAMES = st.sampled_from(["a", "b", "token", "seen", "\u202e", "<b>", "", "a\nb", "x-1"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
)
ANY = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3)
    ),
    max_leaves=8,
)
KEYWORDS = st.sampled_from(
    [
        "type",
        "properties",
        "required",
        "enum",
        "const",
        "default",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "$defs",
        "additionalProperties",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "description",
        "items",
    ]
)
WORDS = st.sampled_from(
    ["object", "string", "integer", "number", "boolean", "null", "array", "#/$defs/a"]
)
SCHEMAS = st.recursive(
    SCALARS | WORDS | st.just({"type": "null"}),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(KEYWORDS, inner, max_size=5)
        | st.dictionaries(NAMES, inner, max_size=3)
        | st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(NAMES, inner)},
            optional={"required": st.lists(NAMES, max_size=3)},
        )
    ),
    max_leaves=20,
)


@given(schema=SCHEMAS | ANY, as_json=st.booleans())
def test_every_schema_gives_a_form_that_gives_arguments(
    *, schema: Any, as_json: bool
) -> None:
    form = form_of(schema, as_json=as_json)
    keys = [each.key for each in form.fields]
    filled = arguments_of(form, lambda key: form.defaults[key])

    assert len(set(keys)) == len(keys) <= FIELDS + 1
    assert all(re.fullmatch(r"a(\d+(-\d+)?|-all|-rest)", key) for key in keys)
    assert filled.problems == ()
    orjson.dumps(filled.arguments)


@given(SCHEMAS, st.text(max_size=30))
def test_whatever_is_written_is_read_or_is_a_problem(schema: Any, text: str) -> None:
    form = form_of(schema)

    filled = arguments_of(form, lambda _: text)

    assert {each.key for each in filled.problems} <= {each.key for each in form.fields}


def _value_strategy(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    plain: Mapping[str, st.SearchStrategy[Any]] = {
        "string": st.text(st.sampled_from("a\n\t\u202e\0<é"), min_size=1),
        "integer": st.integers(-(2**63), 2**63 - 1),
        "number": st.floats(allow_nan=False, allow_infinity=False)
        | st.integers(-(2**63), 2**63 - 1),
        "boolean": st.booleans(),
        "array": st.lists(SCALARS, max_size=3),
    }
    return plain[schema["type"]]


LEAVES: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "maxLength": 9},
        {"type": "integer"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "array"},
        {"enum": ["one", 1, True, None, "1", [2]]},
        {"type": "string", "format": "password"},
    ]
)


@st.composite
def schema_and_arguments(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """An object of fields and groups, and arguments that fit it."""
    leaves = draw(st.dictionaries(NAMES, LEAVES, max_size=4))
    inner = draw(st.dictionaries(NAMES, LEAVES, min_size=1, max_size=3))
    chosen = draw(st.lists(st.sampled_from([*leaves, ""]), unique=True))
    given_ = {n: draw(_value_strategy(leaves[n])) for n in chosen if n in leaves}
    properties = {**leaves, "group": {"type": "object", "properties": inner}}
    kept = draw(st.lists(st.sampled_from([*inner]), unique=True))
    if kept:
        given_["group"] = {n: draw(_value_strategy(inner[n])) for n in kept}
    required = draw(st.lists(st.sampled_from([*given_]), unique=True)) if given_ else []
    schema = {"type": "object", "properties": properties, "required": required}
    return schema, given_


def _written(form: SchemaForm, arguments: Mapping[str, Any]) -> dict[str, str]:
    """Fill a form in as a person would, to have these arguments."""
    written: dict[str, str] = {}
    for item in form.items:
        values = arguments.get(item.name, {}) if isinstance(item, Group) else arguments
        for field in item.fields if isinstance(item, Group) else [item]:
            if field.name in values:
                written[field.key] = _text(field, values[field.name])
    return written


def _text(field: Field, value: Any) -> str:
    if field.kind in ("line", "text", "secret"):
        return str(value).replace("\n", "\r\n")  # as browsers send it
    if field.kind == "choice":
        wanted = Choice("", value).value
        same = [
            place
            for place, choice in enumerate(field.choices)
            if choice.value == wanted and type(choice.value) is type(wanted)
        ]
        return str(same[0])
    return orjson.dumps(value).decode()


@given(schema_and_arguments())
def test_what_is_filled_in_arrives_as_it_is(
    pair: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    schema, arguments = pair
    form = form_of(schema)
    written = _written(form, arguments)

    filled = arguments_of(form, lambda key: written.get(key, ""))

    assert filled == Filled(arguments)
    assert form.whole is None


@given(schema_and_arguments())
def test_all_arguments_can_be_written_as_json(
    pair: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    schema, arguments = pair
    form = form_of(schema, as_json=True)
    text = orjson.dumps(arguments).decode()

    assert arguments_of(form, {"a-all": text}.__getitem__) == Filled(arguments)


def test_each_sort_of_value_has_its_field() -> None:
    form = form_of(
        {
            "type": "object",
            "required": ["line", "code", "maybe"],
            "properties": {
                "line": {"type": "string", "maxLength": 20, "minLength": 1},
                "text": {"type": "string", "description": "Long.", "default": "a\nb"},
                "code": {"type": "string", "pattern": "^[a-z-]+$"},
                "secret": {"type": "string", "default": "x", "writeOnly": True},
                "api_key": {"type": "string"},
                "count": {"type": "integer", "minimum": 1.5, "exclusiveMaximum": 9},
                "share": {"type": ["number", "null"], "maximum": 1, "default": 0.5},
                "is_on": {"type": "boolean", "default": False},
                "mode": {"enum": ["a", "b"], "default": "b"},
                "alike": {"enum": ["1", 1]},
                "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "ref": {"$ref": "#/$defs/Mode", "description": "Here."},
                "tags": {"type": "array", "default": ["x"]},
                "hidden": {"type": "string", "default": "\u202e"},
                "odd": {"type": "string", "default": 5},
                "many": {"enum": [*range(101)]},
                "true": True,
            },
            "$defs": {"Mode": {"enum": [1, 2], "description": "There."}},
        }
    )
    fields = {each.name: each for each in form.fields}
    shown = {name: (each.kind, each.default) for name, each in fields.items()}

    assert shown == {
        "line": ("line", ""),
        "text": ("text", "a\nb"),
        "code": ("line", ""),
        "secret": ("secret", ""),
        "api_key": ("secret", ""),
        "count": ("integer", ""),
        "share": ("number", "0.5"),
        "is_on": ("boolean", "false"),
        "mode": ("choice", "1"),
        "alike": ("choice", ""),
        "maybe": ("json", ""),
        "ref": ("choice", ""),
        "tags": ("json", '[\n  "x"\n]'),
        "hidden": ("json", '"\\u202e"'),
        "odd": ("text", ""),
        "many": ("json", ""),
        "true": ("json", ""),
    }
    assert [c.label for c in fields["alike"].choices] == ['"1"', "1"]
    assert fields["ref"].description == "Here."
    assert fields["line"].limits == {"minlength": "1", "maxlength": "40"}
    assert fields["code"].limits == {"pattern": ".*(?:^[a-z\\-]+$).*"}
    assert fields["count"].limits == {"step": "1", "min": "2", "max": "8"}
    assert fields["share"].limits == {"step": "any", "max": "1"}
    assert [n for n, each in fields.items() if each.must_be_filled] == ["line", "maybe"]
    assert [n for n, each in fields.items() if each.is_required] == [
        "line",
        "code",
        "maybe",
    ]


def test_one_level_of_objects_is_a_group_and_what_is_deeper_is_json() -> None:
    inner = {
        "type": "object",
        "description": "A place.",
        "properties": {
            "x": {"type": "integer", "default": 4},
            "deep": {"type": "object", "properties": {"y": {"type": "integer"}}},
            "mode": {"enum": ["a", "b"], "default": "b"},
        },
    }
    form = form_of(
        {
            "type": "object",
            "properties": {
                "optional": inner,
                "needed": inner,
                "open": {**inner, "additionalProperties": True},
                "other": {"type": "object", "properties": {}},
                "typeless": {"properties": {"z": {"type": "boolean"}}},
            },
            "required": ["needed"],
        }
    )
    optional, needed, wide, other, typeless = form.items
    filled = arguments_of(form, lambda key: form.defaults[key])

    assert isinstance(optional, Group)
    assert isinstance(needed, Group)
    assert isinstance(typeless, Group)
    assert (optional.name, optional.description) == ("optional", "A place.")
    assert [(f.key, f.kind, f.default, f.otherwise) for f in optional.fields] == [
        ("a0-0", "integer", "", "4"),
        ("a0-1", "json", "", ""),
        ("a0-2", "choice", "", "b"),
    ]
    assert [f.default for f in needed.fields] == ["4", "", "1"]
    assert [each.kind for each in (wide, other) if isinstance(each, Field)] == [
        "json",
        "json",
    ]
    assert filled == Filled({"needed": {"x": 4, "mode": "b"}})


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (None, SchemaForm()),
        ({"type": "object", "properties": {}}, SchemaForm()),
        ({"type": "object"}, None),
        ({"type": "string"}, None),
        (True, None),
        ({"$ref": "#/$defs/none"}, None),
        ({"$ref": "https://example.org/x"}, None),
        ({"$ref": "#"}, None),
        ({"$ref": 5}, None),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, None),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}, None),
        ({"$ref": "#/$defs/a", "minimum": 1, "$defs": {"a": {}}}, None),
        ({"anyOf": [{"type": "object"}]}, None),
        ({"type": ["object", "string"], "properties": {"a": {}}}, None),
        ({"anyOf": [{"type": "object"}, {"type": "string"}]}, None),
        ({"allOf": [{"type": "object"}]}, None),
    ],
)
def test_what_has_no_fields_is_json_as_a_whole_or_nothing(
    schema: Any, expected: SchemaForm | None
) -> None:
    form = form_of(schema)
    if expected is not None:
        assert form == expected
        assert arguments_of(form, str) == Filled(None)
    else:
        assert form.whole is not None
        assert (form.items, form.whole.key, form.whole.default) == ((), "a-all", "{}")


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"v": True}}}},
        {"anyOf": [{"properties": {"v": {}}}, {"type": "null"}]},
        {"type": ["object"], "properties": {"v": {"type": ["null", "array"]}}},
        {
            "type": ["object", "null"],
            "properties": {"v": {"type": ["null", "a", "b"]}},
        },
        {"properties": {"v": {"$ref": "#/$defs/v"}}, "$defs": {"v": {"type": "null"}}},
        {"properties": {"v": {"enum": []}}, "additionalProperties": False},
    ],
)
def test_an_object_in_another_spelling_has_fields(schema: Any) -> None:
    form = form_of(schema)
    assert [each.name for each in form.fields] == ["v"]
    assert [each.kind for each in form.fields] == ["json"]


def test_what_is_required_and_not_declared_is_given_besides() -> None:
    more: list[dict[str, Any]] = [{"required": ["w"]}, {"patternProperties": {"w": {}}}]
    forms = [form_of({"properties": {"v": {}}, **each}) for each in more]
    keys = [[each.key for each in form.fields] for form in forms]
    assert keys == [["a0", "a-rest"], ["a0", "a-rest"]]


def test_what_is_too_large_is_json_as_a_whole() -> None:
    many = {f"p{n}": {"type": "string"} for n in range(FIELDS + 1)}
    long = {"p": {"type": "string", "description": "\u202e" * (SIZE // 6 + 1)}}
    default = {"text": "x" * SIZE}
    forms = [
        form_of({"type": "object", "properties": properties, "default": default})
        for properties in (many, long)
    ]
    kept = form_of({"type": "object", "default": {"a": 1}})

    assert [each.whole and each.whole.default for each in forms] == ["{}", "{}"]
    assert kept.whole is not None
    assert kept.whole.default == '{\n  "a": 1\n}'


def test_what_a_schema_allows_besides_is_json_beside_the_fields() -> None:
    form = form_of(
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}},
            "additionalProperties": {"type": "string"},
        }
    )
    written = {"a0": "1", "a-rest": '{"b": "c", "a": 2}'}

    assert form.rest is not None
    assert arguments_of(form, written.__getitem__) == Filled({"b": "c", "a": 1})
    assert arguments_of(form, {"a0": "", "a-rest": "[]"}.__getitem__) == Filled(
        {}, (Problem("a-rest", "try.problem.object"),)
    )


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "integer"}, " 12 ", 12),
        ({"type": "integer"}, "1e3", 1000),
        ({"type": "integer"}, "1.0", 1),
        ({"type": "integer"}, "1.5", "try.problem.integer"),
        ({"type": "integer"}, "9" * 40, "try.problem.integer"),
        ({"type": "integer"}, "1e999", "try.problem.integer"),
        ({"type": "number"}, "-.5", -0.5),
        ({"type": "number"}, "7", 7),
        ({"type": "number"}, "nan", "try.problem.number"),
        ({"type": "number"}, "1e999", "try.problem.number"),
        ({"type": "boolean"}, "yes", "try.problem.choice"),
        ({"enum": ["a"]}, "1", "try.problem.choice"),
        ({"enum": ["a"]}, "\u0661", "try.problem.choice"),
        ({"type": "array"}, '[1, {"a": null}]', [1, {"a": None}]),
        ({"type": "array"}, "[1,\n}", "try.problem.json"),
        ({"type": "array"}, '"\\ud800"', "try.problem.json"),
    ],
)
def test_a_field_is_read_or_says_what_is_wrong(
    schema: Mapping[str, Any], text: str, value: Any
) -> None:
    form = form_of({"type": "object", "properties": {"v": schema}})

    filled = arguments_of(form, lambda _: text)

    if isinstance(value, str):
        [problem] = filled.problems
        assert (problem.key, problem.text, filled.arguments) == ("a0", value, {})
    else:
        assert filled == Filled({"v": value})
        assert type(filled.arguments["v"]) is type(value)


def test_a_problem_in_json_has_its_place() -> None:
    form = form_of({"type": "object", "properties": {"v": {"type": "array"}}})

    [problem] = arguments_of(form, lambda _: "[1,\n 2,\n }").problems

    assert problem.place == (3, 2)


def test_an_empty_text_is_given_only_where_a_text_is_required() -> None:
    text = {"type": "string"}
    form = form_of(
        {
            "type": "object",
            "properties": {"needed": text, "other": text},
            "required": ["needed"],
        }
    )

    assert arguments_of(form, lambda _: "") == Filled({"needed": ""})


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        ("^a+$", ".*(?:^a+$).*"),
        (r"^(?:[a-z0-9._-]{1,9}|\d+)$", r".*(?:^(?:[a-z0-9._\-]{1,9}|\d+)$).*"),
        ("", ""),
        ("(", ""),
        ("[z-a]", ""),
        ("a{3,2}", ""),
        ("a++", ""),
        ("(?<=a)b", ""),
        ("[a&&b]", ""),
        ("[..]", ""),
        ("\\-", ""),
        ("]", ""),
        ("a" * 301, ""),
        (5, ""),
    ],
)
def test_a_pattern_is_for_the_browser_only_where_it_means_the_same(
    pattern: Any, written: str
) -> None:
    assert html_pattern(pattern) == written


@given(
    st.fixed_dictionaries(
        {},
        optional={
            name: st.integers(-9, 9) | st.floats(-9, 9) | st.booleans() | st.none()
            for name in (
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
            )
        },
    ),
    st.integers(-12, 12),
)
def test_bounds_for_the_browser_refuse_nothing_that_the_schema_allows(
    bounds: dict[str, Any], number: int
) -> None:
    bounds = {k: v for k, v in bounds.items() if type(v) in (int, float)}
    limits = limits_of(bounds, "integer")
    fits = float(limits.get("min", "-inf")) <= number <= float(limits.get("max", "inf"))
    is_valid = not Validator({"type": "integer", **bounds}).problems(number, 100)

    assert fits == is_valid
