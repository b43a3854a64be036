from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest

from abilities_host.frozen import freeze
from abilities_host.schema.fitness import Flaw, find_flaw


class Colour(StrEnum):
    RED = "red"


@dataclass
class Point:
    x: int = 0


def lists(depth: int) -> Any:
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"a": [1, 1.5, "é", True, None, (), {}]},
        lists(64),
        freeze({"a": [{}]}),
        Colour.RED,
        [2**64 - 1, -(2**63)],
        [{}] * 1000,
    ],
)
def test_json_within_the_limits_has_no_flaw(value: Any) -> None:
    assert find_flaw(value) is None


def circle() -> Any:
    value: dict[str, Any] = {}
    value["a"] = [value, value]
    return value


def shared() -> Any:
    value: Any = []
    for _ in range(60):
        value = [value, value]
    return value


BITS = "holds text with lone surrogates or an integer beyond 64 bits"
EIGHT = (0,) * 8


FLAWS: dict[str, tuple[Callable[[], Any], Flaw]] = {
    "too deep": (lambda: lists(65), Flaw(EIGHT, "is nested more than 64 deep")),
    "far too deep": (
        lambda: lists(100_000),
        Flaw(EIGHT, "is nested more than 64 deep"),
    ),
    "a circle": (circle, Flaw(("a", 1) * 4, "is nested more than 64 deep")),
    "shared": (shared, Flaw((), "holds more than 5,000 values")),
    "a key": (
        lambda: {"a": {None: 1}},
        Flaw(("a",), "has a key of type NoneType, not text"),
    ),
    "NaN": (
        lambda: {"a": [float("nan")]},
        Flaw(("a", 0), "is not a finite number"),
    ),
    "bytes": (lambda: [b"x"], Flaw((0,), "is not JSON: a Python bytes")),
    "a set": (lambda: {"a": {1}}, Flaw(("a",), "is not JSON: a Python set")),
    "a Decimal": (lambda: Decimal(1), Flaw((), "is not JSON: a Python Decimal")),
    "a date": (
        lambda: datetime.now(UTC),
        Flaw((), "is not JSON: a Python datetime"),
    ),
    "a dataclass": (Point, Flaw((), "is not JSON: a Python Point")),
    "a lone surrogate": (lambda: "\ud800", Flaw((), BITS)),
    "a lone surrogate in a key": (lambda: {"\udfff": 1}, Flaw((), BITS)),
    "65 bits": (lambda: [2**64], Flaw((), BITS)),
}


@pytest.mark.parametrize(("make", "flaw"), FLAWS.values(), ids=FLAWS)
def test_whatever_else_is_told_by_its_place(
    make: Callable[[], Any], flaw: Flaw
) -> None:
    assert find_flaw(make(), count=5_000) == flaw


def test_the_limits_can_be_set() -> None:
    assert find_flaw([1, [2], 3], depth=2, count=4) is None
    assert find_flaw([[[]]], depth=2) == Flaw((0, 0), "is nested more than 2 deep")
    assert find_flaw([1, 2, 3, 4], count=3) == Flaw((), "holds more than 3 values")
