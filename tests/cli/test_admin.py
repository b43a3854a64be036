"""People make, change and switch off accounts at a terminal, and nowhere else."""

import json
import re
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
    change_store,
    let_time_pass,
    make_accounts,
    make_host,
)
from cli.world import start

from abilities_host.accounts import (
    AccountDisabled,
    AccountExists,
    InvalidAccountName,
    LastOperator,
    NeedsRole,
    Role,
    TooSoon,
    WrongSecret,
)
from abilities_host.cli.accounts import add, change, disable, every, give_role
from abilities_host.cli.exits import exit_of
from abilities_host.cli.origin import secret_origin
from abilities_host.cli.proof import prove, unlock, with_accounts
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
    before = command("admin", "list", "--config", loaded.path)

    ended = at_terminal(
        tmp_path,
        *("admin", "add", "Ána"),
        answers=choosing("ana", ANA),
        SSH_CONNECTION="192.0.2.7 51820 192.0.2.1 22",
    )

    listed = command("admin", "list", "--json", "--config", loaded.path)
    [account] = listed.value
    assert before.out == (
        "There is no account yet. The first is made at a terminal: "
        "abilities admin add NAME\n"
    )
    assert ended == Ended(
        0,
        f"{WARNING}{CHOOSE.format('ana')}\n{AGAIN}\n"
        "The account ana is made, with the role operator.\n"
        "Nobody can look its secret up or reset it: keep it where no agent can read.\n",
    )
    assert account == {
        "name": "ana",
        "role": "operator",
        "made_at": account["made_at"],
        "made_by": None,
        "secret_at": account["made_at"],
        "secret_from": account["secret_from"],
        "disabled_at": None,
        "disabled_by": None,
        "failures": 0,
    }
    terminal, peer, seat = account["secret_from"].split(", ")
    assert re.fullmatch(r"terminal /dev/\S+", terminal)
    assert (peer, seat) == ("ssh from 192.0.2.7", secret_origin().split(", ")[-1])
    assert stat.S_IMODE((tmp_path / "abilities.db").stat().st_mode) == 0o600


def test_a_secret_is_not_taken_from_anything_but_a_terminal(tmp_path: Path) -> None:
    make_host(tmp_path)

    ended = start(tmp_path, "admin", "add", "ana", given=f"{ANA}\n{ANA}\n", SECRET=ANA)

    assert ended.returncode == exit_of(NeedsPerson(""))
    assert ended.stdout == ""
    assert ended.stderr == (
        "error: This needs a person at a terminal: this process has none. Nothing was "
        "changed. A secret is never taken from an argument, a variable, a file or a "
        "pipe.\n"
    )
    assert json.loads(start(tmp_path, "admin", "list", "--json").stdout) == []


def test_a_second_account_needs_the_secret_of_the_first(
    tmp_path: Path, command: Command
) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, ana=ANA)

    ended = at_terminal(
        tmp_path,
        "admin",
        "add",
        "ben",
        "--json",
        answers=[typed("Secret of ana: ", ANA), *choosing("ben", BEN)],
    )

    before, _, printed = ended.screen.partition("{")
    made = json.loads(f"{{{printed}")
    listed = rows_of(command("admin", "list", "--config", loaded.path))
    assert before == f"{WARNING}Secret of ana: \n{CHOOSE.format('ben')}\n{AGAIN}\n"
    assert (ended.code, made["name"], made["made_by"]) == (0, "ben", "ana")
    assert [[*row[:3], row[4], row[6]] for row in listed[1:]] == [
        ["ana", "operator", "on", "-", "0"],
        ["ben", "reviewer", "on", "ana", "0"],
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
        "change the secret: abilities admin secret ana\n"
    )
    assert (account.name, account.failures, other.made_by) == ("ana", 0, "ana")


def test_a_secret_is_changed_at_a_terminal(tmp_path: Path) -> None:
    make_accounts(make_host(tmp_path), ana=ANA)

    ended = at_terminal(
        tmp_path,
        "admin",
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
        *("admin", "disable", "ben", "--as", "ana"),
        answers=[typed("Secret of ana: ", ANA)],
    )

    listed = rows_of(command("admin", "list", "--config", loaded.path))
    assert ended == Ended(
        0,
        f"{WARNING}Secret of ana: \n"
        "The account ben is switched off. Its name stays taken.\n",
    )
    assert [[row[0], row[2]] for row in listed] == [
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
        *("admin", "secret", "ben", "--json"),
        answers=[old, *choosing("ben", NEW)],
    )
    disabled = at_terminal(
        tmp_path, *("admin", "disable", "ben", "--as", "ben", "--json"), answers=[ben]
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
    with pytest.raises(LastOperator):
        disable(loaded, "ana", None, person=nobody)
    with pytest.raises(LastOperator):
        give_role(loaded, "ana", Role.REVIEWER, None, person=nobody)

    assert nobody.asked == []


def test_what_is_off_already_says_so_before_anybody_is_asked(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, ana=ANA, ben=BEN)
    disable(loaded, "ben", "ben", person=Scripted(BEN))
    nobody = Scripted()

    with pytest.raises(AccountDisabled):
        disable(loaded, "ben", None, person=nobody)

    assert nobody.asked == []


def test_a_role_is_given_at_a_terminal_and_published(tmp_path: Path) -> None:
    make_accounts(make_host(tmp_path), role=Role.REVIEWER, ana=ANA, ben=BEN)

    ended = at_terminal(
        tmp_path,
        *("admin", "role", "Ben", "operator"),
        answers=[typed("Secret of ana: ", ANA)],
    )
    as_json = at_terminal(
        tmp_path,
        *("admin", "role", "ana", "reviewer", "--as", "ben", "--json"),
        answers=[typed("Secret of ben: ", BEN)],
    )

    [keys] = tmp_path.rglob("*.anchor.keys")
    assert ended == Ended(
        0, f"{WARNING}Secret of ana: \nThe account ben has the role operator.\n"
    )
    assert '"role": "reviewer"' in as_json.screen
    assert json.loads(keys.read_text())["roles"] == {
        "ana": "reviewer",
        "ben": "operator",
    }


def test_what_only_an_operator_may_do_is_not_asked_of_a_reviewer(
    tmp_path: Path,
) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, role=Role.REVIEWER, ana=ANA, ben=BEN, cara=NEW)
    nobody = Scripted()

    with pytest.raises(NeedsRole):
        add(loaded, "cleo", "ben", person=nobody)
    with pytest.raises(NeedsRole):
        disable(loaded, "cara", "ben", person=nobody)
    with pytest.raises(NeedsRole):
        give_role(loaded, "ben", Role.OPERATOR, "ben", person=nobody)

    assert nobody.asked == []


def test_a_reviewer_may_switch_the_own_account_off(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, role=Role.REVIEWER, ana=ANA, ben=BEN)

    account = disable(loaded, "ben", "BEN", person=Scripted(BEN))

    assert account.disabled_by == "ben"


def test_a_role_raised_in_the_store_is_not_enough(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    add(loaded, "ana", None, person=Scripted(ANA, ANA))
    add(loaded, "ben", None, person=Scripted(ANA, BEN, BEN))
    change_store(loaded, "UPDATE account SET role = 'operator'")

    with pytest.raises(NeedsRole, match="'ben' has the role reviewer"):
        add(loaded, "cleo", "ben", person=Scripted(BEN))

    assert [each.role for each in every(loaded)] == [Role.OPERATOR, Role.OPERATOR]


def test_who_has_the_role_unlocks_a_key_that_is_published(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    add(loaded, "ana", None, person=Scripted(ANA, ANA))
    add(loaded, "ben", None, person=Scripted(ANA, BEN, BEN))
    accounts, roles = every(loaded), (Role.REVIEWER, Role.OPERATOR)

    ben = unlock(loaded, Scripted(BEN), accounts, "Ben", role=Role.REVIEWER)
    ana = [unlock(loaded, Scripted(ANA), accounts, "ana", role=each) for each in roles]
    with pytest.raises(NeedsRole):
        unlock(loaded, Scripted(), accounts, "ben", role=Role.OPERATOR)
    with pytest.raises(NeedsRole):
        prove(loaded, Scripted(), accounts, "ben", role=Role.OPERATOR)
    public = with_accounts(loaded, lambda all_: all_.public_keys())

    assert [each.role for each in (ben, *ana)] == [Role.REVIEWER, *[Role.OPERATOR] * 2]
    assert public == {"ana": ana[0].public, "ben": ben.public}


def test_the_first_account_is_no_reviewer(tmp_path: Path, command: Command) -> None:
    loaded = make_host(tmp_path)

    ended = command(
        *("admin", "add", "ana", "--role", "reviewer", "--config", loaded.path)
    )

    first = "The first account is an operator: leave --role out."
    assert (ended.code, ended.out) == (2, "")
    assert first in ended.err


def test_what_is_no_role_is_refused(tmp_path: Path, command: Command) -> None:
    loaded = make_host(tmp_path)

    ended = command("admin", "role", "ana", "root", "--config", loaded.path)

    assert ended.code == 2
    assert "'root' is not one of 'reviewer', 'operator'" in ended.err


def test_who_of_several_agrees_must_be_said(tmp_path: Path, command: Command) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, ana=ANA, ben=BEN)

    ended = command("admin", "add", "cleo", "--config", loaded.path)

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "error: Invalid value: Say who you are: --as NAME, one of ana, ben. "
        "See 'abilities admin add --help'.\n"
    )


def test_the_group_alone_shows_its_commands(command: Command) -> None:
    ended = command("admin")

    assert (ended.code, ended.err) == (0, "")
    listing = ended.out.partition("Commands:\n")[2]
    assert [line.split()[0] for line in listing.splitlines()] == [
        "add",
        "list",
        "secret",
        "disable",
        "role",
        "link",
    ]
