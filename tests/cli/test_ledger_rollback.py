"""`ledger rollback` puts back what it may, and says what it does not."""

import json
from pathlib import Path

import pytest
from cli.conftest import Command
from cli.ledger_world import FORCE, PLAIN, UNDO, content, make_files, write

LOSES = "may lose something, so it was not run. Add --yes to confirm it.\n"


def roll_back(command: Command, config: Path, *given: object) -> tuple[int, str, str]:
    ended = command("ledger", "rollback", *given, "--config", config)
    return ended.code, ended.out, ended.err


def test_without_the_scope_it_says_what_to_write_and_that_works(
    tmp_path: Path, command: Command
) -> None:
    config = make_files(tmp_path, scopes=PLAIN)
    write(command, config, "one")
    advice = 'scopes = ["read", "write", "ledger:undo", "ledger:force"]'

    refused = roll_back(command, config, 2, "--force", "--yes")
    text = config.read_text(encoding="utf-8")
    assert refused[2].endswith(f" in {config} write: {advice}\n")
    config.write_text(text.replace('scopes = ["read", "write"]', advice), "utf-8")
    done = roll_back(command, config, 2, "--force", "--yes")

    said = "error: This needs the scope ledger:undo and ledger:force, which the command"
    assert refused[:2] == (3, "")
    assert refused[2].startswith(said)
    assert done == (0, "Put back: files:a.txt\n", "")
    assert not (config.parent / "content" / "a.txt").exists()


@pytest.mark.parametrize("given", [(2,), ("--session", "s")], ids=str)
def test_what_another_actor_did_needs_a_scope_of_its_own(
    tmp_path: Path, command: Command, given: tuple[object, ...]
) -> None:
    config = make_files(tmp_path, scopes=UNDO)
    write(command, config, "one")
    text = config.read_text(encoding="utf-8")
    config.write_text(f'{text}id = "ana"\n', encoding="utf-8")

    refused = roll_back(command, config, *given, "--yes")
    all_ = text.replace('"ledger:undo"', '"ledger:undo", "ledger:read-all"')
    config.write_text(f'{all_}id = "ana"\n', encoding="utf-8")
    done = roll_back(command, config, *given, "--yes")

    said = "error: This needs the scope ledger:read-all, which the command line does"
    assert refused[:2] == (3, "")
    assert refused[2].startswith(said)
    assert done[0] == 0
    assert not (config.parent / "content" / "a.txt").exists()


def test_a_change_is_tried_and_then_put_back(tmp_path: Path, command: Command) -> None:
    config = make_files(tmp_path, scopes=UNDO)
    write(command, config, "one")
    write(command, config, "two")

    tried = roll_back(command, config, 5, "--dry-run")
    still = content(config)
    done = roll_back(command, config, 5, "--yes")
    again = roll_back(command, config, 5, "--yes")

    assert tried == (0, "Would put back: files:a.txt\n", "")
    assert still == "two"
    assert done == (0, "Put back: files:a.txt\n", "")
    assert content(config) == "one"
    assert again[0] == 3
    assert again[2].startswith("error: Change 5 was undone already, by entry ")


def test_a_list_says_what_became_of_each_change(
    tmp_path: Path, command: Command
) -> None:
    config = make_files(tmp_path, scopes=UNDO)
    write(command, config, "one")
    write(command, config, "key=1", path=".env")
    roll_back(command, config, 2, "--yes")

    listed = command("ledger", "list", "--config", config).out.splitlines()
    refused = roll_back(command, config, 5, "--yes")

    states = [line.rpartition("  ")[2] for line in listed]
    assert states == ["STATE", "in force", "partial: secret", "undone"]
    assert refused[0] == 3
    assert "of files:.env only the digest is kept" in refused[2]


def test_what_others_use_by_now_is_left_and_named(
    tmp_path: Path, command: Command
) -> None:
    config = make_files(tmp_path, scopes=UNDO)
    given = '{"path": "new/a.txt", "text": "one", "make_folders": true}'
    command("call", "files/write", given, "--yes", "--config", config)
    (config.parent / "content" / "new" / "mine.txt").write_text("mine", "utf-8")
    [change, *_] = command("ledger", "list", "--json", "--config", config).value[
        "changes"
    ]

    ended = roll_back(command, config, change["id"], "--yes")

    assert ended == (
        0,
        "Put back: files:new/a.txt\nLeft as they are: files:new\n",
        "",
    )
    assert content(config, "new/mine.txt") == "mine"


def test_drift_is_shown_as_a_difference_and_force_goes_over_it(
    tmp_path: Path, command: Command
) -> None:
    config = make_files(tmp_path, scopes=FORCE)
    write(command, config, "one\n")
    write(command, config, "two\n")
    (config.parent / "content" / "a.txt").write_text("two\nmine \x1b[2J\n", "utf-8")

    refused = roll_back(command, config, 5, "--yes")
    kept = content(config)
    forced = roll_back(command, config, 5, "--yes", "--force")

    assert refused[:2] == (3, "")
    assert refused[2] == (
        "error: Changed since: files:a.txt. An undo would destroy that, so nothing was "
        "done. Force needs the scope ledger:force.\n"
        "files:a.txt\n--- expected\n+++ now\n@@ -1 +1,2 @@\n two\n+mine \\u001b[2J\n"
    )
    assert kept == "two\nmine \x1b[2J\n"
    assert forced == (0, "Put back: files:a.txt\n", "")
    assert content(config) == "one\n"


def test_a_session_is_undone_newest_first(tmp_path: Path, command: Command) -> None:
    config = make_files(tmp_path, scopes=UNDO)
    write(command, config, "one")
    write(command, config, "two", session="t")
    write(command, config, "three", session="t")

    tried = roll_back(command, config, "--session", "t", "--dry-run")
    done = roll_back(command, config, "--session", "t", "--yes")
    nothing = roll_back(command, config, "--session", "t", "--yes")

    assert tried == (0, "Would put back: entry 8, entry 5\n", "")
    assert done == (0, "Put back: entry 8, entry 5\n", "")
    assert content(config) == "one"
    assert nothing == (0, "Put back: nothing\n", "")


def test_a_session_stops_at_the_first_refusal_and_says_what_is_left(
    tmp_path: Path, command: Command
) -> None:
    config = make_files(tmp_path, scopes=UNDO)
    write(command, config, "one")
    write(command, config, "two", path="b.txt")
    write(command, config, "three", path="c.txt")
    (config.parent / "content" / "b.txt").write_text("mine", encoding="utf-8")

    code, out, err = roll_back(command, config, "--session", "s", "--yes")

    assert (code, out) == (3, "Put back: entry 8\nLeft as they are: 5, 2\n")
    assert err.startswith("refused: 5: Changed since: files:b.txt. An undo would ")
    assert err.endswith("@@ -1 +1 @@\n-two\n+mine\n")
    assert content(config, "b.txt") == "mine"
    assert content(config) == "one"


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ((2,), "not_confirmed", f"'ledger/rollback-change' {LOSES}"),
        (("--session", "s"), "not_confirmed", f"'ledger/rollback-session' {LOSES}"),
        ((99, "--yes"), "not_found", "There is no change 99 that you may see."),
        ((3, "--yes"), "not_reversible", "Entry 3 cannot be undone: "),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_refusal_as_json_is_an_outcome_with_every_key(
    tmp_path: Path,
    command: Command,
    given: tuple[object, ...],
    error: str,
    said: str,
) -> None:
    config = make_files(tmp_path, scopes=UNDO)
    write(command, config, "one")

    ended = roll_back(command, config, *given, "--json")
    done = roll_back(command, config, 2, "--yes", "--json")

    value = json.loads(ended[1])
    assert (ended[0], value["status"], value["error"]["code"]) == (
        3,
        "refused",
        error,
    )
    assert ended[2].startswith(f"error: {said}")
    assert value.keys() == json.loads(done[1]).keys()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ((), "Name one change by its ID, or one --session."),
        ((2, "--session", "s"), "Name one change by its ID, or one --session."),
        (
            ("--session", "s", "--only-target"),
            "--only-target is for one change, not for a session.",
        ),
    ],
    ids=str,
)
def test_what_is_undone_is_said_once(
    tmp_path: Path, command: Command, given: tuple[object, ...], problem: str
) -> None:
    code, _, err = roll_back(command, tmp_path / "none.toml", *given)

    assert code == 2
    assert err.startswith(f"error: Invalid value: {problem}")
