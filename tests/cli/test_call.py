"""`call` runs an ability through every check, and scripts can tell how it ended."""

from pathlib import Path
from typing import Any

import pytest
from cli.conftest import Command
from cli.world import make_demo, start

from abilities_host.calls import Outcome, Status
from abilities_host.cli.exits import Exit, exit_of, exit_of_outcome
from abilities_host.cli.session import login_session
from abilities_host.errors import (
    AbilityTimeout,
    CallError,
    InvalidName,
    PackError,
    PolicyMissing,
    StoreUnreadable,
)


def test_a_result_is_printed_and_what_changed_is_said(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)

    given = '{"key": "B", "text": "x"}'
    ended = command("call", "demo/put", given, "--config", config)

    assert ended == (0, '{\n  "put": "B"\n}\n', "created: shelf:b\n")


def test_an_outcome_as_json_has_every_key_always(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)

    given = '{"key": "A", "text": "x"}'
    ended = command("call", "demo_put", given, "--json", "--config", config)

    value = ended.value
    assert (ended.code, ended.err) == (0, "")
    assert len(value.pop("call")) == 16
    assert value == {
        "status": "ok",
        "ability": "demo/put",
        "result": {"put": "A"},
        "verified": None,
        "error": None,
        "changes": [{"domain": "shelf", "target": "a", "change": "changed"}],
        "question": "",
        "flags": [],
    }


def test_a_text_is_printed_as_lines_that_cannot_drive_the_terminal(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)

    ended = command("call", "demo/empty", "{}", "--yes", "--config", config)

    assert ended == (0, "emptied\nall \\u202eof it\n", "")


KEY = '{"key": "a"}'
BAD = '{"key": "a", "text": "bad"}'
FLOOD = f'{{"key": "{"x" * 1024}"}}'
REFUSED = "refused"
INVALID = "ability_invalid_input"
UNKNOWN = "ability_not_found"
CRASHED = "ability_callback_exception"
VETOED = "stopped by 'plugins_dir/demo': no bad words"
NOT_JSON = 'not JSON at line 1, column 2. Write one object, such as \'{"path": "a"}\''
NO_OBJECT = 'the arguments are one JSON object, such as \'{"path": "a"}\''
LOSES = "'demo/empty' may lose something, so it was not run. Add --yes to confirm it."


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["demo/echo", "{"], 2, (REFUSED, INVALID, NOT_JSON)),
        (["demo/echo", "[]"], 2, (REFUSED, INVALID, NO_OBJECT)),
        (["demo/echo", FLOOD], 2, (REFUSED, INVALID, "are larger than 1024 bytes")),
        (["demo/echo", '{"kez": 1}'], 2, (REFUSED, INVALID, "mean 'key'?")),
        (["demo/ecco"], 3, (REFUSED, UNKNOWN, "here. Did you mean 'demo/echo'?")),
        (["quite/other"], 3, (REFUSED, UNKNOWN, "'abilities list' shows what")),
        (["demo/admin"], 3, (REFUSED, UNKNOWN, "no ability 'demo/admin' here.")),
        (["demo/empty", "{}"], 3, (REFUSED, "not_confirmed", LOSES)),
        (["demo/put", BAD, "--yes"], 3, (REFUSED, "write_vetoed", VETOED)),
        (["demo/fail", KEY], 1, ("failed", "ability_failed", "The shelf is full.")),
        (["demo/crash", KEY], 1, ("failed", CRASHED, "'demo/crash' failed inside.")),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_how_it_ended_is_in_the_exit_code_the_json_and_one_line(
    tmp_path: Path,
    command: Command,
    arguments: list[str],
    code: int,
    expected: tuple[str, str, str],
) -> None:
    status, error, message = expected
    config = make_demo(tmp_path, end="[limits]\ninput_bytes = 1024")

    ended = command("call", *arguments, "--json", "--config", config)

    value: dict[str, Any] = ended.value
    assert (ended.code, value["status"], value["error"]["code"]) == (
        code,
        status,
        error,
    )
    assert message in value["error"]["message"]
    assert ended.err.splitlines()[-1] == f"error: {value['error']['message']}"


def test_a_question_of_policy_is_not_answered_by_yes(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)

    given = '{"key": "a", "text": "odd"}'
    ended = command("call", "demo/put", given, "--yes", "--config", config)

    asked = "question: Is this meant? Run it on a terminal to answer.\n"
    assert ended == (3, "", asked)


def test_arguments_come_from_standard_input_and_the_config_from_above(
    tmp_path: Path,
) -> None:
    make_demo(tmp_path)
    (tmp_path / "below").mkdir()

    read = start(tmp_path / "below", "call", "demo/echo", "-", given='{"key": "ä\\n"}')
    flood = start(tmp_path, "call", "demo/echo", "-", given=" " * (1 << 20) + "{}")

    assert (read.returncode, read.stdout, read.stderr) == (
        0,
        '{\n  "key": "ä\\n"\n}\n',
        "",
    )
    assert (flood.returncode, flood.stdout) == (2, "")
    assert "larger than 1048576 bytes" in flood.stderr


def test_calls_of_one_login_belong_to_one_session() -> None:
    session = login_session()

    assert session == login_session()
    assert session.startswith("cli-")
    assert len(session) == 20


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PolicyMissing("a/b", "guard"), Exit.REFUSED),
        (StoreUnreadable(), Exit.CONFIGURATION),
        (AbilityTimeout("a/b", 1.0), Exit.FAILED),
        (InvalidName("A"), Exit.USAGE),
        (PackError("a", "import", "x"), Exit.FAILED),
    ],
)
def test_an_error_has_the_exit_code_of_its_kind(error: Any, code: Exit) -> None:
    assert exit_of(error) == code


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        ("ok", None, Exit.OK),
        ("input_required", None, Exit.REFUSED),
        ("unknown", AbilityTimeout("a/b", 1.0), Exit.FAILED),
        ("refused", StoreUnreadable(), Exit.CONFIGURATION),
    ],
)
def test_an_outcome_has_the_exit_code_of_its_error(
    status: Status, error: CallError | None, code: Exit
) -> None:
    outcome = Outcome(status=status, ability="a/b", call="1", error=error)

    assert exit_of_outcome(outcome) == code
