import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import jsonschema_rs
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.frozen import FrozenDict, FrozenError, FrozenList, freeze, thaw

SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner)
    ),
    max_leaves=12,
)


@given(JSON)
def test_a_frozen_value_equals_the_plain_one_and_thaws_to_it(value: Any) -> None:
    frozen = freeze(value)
    thawed = thaw(frozen)
    assert frozen == value == thawed
    assert plain_types(thawed)


@given(JSON)
def test_freezing_twice_changes_nothing_more(value: Any) -> None:
    once = freeze(value)
    assert freeze(once) == once
    assert frozen_types(freeze(once))


@given(JSON)
def test_freezing_copies_so_that_the_original_may_go_on_changing(value: Any) -> None:
    before = copy.deepcopy(value)
    frozen = freeze(value)
    disturb(value)
    assert frozen == before


@given(JSON)
def test_serialisers_take_a_frozen_value_for_a_plain_one(value: Any) -> None:
    frozen = freeze(value)
    assert orjson.dumps(frozen) == orjson.dumps(value)
    assert pickle.loads(pickle.dumps(frozen)) == value  # noqa: S301 - our own bytes
    assert frozen_types(pickle.loads(pickle.dumps(frozen)))  # noqa: S301 - our own bytes


@given(JSON)
def test_a_validator_takes_a_frozen_value_for_a_plain_one(value: Any) -> None:
    schema = {"type": ["object", "array"], "minProperties": 1, "minItems": 1}
    validator = jsonschema_rs.validator_for(schema)
    assert validator.is_valid(freeze(value)) == validator.is_valid(value)


@given(JSON)
def test_a_copy_of_a_frozen_value_may_be_changed(value: Any) -> None:
    frozen = freeze(value)
    assert plain_types(copy.deepcopy(frozen))
    shallow = copy.copy(frozen)
    assert type(shallow) is type(value)
    assert shallow == value


CHANGES: list[Callable[[Any], Any]] = [
    lambda d: operator.setitem(d, "a", 2),
    lambda d: operator.delitem(d, "a"),
    lambda d: d.__ior__({"b": 1}),
    lambda d: d.clear(),
    lambda d: d.pop("a"),
    lambda d: d.pop("missing", None),
    lambda d: d.popitem(),
    lambda d: d.setdefault("b", 1),
    lambda d: d.update(a=2),
    lambda d: d.update(),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_frozen_dict_refuses_every_change(change: Callable[[Any], Any]) -> None:
    frozen = FrozenDict(a=1)
    with pytest.raises(FrozenError, match=r"copy it with thaw\(\) to change it"):
        change(frozen)
    assert frozen == {"a": 1}


LIST_CHANGES: list[Callable[[Any], Any]] = [
    lambda e: operator.setitem(e, 0, 2),
    lambda e: operator.setitem(e, slice(0, 1), [2]),
    lambda e: operator.delitem(e, 0),
    lambda e: e.__iadd__([3]),
    lambda e: e.__imul__(2),
    lambda e: e.append(3),
    lambda e: e.clear(),
    lambda e: e.extend([3]),
    lambda e: e.insert(0, 3),
    lambda e: e.pop(),
    lambda e: e.remove(1),
    lambda e: e.reverse(),
    lambda e: e.sort(),
]


@pytest.mark.parametrize("change", LIST_CHANGES)
def test_a_frozen_list_refuses_every_change(change: Callable[[Any], Any]) -> None:
    frozen = FrozenList([2, 1])
    with pytest.raises(FrozenError):
        change(frozen)
    assert frozen == [2, 1]


def test_every_mutating_method_of_dict_and_list_is_refused() -> None:
    """What a later Python adds would show here."""
    reading = {
        dict: {"copy", "fromkeys", "get", "items", "keys", "values"},
        list: {"copy", "count", "index"},
    }
    left = {
        (kind.__name__, name)
        for kind, frozen in ((dict, FrozenDict), (list, FrozenList))
        for name in vars(kind)
        if not name.startswith("__")
        and name not in reading[kind]
        and name not in vars(frozen)
    }
    assert left == set()


def test_tuples_become_lists_and_other_objects_stay() -> None:
    marker = object()
    frozen = freeze({"a": (1, [marker]), "b": b"bytes", "c": bytearray(b"x")})
    assert frozen == {"a": [1, [marker]], "b": b"bytes", "c": bytearray(b"x")}
    assert thaw(((1,), {"a": (2,)})) == [[1], {"a": [2]}]


def plain_types(value: Any) -> bool:
    if isinstance(value, dict):
        return type(value) is dict and all(map(plain_types, value.values()))
    if isinstance(value, list):
        return type(value) is list and all(map(plain_types, value))
    return True


def frozen_types(value: Any) -> bool:
    if isinstance(value, dict):
        return type(value) is FrozenDict and all(map(frozen_types, value.values()))
    if isinstance(value, list):
        return type(value) is FrozenList and all(map(frozen_types, value))
    return True


def disturb(value: Any) -> None:
    """Change a plain value everywhere."""
    if isinstance(value, dict):
        for item in value.values():
            disturb(item)
        value["disturbed"] = True
    elif isinstance(value, list):
        for item in value:
            disturb(item)
        value.append("disturbed")
