"""What would cost a client the whole listing is found, and nothing else."""

from typing import Any

import pytest
from schema.zoo import obj

from abilities_host.schema.odd import is_odd, is_unreadable

ODD: dict[str, Any] = {
    "a name": {"$id": "urn:x", **obj()},
    "a name of draft-04": {"id": "urn:x", **obj()},
    "a bound that is a mark": obj(a={"minimum": 0, "exclusiveMinimum": True}),
    "a mark under a condition": {**obj(), "if": {"exclusiveMaximum": False}},
    "a property of any kind": obj(a=True),
    "an impossible form": obj(a={"anyOf": [False, {}]}),
    "the end of a tuple": obj(a={"prefixItems": [{}], "items": False}),
}
PLAIN: dict[str, Any] = {
    "nothing": {},
    "an anchor": {"$id": "#top", **obj()},
    "properties with such names": obj(id={"type": "string"}, **{"$id": {}}),
    "a closed object": {**obj(), "additionalProperties": False},
    "bounds": obj(a={"exclusiveMinimum": 0}),
    "values that look alike": obj(a={"const": {"$id": "urn:x", "items": False}}),
}


@pytest.mark.parametrize("schema", ODD.values(), ids=ODD)
def test_what_costs_a_listing_is_odd(schema: Any) -> None:
    assert is_odd(schema)


@pytest.mark.parametrize("schema", PLAIN.values(), ids=PLAIN)
def test_whatever_else_there_is_is_not_odd(schema: Any) -> None:
    assert not is_odd(schema)


PATTERNS = {
    r"^[a-z0-9_.-]{1,64}$": False,
    r"^(?:\d+|\w\.\w)(?=x)(?!y)(?<=z)(?<name>\u00e9)?$": False,
    r"^[\w\-\]]+\[\{$": False,
    r"^[^\\]*\1\b$": False,
    r"^\d+\-\d+$": True,
    r"(?i)^a": True,
    r"(?P<name>a)": True,
    r"^\_$": True,
    "^a{$": True,
    "^]$": True,
}


@pytest.mark.parametrize(("pattern", "expected"), PATTERNS.items(), ids=PATTERNS)
def test_a_pattern_that_javascript_may_refuse_is_unreadable(
    pattern: str, expected: object
) -> None:
    assert is_unreadable(obj(a={"type": "string", "pattern": pattern})) is expected


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({"id": "a"}, True),
        ({"nullable": True}, True),
        ({"type": "string", "nullable": True}, False),
        ({"const": {"id": 1}}, False),
    ],
)
def test_words_of_elsewhere_are_unreadable(node: Any, expected: object) -> None:
    assert is_unreadable(obj(id=node)) is expected
