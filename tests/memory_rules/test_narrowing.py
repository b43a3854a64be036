"""Schemas of a rule: which there may be, and that none takes long."""

from typing import Any

import pytest

from abilities_host.memory.broken import RuleBroken
from abilities_host.memory.narrowing import KEYWORDS, Narrowing, Value


def many(count: int, **schema: Any) -> dict[str, Any]:
    return {"anyOf": [dict(schema) for _ in range(count)]}


def deep(count: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(count):
        schema = {"not": schema}
    return schema


BACK = (
    "a pattern is too large, or looks ahead, looks behind or refers back; that could "
    "take any time, so write it without."
)


@pytest.mark.parametrize(
    ("schema", "sentence"),
    [
        (True, "it must be a JSON Schema, an object."),
        (
            {"propertes": {}},
            "'propertes' is no keyword of a rule's schema. Did you mean 'properties'?",
        ),
        (
            {"not": {"items": {"$ref": "#"}}},
            "at /not/items: '$ref' is no keyword of a rule's schema.",
        ),
        ({"type": "strin"}, "at /type: 'strin' is no type. Did you mean 'string'?"),
        (
            deep(24),
            "at /not/not/not/not/not/not/not/not: it is nested more than 24 deep.",
        ),
        (many(200), "it holds more than 200 schemas."),
        (many(21, pattern="a"), "it holds more than 20 patterns."),
        (
            {"patternProperties": {"a" * n: {} for n in range(21)}},
            "it holds more than 20 patterns.",
        ),
        ({"pattern": "(?=a)b"}, BACK),
        ({"pattern": r"(a)\1"}, BACK),
        ({"patternProperties": {"(?<!a)b": {}}}, BACK),
        ({"pattern": ".{1000}"}, BACK),
        (
            {"const": 1 << 80},
            "it holds text with lone surrogates or an integer beyond 64 bits.",
        ),
    ],
    ids=str,
)
def test_what_is_no_schema_of_a_rule_is_refused(schema: Any, sentence: str) -> None:
    with pytest.raises(RuleBroken) as refused:
        Narrowing("before", schema)
    assert str(refused.value).endswith(sentence)
    assert refused.value.details == {"field": "before"}


@pytest.mark.parametrize(
    "schema", [many(199), many(20, pattern="a"), deep(23)], ids=str
)
def test_up_to_the_limits_it_is_taken(schema: Any) -> None:
    assert isinstance(Narrowing("before", schema).may_fit(Value("a")), bool)


def test_every_keyword_is_one_of_the_standard_that_decides_something() -> None:
    assert KEYWORDS.isdisjoint({"$ref", "$dynamicRef", "$defs", "format", "default"})


@pytest.mark.parametrize(
    "pattern",
    ["^(a+)+$", "(a|aa)+b", "[a-z]*[a-f].{9}x", r"\w+[ab]+\w+c+\w", "(x+x+)+y"],
)
def test_no_pattern_takes_long(pattern: str) -> None:
    # An engine that goes back would not be done within the time that a test has.
    narrowing = Narrowing("target", many(20, pattern=pattern))
    assert isinstance(narrowing.may_fit(Value("ax" * 250_000 + "!")), bool)


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"a": 1}, True),
        ({"a": 2}, False),
        ({"a": "(hidden)"}, True),
        ({"a": 2, "b": ["(hidden)"]}, True),
    ],
)
def test_what_is_hidden_may_be_anything(
    value: Any,
    fits: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    narrowing = Narrowing("arguments", {"properties": {"a": {"const": 1}}})

    assert narrowing.may_fit(Value(value, is_masked=True)) is fits
    assert narrowing.may_fit(Value(value)) is (value["a"] == 1)
