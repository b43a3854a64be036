"""jsonschema is the oracle; where the two differ is written down here."""

from typing import Any

import jsonschema  # type: ignore[import-untyped]  # the oracle ships no types
import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schema.strategies import DRAFT_07, JsonSchema, Pair, accepts, documents

from abilities_host.schema.validate import Validator

ORACLES = {
    DRAFT_07: jsonschema.Draft7Validator,
    None: jsonschema.Draft202012Validator,
}


def oracle_accepts(schema: JsonSchema, value: Any) -> bool:
    return bool(ORACLES[schema.get("$schema")](schema).is_valid(value))


KNOWN: dict[str, tuple[JsonSchema, Any, bool]] = {
    "multipleOf is decimal": ({"multipleOf": 0.1}, 0.3, True),
    "multipleOf is decimal for prices": ({"multipleOf": 0.01}, 1.13, True),
    "multipleOf of very large numbers": ({"multipleOf": 1.5}, 2**53, False),
    "$ is the very end": ({"pattern": "a$"}, "a\n", False),
    "^.$ is one character": ({"pattern": "^.$"}, "a\n", False),
    "a dot is no line separator": ({"pattern": "."}, "\u2028", False),
    "\\w is ASCII": ({"pattern": "\\w"}, "é", False),
    "\\d is ASCII": ({"pattern": "\\d"}, "\u0663", False),
    "a name by pattern": (
        {"patternProperties": {"\\d": False}},
        {"\u0663": 1},
        True,
    ),
    "under not the sign turns": ({"not": {"pattern": "\\w"}}, "é", True),
    "a tuple is an array": ({"type": "array"}, (1,), True),
    "NaN is no number": ({"type": "number"}, float("nan"), False),
    "content is judged in draft-07": (
        {"$schema": DRAFT_07, "contentEncoding": "base64"},
        "%",
        False,
    ),
}


@pytest.mark.parametrize(("schema", "value", "accepted"), KNOWN.values(), ids=KNOWN)
def test_the_known_differences(
    schema: JsonSchema, value: Any, *, accepted: bool
) -> None:
    assert accepts(schema, value) is accepted
    assert oracle_accepts(schema, value) is not accepted


REFUSED_PATTERNS = ["^a\\Z", "a{,3}"]
"""Patterns that Python takes and ECMA-262 does not."""


@pytest.mark.parametrize("pattern", REFUSED_PATTERNS)
def test_a_pattern_of_python_alone_is_known_before_it_is_used(pattern: str) -> None:
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.validator_for({"pattern": pattern})

    assert oracle_accepts({"pattern": pattern}, "a")


@given(documents(), documents(), st.data())
def test_both_agree_on_everything_else(
    pair: Pair, other: Pair, data: st.DataObject
) -> None:
    for values in (pair.values, other.values):
        value = data.draw(values)

        assert accepts(pair.schema, value) is oracle_accepts(pair.schema, value)


@settings(max_examples=60, deadline=None)
@given(documents(), documents(), st.data())
def test_an_output_is_judged_as_the_oracle_judges_it(
    pair: Pair, other: Pair, data: st.DataObject
) -> None:
    value = data.draw(pair.values | other.values)

    problems = Validator(pair.schema, "output").problems(value)

    assert (not problems) is oracle_accepts(pair.schema, value)
