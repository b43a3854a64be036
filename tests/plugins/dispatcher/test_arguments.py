from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abilities_dispatcher.arguments import decode_arguments
from abilities_dispatcher.refusals import MalformedArguments

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]))
OBJECTS = st.dictionaries(NAMES, SCALARS | st.lists(SCALARS))


def written(value: Any) -> str:
    return orjson.dumps(value).decode()


@settings(deadline=None)
@given(OBJECTS)
def test_an_object_its_text_and_the_text_of_that_are_the_same(
    value: dict[str, Any],
) -> None:
    once = written(value)

    spellings = [value, once, f" {once}\n", written(once)]
    assert [decode_arguments(spelling) for spelling in spellings] == [value] * 4


@settings(deadline=None)
@given(OBJECTS)
def test_a_text_written_three_times_is_refused(value: dict[str, Any]) -> None:
    with pytest.raises(MalformedArguments):
        decode_arguments(written(written(written(value))))


@settings(deadline=None)
@given(SCALARS | st.lists(SCALARS))
def test_the_text_of_anything_else_is_refused(value: Any) -> None:
    with pytest.raises(MalformedArguments):
        decode_arguments(written(value))


@settings(deadline=None)
@given(st.text())
def test_any_text_is_an_object_or_refused(text: str) -> None:
    try:
        decoded = decode_arguments(text)
    except MalformedArguments:
        return
    assert isinstance(decoded, dict)


@pytest.mark.parametrize(
    "text",
    ["", " ", "{", '{"a":1}}', "{'a': 1}", '{"a": NaN}', "undefined", "[" * 100_000],
)
def test_a_text_that_is_not_json_is_refused_without_its_words(text: str) -> None:
    with pytest.raises(MalformedArguments) as refusal:
        decode_arguments(text)

    assert str(refusal.value) == (
        "Ability 'dispatcher/call-tool' has invalid input: /arguments: expected an "
        "object, received a text that is not JSON; nothing was run."
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[]", "array"),
        ("null", "null"),
        ("true", "boolean"),
        ("1.5", "number"),
        ("7", "number"),
        (written(written("x")), "string"),
    ],
)
def test_a_text_of_another_kind_says_which(text: str, kind: str) -> None:
    with pytest.raises(MalformedArguments) as refusal:
        decode_arguments(text)

    assert refusal.value.details["problems"][0] == {
        "path": "/arguments",
        "message": f"expected an object, received a text that holds a {kind}; "
        "nothing was run.",
        "expected": "an object",
        "received": f"a text that holds a {kind}",
        "keyword": "type",
    }


@pytest.mark.parametrize("none", [None, []])
def test_null_and_an_empty_list_are_none(none: Any) -> None:
    assert decode_arguments(none) is None
