"""People make, change and switch off accounts at a terminal, and nowhere else."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from cli.at_terminal import Ended, at_terminal
from cli.conftest import Command
from cli.record_world import (
    ANA,
    BEN,
    NEW,
    WARNING,
    Scripted,
    let_time_pass,
    make_accounts,
    make_host,
)
from cli.world import start

from abilities_host.accounts import (
    AccountDisabled,
    AccountExists,
    InvalidAccountName,
    LastAccount,
    TooSoon,
    WrongSecret,
)
from abilities_host.cli.account import add, change, disable
from abilities_host.cli.exits import exit_of
from abilities_host.cli.secret import NeedsPerson
from abilities_host.errors import LookupFailed

CHOOSE = "New secret of {}, at least 10 characters: "
AGAIN = "The same again: "


def typed(prompt: str, answer: str) -> tuple[bytes, bytes]:
    return prompt.encode(), f"{answer}\n".encode()


def choosing(name: str, secret: str) -> list[tuple[bytes, bytes]]:
    return [typed(CHOOSE.format(name), secret), typed(AGAIN, secret)]


def rows_of(ended: Any) -> list[list[str]]:
    return [line.split() for line in ended.out.splitlines()]


def test_the_first_account_is_made_at_a_terminal(
    tmp_path: Path, command: Command
) -> None:
    loaded = make_host(tmp_path)
    before = command("account", "list", "--config", loaded.path)

    ended = at_terminal(tmp_path, "account", "add", "Ána", answers=choosing("ana", ANA))

    listed = command("account", "list", "--json", "--config", loaded.path)
    [account] = listed.value
    assert before.out == (
        "There is no account yet. The first is made at a terminal: "
        "abilities account add NAME\n"
    )
    assert ended == Ended(
        0,
        f"{WARNING}{CHOOSE.format('ana')}\n{AGAIN}\nThe account ana is made.\n"
        "Nobody can look its secret up or reset it: keep it where no agent can read.\n",
    )
    assert account == {
        "name": "ana",
        "made_at": account["made_at"],
        "made_by": None,
        "secret_at": account["made_at"],
        "disabled_at": None,
        "disabled_by": None,
        "failures": 0,
    }
    assert stat.S_IMODE((tmp_path / "abilities.db").stat().st_mode) == 0o600


def test_a_secret_is_not_taken_from_anything_but_a_terminal(tmp_path: Path) -> None:
    make_host(tmp_path)

    ended = start(
        tmp_path, "account", "add", "ana", given=f"{ANA}\n{ANA}\n", SECRET=ANA
    )

    assert ended.returncode == exit_of(NeedsPerson(""))
    assert ended.stdout == ""
    assert ended.stderr == (
        "error: This needs a person at a terminal: this process has none. Nothing was "
        "changed. A secret is never taken from an argument, a variable, a file or a "
        "pipe.\n"
    )
    assert json.loads(start(tmp_path, "account", "list", "--json").stdout) == []


def test_a_second_account_needs_the_secret_of_the_first(
    tmp_path: Path, command: Command
) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, ana=ANA)

    ended = at_terminal(
        tmp_path,
        "account",
        "add",
        "ben",
        "--json",
        answers=[typed("Secret of ana: ", ANA), *choosing("ben", BEN)],
    )

    before, _, printed = ended.screen.partition("{")
    made = json.loads(f"{{{printed}")
    listed = rows_of(command("account", "list", "--config", loaded.path))
    assert before == f"{WARNING}Secret of ana: \n{CHOOSE.format('ben')}\n{AGAIN}\n"
    assert (ended.code, made["name"], made["made_by"]) == (0, "ben", "ana")
    assert [[row[0], row[1], row[3], row[5]] for row in listed[1:]] == [
        ["ana", "on", "-", "0"],
        ["ben", "on", "ana", "0"],
    ]


def test_a_wrong_secret_changes_nothing_and_waits(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, ana=ANA)
    ben, nobody = Scripted(BEN), Scripted()

    with pytest.raises(WrongSecret):
        add(loaded, "ben", None, person=ben)
    with pytest.raises(TooSoon):
        add(loaded, "ben", None, person=nobody)
    with pytest.raises(TooSoon):
        change(loaded, "ana", person=nobody)

    assert (ben.asked, nobody.asked) == (["Secret of ana:"], [])


def test_failed_tries_are_told_to_the_next_who_knows_the_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, ana=ANA)
    with pytest.raises(WrongSecret):
        change(loaded, "ana", person=Scripted(BEN))
    let_time_pass(loaded)

    account = change(loaded, "ana", person=Scripted(ANA, NEW, NEW))
    other = add(loaded, "ben", "Ana", person=Scripted(NEW, BEN, BEN))

    assert capsys.readouterr().err == (
        "warning: 1 try for 'ana' failed since the last time. If that was not you, "
        "change the secret: abilities account secret ana\n"
    )
    assert (account.name, account.failures, other.made_by) == ("ana", 0, "ana")


def test_a_secret_is_changed_at_a_terminal(tmp_path: Path) -> None:
    make_accounts(make_host(tmp_path), ana=ANA)

    ended = at_terminal(
        tmp_path,
        "account",
        "secret",
        "ana",
        answers=[typed("Secret of ana until now: ", ANA), *choosing("ana", NEW)],
    )

    assert ended == Ended(
        0,
        f"{WARNING}Secret of ana until now: \n{CHOOSE.format('ana')}\n{AGAIN}\n"
        "The secret of ana is another one now.\n",
    )


def test_an_account_is_switched_off_at_a_terminal(
    tmp_path: Path, command: Command
) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, ana=ANA, ben=BEN)

    ended = at_terminal(
        tmp_path,
        *("account", "disable", "ben", "--as", "ana"),
        answers=[typed("Secret of ana: ", ANA)],
    )

    listed = rows_of(command("account", "list", "--config", loaded.path))
    assert ended == Ended(
        0,
        f"{WARNING}Secret of ana: \n"
        "The account ben is switched off. Its name stays taken.\n",
    )
    assert [row[:2] for row in listed] == [
        ["NAME", "STATE"],
        ["ana", "on"],
        ["ben", "off"],
    ]


def test_what_a_person_did_can_be_read_as_json(tmp_path: Path) -> None:
    make_accounts(make_host(tmp_path), ana=ANA, ben=BEN)
    ben = typed("Secret of ben: ", NEW)
    old = typed("Secret of ben until now: ", BEN)

    changed = at_terminal(
        tmp_path,
        *("account", "secret", "ben", "--json"),
        answers=[old, *choosing("ben", NEW)],
    )
    disabled = at_terminal(
        tmp_path, *("account", "disable", "ben", "--as", "ben", "--json"), answers=[ben]
    )

    accounts = [
        json.loads(f"{{{e.screen.partition('{')[2]}") for e in (changed, disabled)
    ]
    assert [each["disabled_by"] for each in accounts] == [None, "ben"]
    assert accounts[0] == {**accounts[1], "disabled_at": None, "disabled_by": None}


def test_nobody_is_asked_for_what_cannot_be_done(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, ana=ANA)
    nobody = Scripted()

    with pytest.raises(InvalidAccountName):
        add(loaded, "9", None, person=nobody)
    with pytest.raises(AccountExists):
        add(loaded, "ANA", None, person=nobody)
    with pytest.raises(LookupFailed):
        disable(loaded, "anna", None, person=nobody)
    with pytest.raises(LastAccount):
        disable(loaded, "ana", None, person=nobody)

    assert nobody.asked == []


def test_what_is_off_already_says_so_before_anybody_is_asked(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, ana=ANA, ben=BEN)
    disable(loaded, "ben", "ben", person=Scripted(BEN))
    nobody = Scripted()

    with pytest.raises(AccountDisabled):
        disable(loaded, "ben", None, person=nobody)

    assert nobody.asked == []


def test_who_of_several_agrees_must_be_said(tmp_path: Path, command: Command) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, ana=ANA, ben=BEN)

    ended = command("account", "add", "cleo", "--config", loaded.path)

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "error: Invalid value: Say who you are: --as NAME, one of ana, ben. "
        "See 'abilities account add --help'.\n"
    )


def test_the_group_alone_shows_its_commands(command: Command) -> None:
    ended = command("account")

    assert (ended.code, ended.err) == (0, "")
    listing = ended.out.partition("Commands:\n")[2]
    assert [line.split()[0] for line in listing.splitlines()] == [
        "add",
        "list",
        "secret",
        "disable",
    ]
