from enum import StrEnum
from threading import Thread
from typing import Any

import pytest
from schema.strategies import DRAFT_07, JsonSchema

from abilities_host.frozen import freeze
from abilities_host.schema.validate import Validator, ValidatorCache

NOTE: JsonSchema = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1},
        "tags": {"type": "array", "items": {"enum": ["news", "draft", ""]}},
    },
    "required": ["title"],
}


PARTS = ("path", "message", "expected", "received", "keyword")


class Tag(StrEnum):
    NEWS = "news"


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "value",
    [
        {"title": "a"},
        {"title": "a", "tags": ["news", ""]},
        {"title": "a", "tags": ("news",)},
        {"title": Text("a"), "tags": [Tag.NEWS]},
        freeze({"title": "a", "tags": ["draft"]}),
    ],
)
def test_what_the_author_accepts_has_no_problem(value: Any) -> None:
    assert Validator(freeze(NOTE)).problems(value) == []


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"title": "a" * 20}, id="flat"),
        pytest.param({"title": "a", "tags": ["draft"] * 9}, id="deep"),
        pytest.param({"titel": "a" * 20}, id="also-invalid"),
    ],
)
def test_what_is_larger_than_allowed_is_not_looked_at_further(value: Any) -> None:
    (problem,) = Validator(NOTE).problems(value, 20)
    assert (problem["expected"], problem["keyword"]) == ("at most 20 bytes", "size")


@pytest.mark.parametrize(
    "value", [{"title": "\ud800"}, {"title": 1 << 70}, {"title": "a", 7: "b"}]
)
def test_a_flat_object_that_is_no_json_is_refused(value: Any) -> None:
    (problem,) = Validator(NOTE).problems(value)
    assert problem["expected"] == "JSON within the limits"


def test_every_problem_names_path_expected_and_received_type() -> None:
    problems = Validator(NOTE).problems({"titel": "secret", "tags": ["secret", 7]})

    among, tags = "one of 'news', 'draft'", "must be one of 'news', 'draft', but"
    unknown = "unknown argument 'titel'. Did you mean 'title'?"
    missing = "missing required argument 'title'."
    assert [tuple(problem.values()) for problem in problems] == [
        ("", unknown, "only title, tags", "string", "additionalProperties"),
        ("", missing, "a value for 'title'", "nothing", "required"),
        ("/tags/0", f"{tags} string came.", among, "string", "enum"),
        ("/tags/1", f"{tags} integer came.", among, "integer", "enum"),
    ]
    assert {tuple(problem) for problem in problems} == {PARTS}


def test_a_result_is_not_read_as_closed_and_has_properties() -> None:
    validator = Validator(NOTE, "output")

    assert validator.problems({"title": "a", "more": 1}) == []
    assert [p["message"] for p in validator.problems({})] == [
        "missing required property 'title'."
    ]


def circle() -> Any:
    value: dict[str, Any] = {}
    value["a"] = value
    return value


def deep() -> Any:
    value: Any = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "path", "message", "received"),
    [
        (circle(), "/a" * 8, "is nested more than 64 deep.", "object"),
        ({"title": float("nan")}, "/title", "is not a finite number.", "object"),
        ({"title": b"x"}, "/title", "is not JSON: a Python bytes.", "object"),
        (object(), "", "is not JSON: a Python object.", "object"),
        ({1: 2}, "", "has a key of type int, not text.", "object"),
    ],
    ids=["a circle", "NaN", "bytes", "an object", "a key"],
)
def test_what_is_no_json_is_a_problem_and_no_crash(
    value: Any, path: str, message: str, received: str
) -> None:
    assert Validator(NOTE).problems(value) == [
        {
            "path": path,
            "message": message,
            "expected": "JSON within the limits",
            "received": received,
            "keyword": "",
        }
    ]


def test_a_very_deep_value_does_not_end_the_process() -> None:
    tree = {"$ref": "#/$defs/t", "$defs": {"t": {"items": {"$ref": "#/$defs/t"}}}}

    (problem,) = Validator(tree).problems(deep())

    assert problem["message"] == "is nested more than 64 deep."


def test_at_most_sixteen_problems_are_told() -> None:
    problems = Validator(NOTE).problems({"title": "a", "tags": [0] * 1000})

    assert {p["path"] for p in problems} == {f"/tags/{number}" for number in range(16)}


def test_formats_are_words_to_the_reader_in_every_draft() -> None:
    for draft in ({}, {"$schema": DRAFT_07}):
        assert Validator({**draft, "format": "email"}).problems("no address") == []


def test_defaults_are_filled_where_the_schema_has_some() -> None:
    plain, value = Validator(NOTE), {"title": "a"}
    with_default = Validator({"properties": {"n": {"default": 3}}})

    assert plain.fill(value) is value
    assert with_default.fill({}) == {"n": 3}


def test_equal_schemas_share_one_validator_while_it_is_kept() -> None:
    cache = ValidatorCache(limit=2)
    first = cache.get(NOTE)

    assert cache.get(freeze(NOTE)) is first
    assert cache.get(NOTE, "output") is not first
    assert cache.get(NOTE) is first
    cache.get({"type": "null"})
    assert len(cache) == 2
    assert cache.get(NOTE) is first
    assert len(cache) == 2


def test_the_least_used_one_goes_first() -> None:
    cache = ValidatorCache(limit=1)
    first = cache.get(NOTE)
    cache.get({})

    assert cache.get(NOTE) is not first


def test_threads_that_use_one_validator_at_once_agree() -> None:
    validator = Validator(NOTE)
    answers: list[int] = []

    def ask() -> None:
        answers.append(len(validator.problems({"title": 1})))

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)

    assert answers == [1] * 8
