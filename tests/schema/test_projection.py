"""What each rule of projection makes, in full."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from schema.strategies import JsonSchema, accepts, args
from schema.zoo import ADD, CLOSED, DELETE, obj

from abilities_host.schema.profiles import PROFILES, Profile
from abilities_host.schema.projection import LeftOut, Projected, project, project_output
from abilities_host.schema.projection.inline import inline_references
from abilities_host.schema.projection.rules import RULES
from abilities_host.schema.projection.work import UnfitError, Work

TEXT: JsonSchema = {"type": "string"}
WHOLE: JsonSchema = {"type": "integer"}
DRAFT_07 = "http://json-schema.org/draft-07/schema#"
NOT_STRICT = {"additionalProperties": True}

SHOWN: dict[str, tuple[str, JsonSchema, JsonSchema]] = {
    "what MCP allows is shown as it is": (
        "generic",
        {**obj(a={"oneOf": [TEXT, WHOLE]}), "anyOf": [{"required": ["a"]}]},
        {**obj(a={"oneOf": [TEXT, WHOLE]}), "anyOf": [{"required": ["a"]}]},
    ),
    "true and false are written out": (
        "generic",
        obj(a=True, b={"anyOf": [False, TEXT]}, c={"additionalProperties": False}),
        obj(
            a={},
            b={"anyOf": [{"not": {}}, TEXT]},
            c={"additionalProperties": False},
        ),
    ),
    "the end of a tuple is written out": (
        "vscode",
        obj(a={"type": "array", "prefixItems": [TEXT], "items": False}),
        obj(a={"type": "array", "prefixItems": [TEXT], "items": {"not": {}}}),
    ),
    "the end of a tuple is written out where a schema is rewritten": (
        "anthropic",
        {
            **obj(a={"$ref": "#/$defs/T"}),
            "$defs": {"T": {"type": "array", "prefixItems": [TEXT], "items": False}},
        },
        obj(a={"type": "array", "prefixItems": [TEXT], "items": {"not": {}}}),
    ),
    "a root loses its name, and references hold": (
        "generic",
        {"$id": "urn:x", **obj(a={"$ref": "#/$defs/T"}), "$defs": {"T": TEXT}},
        {**obj(a={"$ref": "#/$defs/T"}), "$defs": {"T": TEXT}},
    ),
    "a root keeps its anchor": (
        "generic",
        {"$schema": DRAFT_07, "$id": "#top", **obj(a={"$ref": "#top"})},
        {"$schema": DRAFT_07, "$id": "#top", **obj(a={"$ref": "#top"})},
    ),
    "bounds of draft-04 are left to the host, as a number they have no draft": (
        "cursor",
        {
            "$schema": "http://json-schema.org/draft-04/schema#",
            **obj(a={"type": "integer", "minimum": 0, "exclusiveMinimum": True}),
        },
        obj(a={"type": "integer", "minimum": 0}),
    ),
    "an enum without members is said in other words": (
        "cursor",
        obj(a={"not": {"enum": []}}),
        obj(a={"not": {"allOf": [{"not": {}}]}}),
    ),
    "I-02 arrays get items, never guessed": (
        "vscode",
        obj(a={"type": "array"}),
        obj(a={"type": "array", "items": {}}),
    ),
    "I-02 arrays get items beside words they would change": (
        "vscode",
        obj(a={"type": "array", "unevaluatedItems": False, "allOf": [{}]}),
        obj(a={"type": "array", "items": {}}),
    ),
    "I-05 objects get properties": (
        "openai",
        obj(a={"type": ["object", "null"]}),
        obj(a={"type": ["object", "null"], "properties": {}}),
    ),
    "I-09 the forms of a root are united": (
        "anthropic",
        {
            "title": "T",
            "anyOf": [
                {**ADD, **CLOSED, "description": "d"},
                {**DELETE, **CLOSED, "title": "t"},
            ],
        },
        {
            "title": "T",
            "type": "object",
            "properties": {
                "kind": {"anyOf": [{"const": "add"}, {"const": "delete"}]},
                "n": {"type": "number"},
            },
            "required": ["kind"],
            "additionalProperties": False,
        },
    ),
    "I-09 what one open form leaves open is left open": (
        "openai",
        {"type": "object", "oneOf": [obj("a", a={**TEXT, "title": "A"}), obj(b=WHOLE)]},
        obj(
            a={"title": "A", "description": "(string, by the other arguments)"},
            b={"description": "(integer, by the other arguments)"},
        ),
    ),
    "I-09 conditions of the root are given up": (
        "anthropic",
        {**obj(a=TEXT), "if": {"required": ["a"]}, "then": {"minProperties": 2}},
        obj(a=TEXT),
    ),
    "I-09 several schemas for a root are met": (
        "anthropic",
        {
            **obj("a", a=TEXT),
            "maxProperties": 5,
            "allOf": [
                {**obj("b", b=WHOLE, a={"maxLength": 3}), "maxProperties": 3},
                {"allOf": [{"additionalProperties": WHOLE}]},
            ],
        },
        {
            "type": "object",
            "maxProperties": 3,
            "properties": {"a": {**TEXT, "maxLength": 3}, "b": WHOLE},
            "required": ["a", "b"],
            "additionalProperties": WHOLE,
        },
    ),
    "I-09 a closed schema takes none of what another names": (
        "anthropic",
        {**obj("a", a=TEXT), **CLOSED, "allOf": [obj(b=WHOLE), obj(a={"title": "A"})]},
        {**obj("a", a={**TEXT, "title": "A"}), **CLOSED},
    ),
    "I-11 references are put in, with the words beside them": (
        "anthropic",
        {
            **obj(a={"$ref": "#/$defs/A", "description": "d", "maxLength": 3}),
            "$defs": {"A": {**TEXT, "minLength": 1}},
        },
        obj(a={"type": "string", "description": "d", "minLength": 1, "maxLength": 3}),
    ),
    "I-11 a circle is cut where all is accepted": (
        "anthropic",
        {
            **obj(a={"$ref": "#/$defs/A"}),
            "$defs": {"A": {"title": "A", **obj(b={"$ref": "#/$defs/A"})}},
        },
        obj(
            a={
                "title": "A",
                **obj(b={"title": "A", **obj(b={"title": "A", "type": "object"})}),
            }
        ),
    ),
    "I-12 null is a mark": (
        "gemini",
        obj(
            a={"type": ["string", "null"]},
            b={"type": "null"},
            c={"anyOf": [TEXT, WHOLE, {"type": "null"}], "title": "C"},
        ),
        obj(
            a={"type": "string", "nullable": True},
            b={"type": "string", "nullable": True},
            c={
                "title": "C",
                "anyOf": [{**TEXT, "nullable": True}, {**WHOLE, "nullable": True}],
            },
        ),
    ),
    "I-14 enums are of texts": (
        "gemini",
        obj(a={"type": "number", "enum": [0, 2.5]}, b={"enum": ["1", 1, None]}),
        obj(
            a={"type": "string", "enum": ["0", "2.5"]},
            b={"type": "string", "enum": ["1", "1 (no text)"], "nullable": True},
        ),
    ),
    "I-14 an enum that cannot be told is told in words": (
        "gemini",
        obj(a={"type": "boolean", "enum": [True]}, b={"const": 3}),
        obj(
            a={"type": "boolean", "description": "(one of: [true])"},
            b={"type": "string", "enum": ["3"]},
        ),
    ),
    "I-15 bounds are turned, other words told": (
        "gemini",
        obj(
            a={"type": "integer", "exclusiveMinimum": 0, "minimum": -3, "maximum": 9},
            b={"type": "integer", "exclusiveMaximum": 5, "description": "d"},
            c={"type": "string", "format": "uri", "default": ""},
            d={"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5},
        ),
        obj(
            a={**WHOLE, "minimum": 1, "maximum": 9}
            | {"description": "(exclusiveMinimum: 0)"},
            b={**WHOLE, "maximum": 4, "description": "d (exclusiveMaximum: 5)"},
            c={**TEXT, "description": '(format: uri; default: "")'},
            d={"type": "number", "minimum": 0, "maximum": 1.5}
            | {"description": "(exclusiveMinimum: 0; exclusiveMaximum: 1.5)"},
        ),
    ),
    "I-06 a free-form object is JSON text": (
        "gemini",
        obj("m", m={"type": "object", "description": "The map."}, n={}),
        obj(
            "m",
            m={
                **TEXT,
                "description": 'The map. (JSON text that fits {"type":"object"})',
            },
            n={**TEXT, "description": "(JSON text that says any value)"},
        ),
    ),
    "I-06 a free-form root is JSON text under a name": (
        "gemini",
        {"type": "object"},
        obj(
            "input",
            input={**TEXT, "description": '(JSON text that fits {"type":"object"})'},
        ),
    ),
    "the bounds of several forms are the widest": (
        "gemini",
        obj(
            a={
                "anyOf": [
                    {**WHOLE, "minimum": 5, "maximum": 9},
                    {"type": "number", "minimum": 1, "maximum": 2},
                ]
            },
            b={"anyOf": [{**WHOLE, "minimum": 5}, {**WHOLE, "maximum": 3}]},
        ),
        obj(a={"type": "number", "minimum": 1, "maximum": 9}, b=WHOLE),
    ),
    "several schemas are met": (
        "gemini",
        obj(
            a={"allOf": [{"type": "number", "maximum": 5}, {**WHOLE, "maximum": 3}]},
            b={"allOf": [{**WHOLE, "minimum": 2}, {"type": ["number", "string"]}]},
            c={"allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]},
            d={"allOf": [TEXT, WHOLE]},
            e={"allOf": [{"type": "array", "prefixItems": [TEXT]}, {"items": WHOLE}]},
        ),
        obj(
            a={**WHOLE, "maximum": 3},
            b={**WHOLE, "minimum": 2},
            c={**TEXT, "enum": ["b"]},
            d=TEXT,
            e={
                "type": "array",
                "items": {**TEXT, "description": "(JSON text that says any value)"},
            },
        ),
    ),
    "a reference that is true or false": (
        "anthropic",
        {
            **obj(a={"$ref": "#/$defs/y", "minLength": 1}, b={"$ref": "#/$defs/n"}),
            "$defs": {"y": True, "n": False},
        },
        obj(a={"minLength": 1}),
    ),
    "no arguments": ("gemini", {}, obj()),
    "forms of objects are kept where nothing is text": (
        "gemini",
        obj(a={"oneOf": [ADD, DELETE]}),
        obj(
            a={
                "anyOf": [
                    obj(
                        "kind",
                        "n",
                        kind={**TEXT, "enum": ["add"]},
                        n={"type": "number"},
                    ),
                    obj("kind", kind={**TEXT, "enum": ["delete"]}),
                ]
            }
        ),
    ),
    "places of a tuple are one": (
        "gemini",
        obj(a={"type": "array", "prefixItems": [TEXT, WHOLE], "items": False}),
        obj(a={"type": "array", "items": {"anyOf": [TEXT, WHOLE]}}),
    ),
    "I-17 all are required and may be null": (
        "openai-strict",
        obj("a", a=TEXT, b=TEXT),
        {**obj("a", "b", a=TEXT, b={"type": ["string", "null"]}), **CLOSED},
    ),
    "I-19 what has no strict form is loose": (
        "openai-strict",
        {"$schema": "https://json-schema.org/draft/2020-12/schema", **obj(m={})},
        obj(m={}),
    ),
    "I-19 what became simple is kept from looking strict": (
        "openai-strict",
        {"allOf": [obj("a", a=TEXT)]},
        {**obj("a", a=TEXT), **NOT_STRICT},
    ),
    "I-30 what is no object stands under a name": (
        "generic",
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:x"}
        | {"type": "array", "items": {"anyOf": [{"$ref": "#"}, TEXT]}},
        {"$schema": "https://json-schema.org/draft/2020-12/schema"}
        | obj(
            "input",
            input={
                "type": "array",
                "items": {"anyOf": [{"$ref": "#/properties/input"}, TEXT]},
            },
        ),
    ),
    "I-30 with a default it may be left out": (
        "generic",
        {"type": "integer", "default": 3},
        obj(input={"type": "integer", "default": 3}),
    ),
    "I-36 names are changed and told": (
        "anthropic",
        obj(
            "a b",
            "gone?",
            **{
                "a b": {"type": "array", "prefixItems": [{}], "items": obj(**{"": {}})},
                "a_b": TEXT,
                "é": {"default": {"a b": 1}, "enum": [[{"a b": 1}]]},
            },
        ),
        obj(
            "a_b_c8687a08",
            a_b_c8687a08={
                "type": "array",
                "prefixItems": [{}],
                "items": obj(property={"description": "(called '')"}),
                "description": "(called 'a b')",
            },
            a_b=TEXT,
            e={"description": "(called 'é')"},
        ),
    ),
}


@pytest.mark.parametrize(("profile", "schema", "shown"), SHOWN.values(), ids=SHOWN)
def test_what_the_clients_of_a_profile_are_shown(
    profile: str, schema: JsonSchema, shown: JsonSchema
) -> None:
    before = deepcopy(schema)

    made = project(schema, PROFILES[profile])

    assert isinstance(made, Projected)
    assert made.schema == shown
    assert schema == before


BACK: dict[str, tuple[str, JsonSchema, Any, Any]] = {
    "nothing to do": ("generic", obj(a=TEXT), {"a": "b"}, {"a": "b"}),
    "a wrapped value": ("generic", TEXT, {"input": "a"}, "a"),
    "a wrapped value that is left out": ("generic", TEXT, {}, None),
    "arguments that are not wrapped": ("generic", TEXT, {"a": 1}, {"a": 1}),
    "arguments that are no object": ("generic", TEXT, [1], [1]),
    "a label": ("gemini", obj(a={"enum": [1, "1"]}), {"a": "1 (no text)"}, {"a": 1}),
    "no label": ("gemini", obj(a={"enum": [1, 2]}), {"a": 2}, {"a": 2}),
    "JSON text": ("gemini", obj(a={}), {"a": "[1]"}, {"a": [1]}),
    "text that is no JSON": ("gemini", obj(a={}), {"a": "hello"}, {"a": "hello"}),
    "JSON text of another type than is wanted": (
        "gemini",
        obj(a={"anyOf": [TEXT, {"type": "object"}, {"type": "null"}]}),
        {"a": "12"},
        {"a": "12"},
    ),
    "a wanted JSON text": (
        "gemini",
        obj(a={"anyOf": [{"type": "number"}, {"type": "object"}]}),
        {"a": "12"},
        {"a": 12},
    ),
    "JSON that is no text": ("gemini", obj(a={}), {"a": [1]}, {"a": [1]}),
    "a wrapped JSON text": ("gemini", {"type": "object"}, {"input": "{}"}, {}),
    "items": (
        "gemini",
        obj(a={"type": "array", "items": {"enum": [1, 2]}}),
        {"a": ["2", "3"]},
        {"a": [2, "3"]},
    ),
    "no items": (
        "gemini",
        obj(a={"type": "array", "items": {"enum": [1, 2]}}),
        {"a": "2"},
        {"a": "2"},
    ),
    "a null for what is left out": (
        "openai-strict",
        obj("a", a=TEXT, b=TEXT),
        {"a": "1", "b": None},
        {"a": "1"},
    ),
    "names": (
        "anthropic",
        obj(**{"a b": obj(é=TEXT), "l": {"type": "array", "items": obj(ü={})}}),
        {"a_b": {"e": "1"}, "l": [{"u": 1}], "c": 2},
        {"a b": {"é": "1"}, "l": [{"ü": 1}], "c": 2},
    ),
    "the author's names are taken as well": (
        "anthropic",
        obj(**{"a b": TEXT}),
        {"a b": "1"},
        {"a b": "1"},
    ),
    "both names at once lose nothing": (
        "anthropic",
        obj(**{"a b": TEXT}),
        {"a b": "1", "a_b": "2"},
        {"a b": "1", "a_b": "2"},
    ),
    "names of places of a tuple": (
        "anthropic",
        obj(t={"type": "array", "prefixItems": [obj(**{"a b": {}})], "items": {}}),
        {"t": [{"a_b": 1}, {"a_b": 1}]},
        {"t": [{"a b": 1}, {"a_b": 1}]},
    ),
}


@pytest.mark.parametrize(
    ("profile", "schema", "arguments", "back"), BACK.values(), ids=BACK
)
def test_the_way_back(
    profile: str, schema: JsonSchema, arguments: Any, back: Any
) -> None:
    before = deepcopy(arguments)
    made = project(schema, PROFILES[profile])
    assert isinstance(made, Projected)

    assert made.reverse.apply(arguments) == back
    assert arguments == before


def test_what_is_changed_can_be_read() -> None:
    schema = obj(a={}, b={"type": "array", "items": {"enum": [1, 2]}})

    gemini = project(schema, PROFILES["gemini"])
    anthropic = project(
        {"type": "array", "items": obj(**{"a b": {}})}, PROFILES["anthropic"]
    )
    strict = project(obj(a=TEXT), PROFILES["openai-strict"])

    assert isinstance(gemini, Projected)
    assert isinstance(anthropic, Projected)
    assert isinstance(strict, Projected)
    assert gemini.reverse.describe() == {
        "json_text": ["/a"],
        "labels": {"/b/*": {"1": 1, "2": 2}},
    }
    assert gemini.notes == ("/: what the client has no words for is sent as text",)
    assert anthropic.reverse.describe() == {
        "renamed": {"a_b": "a b"},
        "wrapped_under": "input",
    }
    assert anthropic.notes == (
        "'a b' is shown as 'a_b'",
        "/: the value stands under 'input'",
    )
    assert strict.reverse.describe() == {"null_for_left_out": True}
    assert project(obj("m", m={}), PROFILES["openai-strict"]) == Projected(
        obj("m", m={}), notes=("not strict: /properties/m: a value of any kind",)
    )


def entangled(forms: int, levels: int) -> JsonSchema:
    """Give forms that share ever more places, with names that are refused."""
    made = []
    for number in range(forms):
        form: JsonSchema = dict(TEXT)
        for level in range(levels):
            named = {f"n {number} {level}": form}
            form = {
                "type": "object",
                "properties": named,
                "additionalProperties": form,
            }
        made.append(form)
    return obj(x={"anyOf": made})


MANY = args(**{f"name {number:04}": dict(TEXT) for number in range(6_000)})
REASONS: dict[str, tuple[Any, str]] = {
    "no mapping": (["a"], "schema at /: must be a mapping, but array came."),
    "a reference to nowhere": (
        obj(a={"$ref": "#/$defs/gone"}),
        "schema at /properties/a/$ref: '#/$defs/gone' leads to no schema.",
    ),
    "forms without end": (
        entangled(7, 6),
        "its forms are too entangled for names to be changed",
    ),
    "more than is shown": (
        MANY,
        "its form is 402,032 bytes long; the limit is 262,144",
    ),
}


@pytest.mark.parametrize(("schema", "reason"), REASONS.values(), ids=REASONS)
def test_what_has_no_form_is_left_out_with_the_reason(schema: Any, reason: str) -> None:
    assert project(schema, PROFILES["anthropic"]) == LeftOut(reason)


def test_a_rule_that_meets_a_reference_to_nowhere_says_so() -> None:
    schema = obj(a={"$ref": "#/$defs/gone"})

    with pytest.raises(UnfitError, match="a reference leads to no schema"):
        inline_references(Work(PROFILES["gemini"], schema, schema))


def deep(levels: int) -> JsonSchema:
    if not levels:
        return {"type": "object"}
    return {"anyOf": [obj(a=deep(levels - 1), b=TEXT), obj(a=deep(levels - 1))]}


def test_where_the_room_ends_a_value_is_told_as_text() -> None:
    made = project(obj(x=deep(9)), PROFILES["gemini"])

    assert isinstance(made, Projected)
    assert len(str(made.schema)) < 2_000
    value = {"x": {"a": {"a": {"a": [1]}}}}
    assert accepts(made.schema, made.reverse.image(value))
    assert made.reverse.apply(made.reverse.image(value)) == value


RESULTS: dict[str, tuple[str, JsonSchema, Any]] = {
    "as it is": ("generic", obj(a=TEXT), obj(a=TEXT)),
    "renamed": (
        "anthropic",
        obj(**{"a b": TEXT}),
        "results would have to be renamed or sent as text",
    ),
    "as text": (
        "gemini",
        obj(a={}),
        "results would have to be renamed or sent as text",
    ),
    "null": (
        "gemini",
        obj(a={"type": ["string", "null"]}),
        "results may be null, for which clients check by a type",
    ),
    "no object": (
        "gemini",
        TEXT,
        "a result that is no object has no form in the dialect",
    ),
    "any JSON": ("anthropic", TEXT, TEXT),
    "never strict": ("openai-strict", obj(a=TEXT), obj(a=TEXT)),
    "no schema": ("generic", {"type": "str"}, "schema at /type: 'str' is no type."),
}


@pytest.mark.parametrize(
    ("profile", "schema", "expected"), RESULTS.values(), ids=RESULTS
)
def test_the_schema_of_results(profile: str, schema: JsonSchema, expected: Any) -> None:
    made = project_output(schema, PROFILES[profile])

    if isinstance(made, LeftOut):
        assert made.reason.startswith(expected)
    else:
        assert made == Projected(expected)


def test_a_profile_that_a_pack_adds_is_told_by_its_data() -> None:
    generic, gemini = PROFILES["generic"], PROFILES["gemini"]
    schema = obj(a=True, b={**TEXT, "format": "uri"}, c={**WHOLE, "minimum": 1})

    taken = replace(generic, name="new", boolean_schemas=True)
    plain = replace(generic, name="plain", formats=False)
    single = replace(generic, name="single", type_arrays=False)
    known = gemini.keywords or frozenset()
    few = replace(gemini, name="few", keywords=known - {"minimum"})

    bare = replace(generic, name="bare", unknown=frozenset({"pattern"}))
    matched = obj(a={"not": {"pattern": "^a"}}, b={**TEXT, "pattern": "^b"})

    assert shown(matched, bare) == obj(a={}, b=TEXT)
    text = {**TEXT, "description": "(JSON text that says any value)"}
    told = {**TEXT, "description": "(format: uri)"}
    assert [shown(schema, each) for each in (taken, plain, single, few)] == [
        schema,
        obj(a={}, b=TEXT, c={**WHOLE, "minimum": 1}),
        obj(a=text, b=told, c={**WHOLE, "minimum": 1}),
        obj(a=text, b=told, c=WHOLE),
    ]


def shown(schema: JsonSchema, profile: Profile) -> JsonSchema:
    made = project(schema, profile)
    assert isinstance(made, Projected)
    return made.schema


def test_the_rules_are_in_their_order() -> None:
    assert [rule.name for rule in RULES] == [
        "make the strict form",
        "leave out the identifier",
        "write out true and false",
        "write out empty enums",
        "put in what references mean",
        "keep positive words only, merge allOf",
        "unite the forms of the root",
        "sanitise what was rewritten",
        "rename properties",
        "wrap what is no object",
        "one type, null as a mark, enums of texts",
        "properties for every object",
        "leave out what is refused",
        "write out the end of tuples",
        "stay loose",
    ]
