import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.methods import serialize_server_result

from abilities_host.calls import Change, Outcome
from abilities_host.domain import MISSING, Target
from abilities_host.errors import (
    AbilityFailed,
    AbilityTimeout,
    CallError,
    HostBusy,
    InvalidInput,
    InvalidOutput,
    WriteVetoed,
)
from abilities_host.server.answers import (
    DETAILS_BYTES,
    TEXT_LIMIT,
    answer,
    cut,
    question,
    refusal,
    with_null,
)
from abilities_host.server.eras import ERAS, LEGACY, MODERN, Era, era_of
from abilities_host.server.tool import Shape

PLAIN = Shape()
WRAPPED = Shape(wraps_input=True)
UNKNOWN = "It is not known what was changed. Read the facts before you try again."


def ok(result: Any, **more: Any) -> Outcome:
    wire = orjson.dumps(result)
    return Outcome(
        status="ok", ability="test/x", call="c1", result=result, wire=wire, **more
    )


def ended(error: CallError | None, status: Any = "refused", **more: Any) -> Outcome:
    return Outcome(status=status, ability="test/x", call="c1", error=error, **more)


def text_of(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


@pytest.mark.parametrize(
    ("version", "era"),
    [
        ("2024-11-05", LEGACY),
        ("2025-06-18", LEGACY),
        ("2025-11-25", LEGACY),
        ("2026-07-28", MODERN),
        ("2027-01-01", MODERN),
    ],
)
def test_a_protocol_version_belongs_to_an_era(version: str, era: Era) -> None:
    assert era_of(version) == era


@pytest.mark.parametrize(
    ("result", "shape", "legacy", "text"),
    [
        ({"a": 1}, PLAIN, {"a": 1}, '{"a":1}'),
        ({}, PLAIN, {}, "{}"),
        ([], PLAIN, {"data": []}, "[]"),
        ([1, 2], PLAIN, {"data": [1, 2]}, "[1,2]"),
        ("words", PLAIN, {"data": "words"}, "words"),
        (0, PLAIN, {"data": 0}, "0"),
        (None, PLAIN, {"data": None}, "null"),
        ({"a": 1}, Shape(wraps_output=True), {"data": {"a": 1}}, '{"a":1}'),
    ],
)
def test_a_result_is_an_object_for_the_earlier_era_and_text_always(
    result: Any, shape: Shape, legacy: dict[str, Any], text: str
) -> None:
    assert answer(LEGACY, ok(result), shape) == {
        "content": [{"type": "text", "text": text}],
        "structuredContent": legacy,
        "resultType": "complete",
        "_meta": {"abilities/call": "c1"},
    }


@pytest.mark.parametrize("result", [{"a": 1}, {}, [], [1, 2], "words", 0, None])
def test_a_result_is_any_json_for_the_later_era(result: Any) -> None:
    assert answer(MODERN, ok(result), PLAIN)["structuredContent"] == result


def test_flags_and_the_verified_result_travel_beside_the_result() -> None:
    outcome = ok({}, verified={"size": 3}, flags=frozenset({"verify_failed"}))

    result = answer(MODERN, outcome, PLAIN)

    assert result["_meta"] == {
        "abilities/call": "c1",
        "abilities/flags": ["verify_failed"],
        "abilities/verified": {"size": 3},
    }
    assert "could not be verified" in result["content"][1]["text"]


def test_a_long_result_is_cut_at_a_line_and_goes_without_structure() -> None:
    words = "a line of words\n" * 10_000

    result = answer(MODERN, ok(words), PLAIN)

    text = text_of(result)
    assert len(text) < TEXT_LIMIT + 200
    assert text.startswith("a line of words\n")
    assert "\na line of words\n\n[Cut here: 79,999 of 160,000 characters. " in text
    assert "structuredContent" not in result


def test_a_long_result_keeps_its_structure_where_the_client_will_check_it() -> None:
    words = ["x" * TEXT_LIMIT]

    result = answer(LEGACY, ok(words), Shape(wraps_output=True, declares_output=True))

    assert "[Cut here: 80,000 of 80,004 characters." in text_of(result)
    assert result["structuredContent"] == {"data": words}


@pytest.mark.parametrize("text", ["", "short", "x" * 80_000])
def test_a_text_within_the_limit_is_left_alone(text: str) -> None:
    assert cut(text) is text


def problem(path: str, message: str) -> dict[str, str]:
    return {"path": path, "message": message}


@pytest.mark.parametrize(
    ("outcome", "shape", "lines"),
    [
        (
            ended(WriteVetoed("a/b", "guard", "not on Fridays")),
            PLAIN,
            ["write_vetoed: The write 'a/b' was stopped by 'guard': not on Fridays"],
        ),
        (
            ended(InvalidInput("a/b", [problem("/n", "too big"), problem("", "odd")])),
            PLAIN,
            [
                "ability_invalid_input: Ability 'a/b' has invalid input:",
                "- /n: too big",
                "- /: odd",
            ],
        ),
        (
            ended(InvalidInput("a/b", [problem("", "must be a list")])),
            Shape(wraps_input=True),
            [
                "ability_invalid_input: Ability 'a/b' has invalid input:",
                "- /input: must be a list",
            ],
        ),
        (
            ended(InvalidOutput("a/b", [problem("/n", "too big")]), "failed"),
            Shape(wraps_input=True),
            [
                "ability_invalid_output: Ability 'a/b' returned an invalid result:",
                "- /n: too big",
            ],
        ),
        (
            ended(AbilityTimeout("a/b", 60.0), "unknown"),
            PLAIN,
            [
                "ability_timeout: Ability 'a/b' did not finish within 60 s.",
                UNKNOWN,
            ],
        ),
        (
            ended(
                AbilityFailed("The disk is full.", code="disk_full"),
                "failed",
                changes=(Change(Target("files", "a.txt"), MISSING, b"half"),),
            ),
            PLAIN,
            ["disk_full: The disk is full.", "It did change files:a.txt."],
        ),
        (ended(None, "failed"), PLAIN, ["call_failed: The call did not end well."]),
    ],
)
def test_an_error_says_what_to_do_one_place_a_line(
    outcome: Outcome, shape: Shape, lines: list[str]
) -> None:
    for era in ERAS:
        result = answer(era, outcome, shape)
        assert text_of(result).split("\n") == lines
        assert result["isError"] is True
        assert "structuredContent" not in result


def test_an_error_carries_code_message_and_details_for_programs() -> None:
    outcome = ended(WriteVetoed("files/write", "guard", "no", rule="r7"))

    assert answer(LEGACY, outcome, PLAIN)["_meta"] == {
        "abilities/call": "c1",
        "abilities/error": {
            "code": "write_vetoed",
            "status": "refused",
            "message": "The write 'files/write' was stopped by 'guard': no",
            "retryable": False,
            "details": {"plugin": "guard", "reason": "no", "rule": "r7"},
        },
    }


@pytest.mark.parametrize(
    "details", [{"what": object()}, {"what": "x" * DETAILS_BYTES}, {}]
)
def test_details_that_cannot_travel_are_left_out(details: dict[str, Any]) -> None:
    result = answer(MODERN, ended(AbilityFailed("No.", **details)), PLAIN)

    assert result["_meta"]["abilities/error"] == {
        "code": "ability_failed",
        "status": "refused",
        "message": "No.",
        "retryable": False,
    }


def test_what_is_no_text_in_a_message_does_not_lose_the_answer() -> None:
    result = answer(MODERN, ended(AbilityFailed("half \ud800 pair")), PLAIN)

    assert text_of(result) == "ability_failed: half ? pair"
    assert orjson.dumps(result)


@pytest.mark.parametrize("era", ERAS)
def test_blocks_of_content_are_sent_as_they_are_and_are_no_data(era: Era) -> None:
    image = {"type": "image", "data": "AA==", "mimeType": "image/png"}

    result = answer(era, ok(["Look:", image]), Shape(gives_content=True))
    single = answer(era, ok(image), Shape(gives_content=True))

    assert result["content"] == [{"type": "text", "text": "Look:"}, image]
    assert single["content"] == [image]
    assert "structuredContent" not in result


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("result", [{"type": "image"}, [7], [{"type": "secret"}], None])
def test_what_is_no_content_is_an_error_without_what_it_was(
    era: Era, result: Any
) -> None:
    changed = Change(Target("d", "t"), MISSING, "new")
    outcome = ok(result, changes=(changed,))

    said = answer(era, outcome, Shape(gives_content=True))

    start = "invalid_content: It gave content that no client could read: content"
    assert said["isError"] is True
    assert text_of(said).startswith(start)
    assert text_of(said).endswith("It did change d:t.")
    assert "secret" not in text_of(said)
    assert said["_meta"]["abilities/error"]["status"] == "failed"


def test_a_refusal_of_the_server_reads_like_any_error() -> None:
    assert refusal("needs_answer", "Ask a person.", "refused") == {
        "content": [{"type": "text", "text": "needs_answer: Ask a person."}],
        "isError": True,
        "resultType": "complete",
        "_meta": {
            "abilities/error": {
                "code": "needs_answer",
                "status": "refused",
                "message": "Ask a person.",
                "retryable": False,
            }
        },
    }


def wrong(path: str, expected: str) -> dict[str, str]:
    message = f"must be {expected}, but string came."
    return {"path": path, "message": message, "expected": expected}


@pytest.mark.parametrize(("shape", "root"), [(PLAIN, ""), (WRAPPED, "/input")])
def test_a_wrong_argument_is_told_as_it_was_sent_with_what_was_expected(
    shape: Shape, root: str
) -> None:
    problems = [wrong("/a/0", "an integer"), wrong("/b", "null")]

    result = answer(MODERN, ended(InvalidInput("a/b", problems)), shape)

    expected = f"{root}/a/0: must be an integer, but string came."
    other = f"{root}/b: must be null, but string came."
    head = "Ability 'a/b' has invalid input:"
    assert text_of(result).split("\n") == [
        f"ability_invalid_input: {head}",
        f"- {expected}",
        f"- {other}",
    ]
    assert result["_meta"]["abilities/error"] == {
        "code": "ability_invalid_input",
        "status": "refused",
        "message": f"{head} {expected}; {other}",
        "retryable": False,
        "path": f"{root}/a/0",
        "expected": "an integer",
        "details": {
            "problems": [
                problems[0] | {"path": f"{root}/a/0"},
                problems[1] | {"path": f"{root}/b"},
            ]
        },
    }


def test_of_many_long_problems_as_many_are_told_to_programs_as_fit() -> None:
    problems = [wrong(f"/p{number}", "x" * 1_000) for number in range(16)]

    result = answer(MODERN, ended(InvalidInput("a/b", problems)), PLAIN)

    details = result["_meta"]["abilities/error"]["details"]
    kept = details["problems"]
    assert kept == problems[: len(kept)]
    assert 0 < len(kept) < 16
    assert len(orjson.dumps(details)) <= DETAILS_BYTES
    assert text_of(result).count("\n- /p") == 16


def test_what_may_be_tried_again_says_so_to_people_and_programs() -> None:
    outcome = ended(HostBusy("calls", 64), retryable=True)

    result = answer(MODERN, outcome, PLAIN)

    assert text_of(result).split("\n") == [
        "host_busy: Too many calls at once (limit 64). Try again soon.",
        "The same call may succeed later.",
    ]
    assert result["_meta"]["abilities/error"]["retryable"] is True


def test_a_read_that_took_too_long_changed_nothing() -> None:
    outcome = ended(AbilityTimeout("a/b", 1), "unknown", retryable=True)

    text = text_of(answer(MODERN, outcome, PLAIN))

    assert text.endswith("\nThe same call may succeed later.")
    assert UNKNOWN not in text


def test_a_question_asks_for_a_yes_and_carries_its_round_and_state() -> None:
    asked = Outcome(
        status="input_required",
        ability="test/x",
        call="c1",
        question="Really?",
        state="s1",
    )

    result = question(asked, 2)

    assert serialize_server_result("tools/call", MODERN, result) == result
    assert result["requestState"] == "2:confirm:s1"
    form = result["inputRequests"]["confirm"]["params"]
    assert form["message"] == "Really?"
    assert form["requestedSchema"]["required"] == ["confirm"]


def test_a_null_result_survives_the_models_of_the_sdk() -> None:
    sent = answer(MODERN, ok(None), PLAIN)
    del sent["structuredContent"]

    assert with_null(sent) == answer(MODERN, ok(None), PLAIN)


@pytest.mark.parametrize(
    "result",
    [
        answer(MODERN, ok("null"), PLAIN),
        answer(MODERN, ok({"a": None}), PLAIN),
        answer(LEGACY, ok(None), PLAIN),
        answer(MODERN, ok("x" * 100_000), PLAIN),
        answer(MODERN, ended(AbilityFailed("No.")), PLAIN),
        {"resultType": "input_required"},
    ],
)
def test_no_other_result_becomes_null(result: dict[str, Any]) -> None:
    assert with_null(result) is result


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
ANY_TEXT = st.text(st.characters())  # with lone surrogates
ERRORS = st.builds(
    lambda message, details: AbilityFailed(message, details=details), ANY_TEXT, JSON
) | st.builds(
    lambda path, message: InvalidInput("a/b", [problem(path, message)]),
    ANY_TEXT,
    ANY_TEXT,
)
SHAPES = st.builds(Shape, st.booleans(), st.just(value=False), st.booleans())


@given(JSON, SHAPES, st.sampled_from(ERAS))
def test_every_good_outcome_is_valid_on_the_wire(
    result: Any, shape: Shape, era: Era
) -> None:
    finished = answer(era, ok(result), shape)

    assert json.loads(orjson.dumps(finished)) == finished
    sent = serialize_server_result("tools/call", era, finished)
    assert with_null(sent)["structuredContent"] == finished["structuredContent"]


@given(ERRORS, st.sampled_from(["refused", "failed", "unknown"]), st.sampled_from(ERAS))
def test_every_bad_outcome_is_valid_on_the_wire(
    error: CallError, status: str, era: Era
) -> None:
    finished = answer(era, ended(error, status), PLAIN)

    assert json.loads(orjson.dumps(finished)) == finished
    assert serialize_server_result("tools/call", era, finished)["isError"] is True
