"""A zoo of schemas on which clients were seen to choke, each with values it accepts.

The row in a name is that of the collected failures it comes from.
"""

from typing import Any, NamedTuple

JsonSchema = dict[str, Any]


class Animal(NamedTuple):
    """A schema, and values that the host accepts for it.

    Attributes:
        schema: the author's.
        values: at least one.
    """

    schema: JsonSchema
    values: tuple[Any, ...]


def obj(*required: str, **properties: Any) -> JsonSchema:
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **needed}


def one(schema: Any, *values: Any) -> Animal:
    """Put a schema under a property that may be left out."""
    return Animal(obj(x=schema), ({}, *({"x": value} for value in values)))


TEXT: JsonSchema = {"type": "string"}
WHOLE: JsonSchema = {"type": "integer"}
NUMBER: JsonSchema = {"type": "number"}
NULL: JsonSchema = {"type": "null"}
CLOSED = {"additionalProperties": False}
DRAFT_07 = {"$schema": "http://json-schema.org/draft-07/schema#"}
ADDRESS = obj("city", city=TEXT)
TREE = obj(v=WHOLE, kids={"type": "array", "items": {"$ref": "#/$defs/T"}})
ADD = obj("kind", "n", kind={"const": "add"}, n=NUMBER)
DELETE = obj("kind", kind={"const": "delete"})


def chain(length: int) -> JsonSchema:
    """Give definitions of which each is said by the next one."""
    links = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(length)}
    return {**links, f"d{length}": TEXT}


def doubling(levels: int) -> JsonSchema:
    """Give definitions that are put in 2 to the power of `levels` times."""
    twice = {
        f"d{n}": obj(l={"$ref": f"#/$defs/d{n + 1}"}, r={"$ref": f"#/$defs/d{n + 1}"})
        for n in range(levels)
    }
    return {**twice, f"d{levels}": TEXT}


def nested(levels: int) -> JsonSchema:
    """Give an object in an object, many times."""
    schema: JsonSchema = dict(TEXT)
    for _ in range(levels):
        schema = obj(a=schema)
    return schema


ZOO: dict[str, Animal] = {
    "I-01 an empty member of an enum": one(
        {"type": "string", "enum": ["list", "open", ""], "default": ""}, "list"
    ),
    "I-01 only an empty member": one({"type": "string", "enum": [""]}, ""),
    "I-01 an empty member deep inside": one(
        {"type": "array", "items": obj(age={"enum": ["", "1h"]})}, [{"age": "1h"}], []
    ),
    "I-01 an empty member under oneOf": one(
        {"oneOf": [{"enum": ["", "a"]}, WHOLE]}, "a", 3
    ),
    "I-02 an array without items": one({"type": "array"}, [], [1, "a", None]),
    "I-02 nested arrays without items": one(
        obj(create={"type": "array"}, delete={"type": ["array", "null"]}),
        {"create": [{}], "delete": None},
    ),
    "I-02 an array among types without items": one(
        {"type": ["array", "string"]}, "a", ["a"]
    ),
    "I-03 an array of objects": one(
        {"type": "array", "items": obj("id", id=WHOLE)}, [{"id": 1}]
    ),
    "I-04 properties that are a list": Animal(
        {"type": "object", "properties": []}, ({},)
    ),
    "I-04 nested properties that are a list": one(
        {"type": "object", "properties": [], **CLOSED}, {}
    ),
    "I-05 an object without properties": Animal({"type": "object"}, ({}, {"a": 1})),
    "I-05 a closed object without properties": Animal(
        {"type": "object", **CLOSED}, ({},)
    ),
    "I-06 an empty object below": one(obj(), {}),
    "I-06 a free-form object below": one({"type": "object"}, {}, {"a": {"b": [1]}}),
    "I-06 a free-form object or text": one(
        {"anyOf": [{"type": "object"}, TEXT]}, {"a": 1}, "{}", "a", "1"
    ),
    "I-07 required that is an object": Animal(
        {**obj(a=TEXT), "required": {}}, ({}, {"a": "b"})
    ),
    "I-07 required that is null": Animal({**obj(a=TEXT), "required": None}, ({},)),
    "I-07 required that is empty": Animal({**obj(a=TEXT), "required": []}, ({},)),
    "G06 required without the property": Animal(
        {**obj(a=TEXT), "required": ["a", "gone"]}, ({"a": "b", "gone": 1},)
    ),
    "I-09 anyOf at the root": Animal(
        {**obj(id=TEXT, name=TEXT), "anyOf": [{"required": ["id"]}, obj("name")]},
        ({"id": "1"}, {"name": "a", "other": 1}),
    ),
    "I-09 oneOf at the root without a type": Animal(
        {"oneOf": [{**ADD, **CLOSED}, {**DELETE, **CLOSED}]},
        ({"kind": "add", "n": 1.5}, {"kind": "delete"}),
    ),
    "I-09 open forms at the root": Animal(
        {"anyOf": [ADD, DELETE]},
        ({"kind": "add", "n": 1}, {"kind": "delete", "n": "not a number"}),
    ),
    "I-09 allOf at the root": Animal(
        {"type": "object", "allOf": [obj("a", a=TEXT), obj(b=WHOLE)]},
        ({"a": "b", "b": 1}, {"a": "", "c": None}),
    ),
    "I-09 if and then at the root": Animal(
        {**obj(a=TEXT, b=TEXT), "if": {"required": ["a"]}, "then": {"required": ["b"]}},
        ({}, {"b": ""}, {"a": "1", "b": "2"}),
    ),
    "I-09 not at the root": Animal(
        {**obj(a=TEXT, b=TEXT), "not": {"required": ["a", "b"]}}, ({"a": "1"}, {})
    ),
    "I-09 forms of the root that are no objects": Animal(
        {"anyOf": [ADDRESS, TEXT]}, ({"city": "a"}, "a", "{}")
    ),
    "I-11 references": Animal(
        {
            **obj("home", home={"$ref": "#/$defs/A"}, all={"$ref": "#/$defs/L"}),
            "$defs": {
                "A": ADDRESS,
                "L": {"type": "array", "items": {"$ref": "#/$defs/A"}},
            },
        },
        ({"home": {"city": "a"}, "all": [{"city": "b"}]},),
    ),
    "I-11 words beside a reference": Animal(
        {
            **obj(a={"$ref": "#/$defs/A", "description": "d", "minProperties": 1}),
            "$defs": {"A": ADDRESS},
        },
        ({"a": {"city": "b"}},),
    ),
    "I-11 words beside a reference in draft-07": Animal(
        {
            **DRAFT_07,
            **obj(a={"$ref": "#/definitions/A", "type": "object"}),
            "definitions": {"A": TEXT},
        },
        ({"a": "b"},),
    ),
    "I-11 a tree": Animal(
        {**obj(root={"$ref": "#/$defs/T"}), "$defs": {"T": TREE}},
        ({"root": {"v": 1, "kids": [{"kids": [{"kids": [{"v": 2}]}]}]}}, {}),
    ),
    "I-11 a root that refers to itself": Animal(
        obj(v=WHOLE, next={"$ref": "#"}), ({"next": {"next": {"next": {"v": 1}}}},)
    ),
    "I-11 a root that is a reference": Animal(
        {"$ref": "#/$defs/A", "$defs": {"A": ADDRESS}}, ({"city": "a"},)
    ),
    "I-11 a reference in a choice": Animal(
        {
            **obj(a={"anyOf": [{"$ref": "#/$defs/A"}, NULL], "default": None}),
            "$defs": {"A": ADDRESS},
        },
        ({"a": None}, {"a": {"city": "b"}}, {}),
    ),
    "I-11 a long chain of references": Animal(
        {**obj(a={"$ref": "#/$defs/d0"}), "$defs": chain(40)}, ({"a": "b"},)
    ),
    "I-11 references that double": Animal(
        {**obj(a={"$ref": "#/$defs/d0"}), "$defs": doubling(18)},
        ({"a": {"l": {"r": {"l": {}}}}},),
    ),
    "I-11 an escaped reference": Animal(
        {**obj(a={"$ref": "#/$defs/x~1y%20z"}), "$defs": {"x/y z": TEXT}},
        ({"a": "b"},),
    ),
    "I-11 an anchor": Animal(
        {**obj(a={"$ref": "#here"}), "$defs": {"x": {"$anchor": "here", **TEXT}}},
        ({"a": "b"},),
    ),
    "I-12 a list of types with null": one({"type": ["string", "null"]}, "a", None),
    "I-12 a choice with null": one({"anyOf": [TEXT, NULL]}, "a", None),
    "I-12 null alone": one(NULL, None),
    "I-12 a list of types": one({"type": ["string", "integer"]}, "1", 1),
    "I-12 an object that may be null": one(
        {"type": ["object", "null"], "properties": {"a": TEXT}}, None, {"a": "b"}
    ),
    "I-14 an enum of numbers": one({"type": "number", "enum": [0, 1, 2.5]}, 0, 2.5),
    "I-14 an enum of numbers or null": one({"enum": [1, 2, None]}, 1, None),
    "I-14 an enum of all kinds": one(
        {"enum": ["1", 1, True, None, [1], {"a": 1}]},
        *("1", 1, True, None, [1], {"a": 1}),
    ),
    "I-14 an enum of texts without a type": one({"enum": ["a", "b"]}, "a"),
    "I-14 a choice of numeric constants": one(
        {"anyOf": [{"const": 6}, {"const": 7}, {"const": 7.5}]}, 6, 7.5
    ),
    "I-14 an enum of lists": one(
        {
            "type": ["array", "null"],
            "items": WHOLE,
            "enum": [[1], [1, 2], None],
        },
        [1],
        None,
    ),
    "I-14 an enum of numbers beside text": one(
        {"anyOf": [{"enum": [1, 2]}, TEXT]}, 1, "1", "a"
    ),
    "I-14 an enum of booleans": one({"type": "boolean", "enum": [True]}, *(True,)),
    "I-15 exclusive bounds": one(
        {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9}, 1, 8
    ),
    "I-15 an exclusive bound of a number": one(
        {"type": "number", "exclusiveMinimum": 0}, 0.001
    ),
    "I-15 a boolean exclusive bound": Animal(
        {
            "$schema": "http://json-schema.org/draft-04/schema#",
            **obj(x={"type": "integer", "minimum": 0, "exclusiveMinimum": True}),
        },
        ({"x": 1},),
    ),
    "I-15 words of the schema itself": Animal(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": "urn:x",
            "$comment": "c",
            **obj(a=TEXT),
        },
        ({"a": "b"},),
    ),
    "I-15 a constant": one({"const": "fixed"}, "fixed"),
    "I-15 multiples and unique items": one(
        {"type": "array", "items": {**WHOLE, "multipleOf": 2}, "uniqueItems": True},
        [2, 4],
    ),
    "I-17 a page": Animal(
        obj(
            "title",
            title=TEXT,
            status={"enum": ["draft", "publish"]},
            content={"type": "array", "items": {"type": "object"}},
        ),
        ({"title": "a"}, {"title": "a", "status": "draft", "content": [{"b": 1}]}),
    ),
    "I-18 formats, defaults and patterns": Animal(
        obj(
            "url",
            url={"type": "string", "format": "uri"},
            size={"type": "integer", "default": 10, "minimum": 1},
            code={"type": "string", "pattern": "^a+$", "minLength": 2},
        ),
        ({"url": "u", "size": 3, "code": "aa"}, {"url": ""}),
    ),
    "I-19 no word at all": Animal({}, ({},)),
    "I-19 a map of numbers": one(
        {"type": "object", "additionalProperties": NUMBER}, {"a": 1.5}, {}
    ),
    "I-19 an open object with properties": Animal(
        {**obj("a", a=TEXT), "additionalProperties": True}, ({"a": "", "b": [1]},)
    ),
    "I-19 others with a schema": Animal(
        {**obj(a=TEXT), "additionalProperties": WHOLE}, ({"a": "", "b": 1},)
    ),
    "I-20 an array without items in a choice": one(
        {"anyOf": [TEXT, WHOLE, {"type": "array"}]}, "a", 1, [1]
    ),
    "I-30 a root of text": Animal({**TEXT, "description": "d"}, ("a", "{}", "")),
    "I-30 a root of a list": Animal({"type": "array", "items": WHOLE}, ([1], [])),
    "I-30 a root with a default": Animal({"type": "integer", "default": 3}, (1,)),
    "I-36 names with marks": Animal(
        obj("$top", **{"$top": WHOLE, "StartTime<": TEXT, "x[]": {"type": "array"}}),
        ({"$top": 1}, {"$top": 1, "StartTime<": "a", "x[]": [1]}),
    ),
    "I-36 names in other scripts": Animal(
        {"type": "object", "properties": dict.fromkeys(("ação", "名前", "acao"), TEXT)},
        ({"ação": "1", "名前": "2", "acao": "3"},),
    ),
    "I-36 a long name": Animal(
        obj("n" * 70, **{"n" * 70: TEXT, "n" * 71: TEXT}),
        ({"n" * 70: "a", "n" * 71: "b"},),
    ),
    "I-36 names below, in forms and lists": one(
        {
            "type": "array",
            "items": {
                "anyOf": [obj("a b", **{"a b": WHOLE}), {"required": ["a b", "é"]}]
            },
        },
        [{"a b": 1}, {"a b": "", "é": None}],
    ),
    "I-36 an empty name": Animal(obj(**{"": TEXT}), ({"": "a"},)),
    "I-36 names of a pattern": Animal(
        {**obj(**{"a b": TEXT}), "patternProperties": {"^x ": WHOLE}, **CLOSED},
        ({"a b": "", "x 1": 1},),
    ),
    "I-36 names that are listed": Animal(
        {**obj(**{"a b": TEXT}), "propertyNames": {"enum": ["a b", "c"]}},
        ({"a b": "", "c": 1},),
    ),
    "a tuple": one(
        {"type": "array", "prefixItems": [NUMBER, TEXT], "items": False}, [1, "a"], []
    ),
    "an open tuple": one({"type": "array", "prefixItems": [NUMBER]}, [1, "a", {}]),
    "a tuple of draft-07": Animal(
        {
            **DRAFT_07,
            **obj(x={"type": "array", "items": [WHOLE], "additionalItems": TEXT}),
        },
        ({"x": [1, "a"]},),
    ),
    "a property of any kind": Animal(obj(x=True, y={}), ({"x": [None], "y": "a"},)),
    "a property that may not be there": Animal(obj(x=False, y=TEXT), ({"y": ""},)),
    "forms of an object": one({"oneOf": [ADD, DELETE]}, {"kind": "add", "n": 1}),
    "forms with a free-form part": one(
        {"anyOf": [obj("a", a={"type": "object"}), obj("b", b=WHOLE)]},
        {"a": {"x": 1}},
        {"b": 2},
        {"b": 2, "a": "free"},
    ),
    "a list of forms": one(
        {"type": "array", "items": {"anyOf": [TEXT, ADDRESS, NULL]}},
        ["a", {"city": "b"}, None],
    ),
    "conditions": one(
        {
            **obj(a=TEXT),
            "dependentRequired": {"a": ["b"]},
            "dependentSchemas": {"a": {"properties": {"b": WHOLE}}},
        },
        {"a": "", "b": 1},
    ),
    "contains": one({"type": "array", "contains": WHOLE, "maxContains": 1}, ["a", 1]),
    "unevaluated properties": Animal(
        {
            "type": "object",
            "allOf": [{"properties": {"a": TEXT}}],
            "unevaluatedProperties": False,
        },
        ({"a": "b"},),
    ),
    "unevaluated properties of a condition": Animal(
        {
            **obj(a=TEXT),
            "if": {"required": ["a"]},
            "then": {"properties": {"b": WHOLE}},
            "unevaluatedProperties": False,
        },
        ({}, {"a": "", "b": 1}),
    ),
    "unevaluated items": one(
        {"type": "array", "prefixItems": [TEXT], "unevaluatedItems": False}, ["a"]
    ),
    "names with a schema": one(
        {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}, {"a": 1}
    ),
    "an impossible property": Animal(obj(x={"not": {}}, y={"enum": []}), ({},)),
    "types that contradict": Animal(
        obj(x={"allOf": [TEXT, WHOLE]}, y=TEXT), ({"y": "a"},)
    ),
    "a very deep object": Animal(nested(28), ({"a": {"a": {}}},)),
    "many forms": one(
        {"anyOf": [obj("k", k={"const": str(n)}) for n in range(80)]}, {"k": "79"}
    ),
    "a large enum": one({"enum": list(range(1200))}, 0, 1199),
    "a large bound": one({"type": "integer", "exclusiveMinimum": 1e300}),
    "a root with an identifier": Animal(
        {
            "$id": "urn:x",
            "type": ["object", "null"],
            "properties": {"a": {"$ref": "#"}},
        },
        (None, {"a": {"a": None}}),
    ),
}
