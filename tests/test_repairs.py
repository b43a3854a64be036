import logging
from collections import Counter

import pytest

from abilities_host.repairs import KINDS_KEPT, Repairs
from abilities_host.schema.arguments import PLACES_KEPT, repair_arguments


def levels(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.levelname for record in caplog.records]


def test_repairs_are_counted_once_for_a_call_and_each_kind() -> None:
    repairs = Repairs()

    repairs.note("a/b", "x", ("/p decoded", "/q decoded", "/r emptied"))
    repairs.note("a/b", "x", ("/p decoded",))
    repairs.note("a/b", "y", ("/p decoded", "and 3 more"))

    assert repairs.counts == {
        ("a/b", "x", "decoded"): 2,
        ("a/b", "x", "emptied"): 1,
        ("a/b", "y", "decoded"): 1,
    }


def test_a_kind_is_told_to_the_operator_once(caplog: pytest.LogCaptureFixture) -> None:
    repairs = Repairs()
    with caplog.at_level(logging.DEBUG):
        repairs.note("a/b", "x", ("/p decoded",))
        repairs.note("a/b", "x", ("/q decoded",))
        repairs.note("a/b", "x", ("/q decoded", "/q emptied"))
        repairs.note("a/b", "y", ("/q decoded",))
        repairs.note("a/c", "x", ("/q decoded",))

    assert levels(caplog) == ["INFO", "DEBUG", "INFO", "INFO", "INFO"]
    assert caplog.messages[0] == "a/b: repaired /p decoded from 'x'"


def test_no_client_can_fill_the_memory_with_names(
    caplog: pytest.LogCaptureFixture,
) -> None:
    repairs = Repairs()
    for number in range(KINDS_KEPT + 1):
        repairs.note("a/b", f"{number}", ("/p decoded",))
    repairs.note("a/b", "x" * 100_000, ("/p decoded",))
    caplog.clear()
    with caplog.at_level(logging.DEBUG):
        repairs.note("a/b", f"{KINDS_KEPT}", ("/p decoded",))
        repairs.note("a/b", "0", ("/p decoded",))

    assert len(repairs.counts) == 3
    assert max(len(client) for _, client, _ in repairs.counts) == 128
    assert levels(caplog) == ["DEBUG", "INFO"]


def test_of_many_places_the_rest_is_counted() -> None:
    names = [f"p{number}" for number in range(PLACES_KEPT + 3)]
    schema = {"type": "object", "properties": {n: {"type": "array"} for n in names}}

    repaired = repair_arguments(schema, dict.fromkeys(names, "[]"))

    assert repaired.told == (*repaired.places, "and 3 more")
    assert Counter(place[0] for place in repaired.told) == {"/": PLACES_KEPT, "a": 1}
