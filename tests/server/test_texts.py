from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.server.texts import typed


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("integer", "7", 7),
        ("integer", "7.5", "7.5"),
        ("integer", "true", "true"),
        ("number", "7.5", 7.5),
        ("boolean", "true", True),
        ("null", "null", None),
        ("array", "[1]", [1]),
        ("object", '{"a":1}', {"a": 1}),
        ("integer", "many", "many"),
        ("string", "7", "7"),
        (["string", "integer"], "7", "7"),
        (["null", "integer"], "7", 7),
        (None, "7", "7"),
    ],
)
def test_a_text_is_read_as_the_type_that_is_asked_for(
    type_: Any, text: str, value: Any
) -> None:
    part = {} if type_ is None else {"type": type_}
    schema = {"type": "object", "properties": {"a": part}}

    assert typed(schema, {"a": text}) == {"a": value}


@given(st.dictionaries(st.text(), st.text()))
def test_without_a_schema_texts_stay_texts(texts: dict[str, str]) -> None:
    assert typed(None, texts) == texts
    assert typed({"properties": dict.fromkeys(texts, True)}, texts) == texts
