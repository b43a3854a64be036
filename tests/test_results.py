"""Whatever an ability returns becomes JSON or a clear refusal."""

import dataclasses
import datetime as dt
import enum
import types
import uuid
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from abilities_host.results import NotJson, as_object, normalize_result, text_mirror


class Note(BaseModel):
    title: str = Field(alias="Title")


@dataclasses.dataclass
class Point:
    x: int


class Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ((1, 2), [1, 2]),
        (Note(Title="a"), {"Title": "a"}),
        ([Note(Title="a")], [{"Title": "a"}]),
        (Point(1), {"x": 1}),
        (Colour.RED, "red"),
        (dt.date(2026, 1, 2), "2026-01-02"),
        (uuid.UUID(int=0), "00000000-0000-0000-0000-000000000000"),
        (Decimal("1.10"), "1.10"),
        (PurePosixPath("a/b"), "a/b"),
        (types.MappingProxyType({"a": 1}), {"a": 1}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_usual_objects_have_their_usual_form(value: object, expected: object) -> None:
    assert normalize_result(value).value == expected


def _cycle() -> list[Any]:
    cycle: list[Any] = []
    cycle.append(cycle)
    return cycle


def _deep() -> list[Any]:
    deep: list[Any] = []
    for _ in range(300):
        deep = [deep]
    return deep


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({1}, "a set cannot be written as JSON"),
        (b"x", "a bytes cannot be written as JSON"),
        (_cycle(), "nested too deep, or contains itself"),
        (_deep(), "nested too deep, or contains itself"),
        ({1: 2}, "cannot be written as JSON"),
        (1 << 70, "cannot be written as JSON"),
        ("\ud800", "cannot be written as JSON"),
    ],
    ids=["set", "bytes", "cycle", "deep", "int-key", "big-int", "surrogate"],
)
def test_what_is_no_json_is_said_without_its_value(value: object, words: str) -> None:
    with pytest.raises(NotJson, match=words):
        normalize_result(value)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("ab"), inner),
    max_leaves=20,
)


@given(JSON)
def test_json_stays_what_it_is(value: Any) -> None:
    assert normalize_result(value).value == value


@given(JSON)
def test_structured_content_is_always_an_object(value: Any) -> None:
    wrapped = as_object(value)
    assert wrapped == (value if isinstance(value, dict) else {"data": value})


@pytest.mark.parametrize(
    ("value", "text"), [("plain", "plain"), ([1], "[1]"), ({}, "{}"), (None, "null")]
)
def test_the_mirror_shows_a_string_as_it_is(value: object, text: str) -> None:
    assert text_mirror(value, normalize_result(value).wire) == text
