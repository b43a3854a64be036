"""A checker finds each fault that the projection takes care of."""

from typing import Any

import pytest
from schema.strategies import JsonSchema
from schema.zoo import ADDRESS, CLOSED, TEXT, obj

from abilities_host.schema.checkers import accepts
from abilities_host.schema.profiles import PROFILES

LOOSE = obj(a=TEXT, b={"type": "integer"})
STRICT = {**obj("a", a=TEXT), **CLOSED}

REFUSED: dict[str, tuple[str, Any, list[str]]] = {
    "no mapping": ("generic", [], ["/: is no mapping"]),
    "no object": ("generic", {"type": "string"}, ["/: the root is no object"]),
    "no schema": (
        "generic",
        {"type": "object", "minimum": "1"},
        ["/: is no JSON Schema"],
    ),
    "of an unknown draft": (
        "generic",
        {"$schema": "urn:unknown", **obj()},
        ["/: is no JSON Schema"],
    ),
    "I-01 an empty text in an enum": (
        "gemini",
        obj(a={**TEXT, "enum": ["a", ""]}),
        ["/properties/a: an enum with a member that is no text or empty"],
    ),
    "I-01 an enum without members": (
        "vscode",
        obj(a={"items": {"not": {"enum": []}}}),
        ["/properties/a/items/not: an enum without members"],
    ),
    "I-02 no items": (
        "vscode",
        obj(a={"anyOf": [{"type": ["array", "null"]}]}),
        ["/properties/a/anyOf/0: an array without 'items'"],
    ),
    "I-04 properties that are a list": (
        "cursor",
        {"type": "object", "properties": []},
        ["/: is no JSON Schema", "/: 'properties' is no mapping"],
    ),
    "I-05 no properties": (
        "openai",
        {**obj(), "$defs": {"a": {"type": "object"}}},
        ["/$defs/a: an object without 'properties'"],
    ),
    "I-06 empty properties": (
        "gemini",
        obj(a=obj()),
        ["/properties/a: an object whose 'properties' are empty"],
    ),
    "I-07 required that is empty": (
        "cursor",
        {**obj(), "required": []},
        ["/: 'required' is no list of different names"],
    ),
    "I-07 required that is a mapping": (
        "cursor",
        {**obj(), "required": {}},
        ["/: is no JSON Schema", "/: 'required' is no list of different names"],
    ),
    "I-09 a composed root": (
        "anthropic",
        {**obj(), "anyOf": [{}], "if": {}},
        ["/: 'anyOf' at the root", "/: 'if' at the root"],
    ),
    "I-11 a reference": (
        "gemini",
        obj(a={"type": "string", "$ref": "#/$defs/a"}),
        [
            "/properties/a: the keyword '$ref' is not known",
            "/properties/a: a reference",
        ],
    ),
    "I-11 a reference to nowhere": (
        "generic",
        obj(
            a={"$ref": "#/gone"},
            b={"$ref": "#/properties/c/anyOf/7"},
            c={"anyOf": [{}]},
        ),
        [
            "/properties/a: a reference to an undefined schema",
            "/properties/b: a reference to an undefined schema",
        ],
    ),
    "I-12 a list of types": (
        "gemini",
        obj(a={"type": ["string", "null"]}),
        ["/properties/a: a list of types", "/properties/a: null as a type"],
    ),
    "no type": ("gemini", obj(a={}), ["/properties/a: no type"]),
    "words beside forms": (
        "gemini",
        obj(a={"anyOf": [TEXT], "nullable": True}),
        ["/properties/a: other words beside 'anyOf'"],
    ),
    "I-14 an enum of numbers": (
        "gemini",
        obj(a={"type": "integer", "enum": [1]}),
        [
            "/properties/a: an enum of what is no string",
            "/properties/a: an enum with a member that is no text or empty",
        ],
    ),
    "I-15 words that are not known": (
        "gemini",
        {"$schema": "https://json-schema.org/draft/2020-12/schema", **obj()},
        ["/: the keyword '$schema' is not known"],
    ),
    "I-15 a word that is disliked": (
        "openai",
        {"$schema": "https://json-schema.org/draft/2020-12/schema", **obj()},
        ["/: the keyword '$schema' is not known"],
    ),
    "I-18 a format": (
        "openai-strict",
        obj(a={**TEXT, "format": "uri"}),
        ["/properties/a: a format"],
    ),
    "I-36 a name": (
        "anthropic",
        obj(a=obj(**{"$top": TEXT})),
        ["/properties/a: a property's name is not taken"],
    ),
    "true and false": (
        "generic",
        obj(a=True, b={"additionalProperties": False}),
        ["/: a schema that is true or false"],
    ),
    "I-17 a strict form that is none": (
        "openai-strict",
        {**obj("a", a={**ADDRESS, "minProperties": 1}), **CLOSED},
        [
            "/properties/a: an object that is not closed",
            "/properties/a: the keyword 'minProperties' in the strict form",
        ],
    ),
    "I-17 a part that does not require all": (
        "openai-strict",
        {**obj("a", a={**obj(b=TEXT), **CLOSED}), **CLOSED},
        ["/properties/a: 'required' does not name every property"],
    ),
}


@pytest.mark.parametrize(("profile", "schema", "found"), REFUSED.values(), ids=REFUSED)
def test_what_the_clients_of_a_profile_refuse(
    profile: str, schema: Any, found: list[str]
) -> None:
    assert accepts(PROFILES[profile], schema) == found


TAKEN: dict[str, tuple[str, JsonSchema]] = {
    **{name: (name, LOOSE) for name in PROFILES},
    "strict": ("openai-strict", STRICT),
    "strict without arguments": (
        "openai-strict",
        {**obj(), **CLOSED, "required": []},
    ),
    "references": (
        "generic",
        {
            **obj(a={"$ref": "#/$defs/x~1y"}, b={"$ref": "#/$defs/t/prefixItems/0"}),
            "$defs": {
                "x/y": {"$ref": "#/$defs/a%20b"},
                "a b": {},
                "t": {"prefixItems": [{}]},
            },
        },
    ),
}


@pytest.mark.parametrize(("profile", "schema"), TAKEN.values(), ids=TAKEN)
def test_what_the_clients_of_a_profile_take(profile: str, schema: JsonSchema) -> None:
    assert accepts(PROFILES[profile], schema) == []


def test_at_most_thirty_two_faults_are_told() -> None:
    many = obj(**{f"a{n}": {"type": "array"} for n in range(50)})

    assert len(accepts(PROFILES["vscode"], many)) == 32
