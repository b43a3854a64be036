"""`doctor` says who may approve, since when, and when nobody may."""

import re
from pathlib import Path

from cli.conftest import Command
from cli.record_world import (
    ANA,
    BEN,
    Scripted,
    change_store,
    make_host,
)
from cli.test_doctor import seen

from abilities_host.accounts import keys_beside
from abilities_host.cli.account_checks import check_accounts
from abilities_host.cli.accounts import add, disable, every
from abilities_host.cli.findings import Finding
from abilities_host.cli.origin import secret_origin


def test_nobody_is_a_warning_with_the_fix(tmp_path: Path, command: Command) -> None:
    loaded = make_host(tmp_path)

    ended = command("doctor", "--json", "--config", loaded.path)

    sentence = "There is no account. Until there is, nothing can be approved."
    assert ended.code == 0
    assert seen(ended, "account") == [("warning", sentence, "abilities admin add NAME")]


def test_each_account_is_told_with_when_and_where_its_secret_was_set(
    tmp_path: Path, command: Command
) -> None:
    loaded = make_host(tmp_path)
    for name, secrets in (("ana", (ANA, ANA)), ("ben", (ANA, BEN, BEN))):
        add(loaded, name, None, person=Scripted(*secrets))
    disable(loaded, "ben", "ben", person=Scripted(BEN))
    [ana, _] = every(loaded)

    ended = command("doctor", "--json", "--config", loaded.path)

    sentence = f"ana (operator) has its secret since {ana.secret_at}, from {{}}."
    assert seen(ended, "account") == [("ok", sentence.format(secret_origin()), "")]


def test_where_a_secret_was_set_cannot_drive_the_terminal(
    tmp_path: Path, command: Command
) -> None:
    loaded = make_host(tmp_path)
    add(loaded, "ana", None, person=Scripted(ANA, ANA))
    change_store(loaded, "UPDATE account SET secret_from = 'x' || char(27) || '[2J'")

    shown = command("doctor", "--config", loaded.path)
    change_store(loaded, "UPDATE account SET secret_from = ''")
    without = command("doctor", "--config", loaded.path)

    assert re.search(r"from x\\u001b\[2J\.", " ".join(shown.out.split()))
    assert "from a place that is not known." in " ".join(without.out.split())


def test_a_role_that_only_the_store_knows_of_is_a_warning(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    add(loaded, "ana", None, person=Scripted(ANA, ANA))
    add(loaded, "ben", None, person=Scripted(ANA, BEN, BEN))
    change_store(loaded, "UPDATE account SET role = 'operator'")

    *_, warning = check_accounts(loaded)

    assert warning == Finding(
        "warning",
        "account",
        "The store says that ben has the role operator, the file of public keys says "
        "reviewer, which counts. Somebody changed the store, or a change of the role "
        "was interrupted.",
        "abilities admin role ben reviewer",
    )


def test_a_file_of_keys_that_is_broken_is_a_warning(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    add(loaded, "ana", None, person=Scripted(ANA, ANA))
    assert loaded.anchor_path
    keys_beside(loaded.anchor_path).write_text("garbage")

    [finding] = check_accounts(loaded)

    assert finding.severity == "warning"
    assert "is not a file of public seal keys" in finding.message
