"""At a real terminal a person is asked before content is put back or removed."""

from pathlib import Path

import pytest
from cli.at_terminal import Ended, at_terminal
from cli.conftest import Command
from cli.ledger_world import UNDO, content, make_files, write
from cli.record_world import ANA, BEN, WARNING, make_accounts, note

from abilities_host.accounts import Role
from abilities_host.cli.running import load

QUESTION = "Put back files:a.txt? [y/N] "
NOT_RUN = (
    "error: 'ledger/rollback-change' may lose something, so it was not run. Add --yes "
    "to confirm it.\n"
)


def host_with_two_writes(folder: Path, command: Command) -> Path:
    config = make_files(folder, scopes=UNDO)
    write(command, config, "one\n")
    write(command, config, "two\n")
    return config


@pytest.mark.parametrize(
    ("key", "ended", "left"),
    [
        (b"y\n", Ended(0, f"{QUESTION}y\nPut back: files:a.txt\n"), "one\n"),
        (b"\n", Ended(3, f"{QUESTION}\n{NOT_RUN}"), "two\n"),
    ],
)
def test_a_person_is_told_what_an_undo_would_do_and_asked(
    tmp_path: Path, command: Command, key: bytes, ended: Ended, left: str
) -> None:
    config = host_with_two_writes(tmp_path, command)

    answers = [(b"[y/N] ", key)]
    screen = at_terminal(config.parent, "ledger", "rollback", "5", answers=answers)

    assert screen == ended
    assert content(config) == left


def test_what_would_be_refused_is_refused_before_anybody_is_asked(
    tmp_path: Path, command: Command
) -> None:
    config = host_with_two_writes(tmp_path, command)

    ended = at_terminal(config.parent, "ledger", "rollback", "2")

    assert ended.code == 3
    assert ended.screen.startswith("error: Changed since: files:a.txt. ")
    assert "Undo the newer changes first: [5]." in ended.screen


def test_a_question_about_a_session_names_its_changes(
    tmp_path: Path, command: Command
) -> None:
    config = make_files(tmp_path, scopes=UNDO)
    for number in range(7):
        write(command, config, "one", path=f"{number}.txt")

    ended = at_terminal(
        config.parent, "ledger", "rollback", "--session", "s", answers=[(b"] ", b"n\n")]
    )

    names = "entry 20, entry 17, entry 14, entry 11, entry 8 and 2 more"
    assert ended.screen.startswith(f"Put back {names}? [y/N] n\n")


def test_a_table_fits_the_terminal(tmp_path: Path, command: Command) -> None:
    config = host_with_two_writes(tmp_path, command)

    ended = at_terminal(config.parent, "ledger", "list")

    assert ended.code == 0
    assert max(map(len, ended.screen.splitlines()[1:])) <= 80
    assert "files/write" in ended.screen


@pytest.mark.parametrize("word", ["verify", "evaluate"])
def test_long_work_shows_how_far_it_is_on_a_terminal_only(
    tmp_path: Path, command: Command, word: str
) -> None:
    config = host_with_two_writes(tmp_path, command)

    ended = at_terminal(config.parent, "ledger", word)
    elsewhere = command("ledger", word, "--config", config)

    assert ended.code == 0
    assert f"{word.removesuffix('e').removesuffix('y')}" in ended.screen
    assert "\x1b[" in ended.screen
    assert elsewhere.err == ""


# --- forget ---------------------------------------------------------------------------


def forget(folder: Path, *given: str, name: str, secret: str) -> Ended:
    answers = [(f"Secret of {name}: ".encode(), f"{secret}\n".encode())]
    return at_terminal(folder, "ledger", "forget", *given, answers=answers)


def test_a_person_with_the_secret_removes_the_content_of_a_run(
    tmp_path: Path, command: Command
) -> None:
    config = host_with_two_writes(tmp_path, command)
    make_accounts(load(config), ana=ANA, ben=BEN)

    ended = forget(config.parent, "5", "--as", "ben", name="ben", secret=BEN)
    listed = command("ledger", "list", "--config", config).out
    diff = command("ledger", "diff", 5, "--config", config).out
    undone = command("ledger", "rollback", 5, "--yes", "--config", config)
    verified = command("ledger", "verify", "--config", config)

    assert ended.code == 0
    assert ended.screen.startswith("The run of entry 5: files/write files:a.txt, ")
    assert ended.screen.endswith(
        f"{WARNING}Secret of ben: \nRemoved for good: 3 states and arguments.\n"
        "note: these entries had the same content and lost it too: 2\n"
    )
    assert "not reversible" in listed
    assert "two" not in diff
    assert undone.err.startswith("error: Change 5 cannot be undone: the state of ")
    assert verified.out.startswith("removed: 7 entries read\nIntact; content was ")
    assert "by ben" in verified.out


def test_what_was_forgotten_is_told_as_json(tmp_path: Path, command: Command) -> None:
    config = make_files(tmp_path)
    write(command, config, "one\n")
    make_accounts(load(config), ana=ANA)

    ended = forget(config.parent, "2", "--json", name="ana", secret=ANA)

    assert ended.code == 0
    assert ended.screen.endswith(
        '{\n  "seq": 2,\n  "contents": 2,\n  "shared": []\n}\n'
    )


def test_a_wrong_secret_removes_nothing(tmp_path: Path, command: Command) -> None:
    config = host_with_two_writes(tmp_path, command)
    make_accounts(load(config), ana=ANA)

    ended = forget(config.parent, "5", name="ana", secret=BEN)
    diff = command("ledger", "diff", 5, "--config", config).out

    assert ended.code != 0
    assert "+two" in diff


def test_nobody_is_asked_for_what_cannot_be_forgotten(
    tmp_path: Path, command: Command
) -> None:
    config = host_with_two_writes(tmp_path, command)
    without_account = command("ledger", "forget", 5, "--config", config)
    make_accounts(load(config), ana=ANA)

    unknown = at_terminal(config.parent, "ledger", "forget", "99")
    no_person = command("ledger", "forget", 5, "--config", config)
    forget(config.parent, "5", name="ana", secret=ANA)
    mark = command("ledger", "forget", 7, "--config", config)

    assert without_account.code == 3
    assert without_account.err == (
        "error: Only a person may do this, with the secret of an account that has the "
        "role operator, and there is none yet. Make one: abilities admin add NAME\n"
    )
    missing = "error: There is no entry 99. List them with 'abilities ledger list'.\n"
    assert unknown == (3, missing)
    assert no_person.code == 3
    assert "This needs a person at a terminal" in no_person.err
    kind = "is of kind 'prune' and has no content that could be removed."
    assert mark == (3, "", f"error: Entry 7 {kind}\n")


@pytest.mark.parametrize("word", ["verify", "evaluate"])
def test_a_terminal_shows_how_far_long_work_is_and_a_pipe_does_not(
    tmp_path: Path, command: Command, word: str
) -> None:
    config = host_with_two_writes(tmp_path, command)
    bar = {"verify": "verifying", "evaluate": "evaluating"}[word]

    ended = at_terminal(config.parent, "ledger", word)
    piped = command("ledger", word, "--config", config)

    assert (ended.code, bar in ended.screen) == (0, True)
    assert (piped.code, piped.err, bar in piped.out) == (0, "", False)


# --- prune ----------------------------------------------------------------------------


def test_an_operator_with_the_secret_prunes(tmp_path: Path, command: Command) -> None:
    config = make_files(tmp_path, ledger="keep_entries = 500")
    loaded = load(config)
    nothing = command("ledger", "prune", "--yes", "--config", config)
    make_accounts(loaded, role=Role.REVIEWER, ana=ANA, ben=BEN)
    note(loaded, times=600)

    refused = command("ledger", "prune", "--yes", "--as", "ben", "--config", config)
    ended = at_terminal(
        config.parent,
        *("ledger", "prune", "--yes", "--json"),
        answers=[(b"Secret of ana: ", f"{ANA}\n".encode())],
    )
    verified = command("ledger", "verify", "--config", config)

    assert nothing == (0, "Nothing is over the limits.\n", "")
    assert (refused.code, refused.out) == (3, "")
    assert refused.err.startswith("error: This needs the role operator, and 'ben' has ")
    assert ended.code == 0
    assert ended.screen.endswith('  "bytes": 0,\n  "dry_run": false\n}\n')
    assert "Entries up to 100 were pruned by ana." in verified.out


def test_a_reviewer_removes_no_content(tmp_path: Path, command: Command) -> None:
    config = host_with_two_writes(tmp_path, command)
    make_accounts(load(config), role=Role.REVIEWER, ana=ANA, ben=BEN)

    ended = command("ledger", "forget", 5, "--as", "ben", "--config", config)

    assert (ended.code, ended.out) == (3, "")
    assert ended.err.startswith("error: This needs the role operator, and 'ben' has ")
