"""`restore` puts a copy in the store's place after a person agreed, and records it."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cli.at_terminal import at_terminal
from cli.conftest import Command
from cli.record_world import (
    ANA,
    BEN,
    FAILING,
    NEW,
    SILENT,
    WARNING,
    Scripted,
    make_accounts,
    make_host,
    note,
)
from cli.world import environment, start

from abilities_host.accounts import Cost, NeedsRole, Role, TooSoon, WrongSecret
from abilities_host.accounts.hashing import hash_secret
from abilities_host.accounts.tables import MIGRATIONS, OWNER
from abilities_host.cli.accounts import change, disable, every
from abilities_host.cli.comparison import compare
from abilities_host.cli.exits import exit_of
from abilities_host.cli.restore import (
    NOBODY,
    NotConfirmed,
    NotRecorded,
    put_back,
    record_restore,
)
from abilities_host.cli.running import with_host
from abilities_host.cli.secret import NeedsPerson
from abilities_host.cli.standing import Head, Standing
from abilities_host.config import LoadedConfig
from abilities_host.errors import StoreBusy, StoreError, StoreForeign, StoreMissing
from abilities_host.storage import Statement
from abilities_host.storage.sqlite import open_sqlite

ASK = "Secret of ana: "


def back_up(loaded: LoadedConfig, name: str = "copy.db") -> Path:
    copy = loaded.folder / name

    async def copy_store() -> None:
        async with open_sqlite(loaded.store_path, create=False) as store:
            await store.backup(copy)

    asyncio.run(copy_store())
    return copy


def make_two_states(folder: Path) -> tuple[LoadedConfig, Path]:
    """Make a host with 4 entries and ana's account, and a copy that has 2 of them."""
    loaded = make_host(folder)
    make_accounts(loaded, ana=ANA)
    note(loaded, 2)
    copy = back_up(loaded)
    note(loaded, 2)
    return loaded, copy


def entries_in(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(
            "SELECT seq, kind, actor FROM ledger_entry ORDER BY seq"
        ).fetchall()


VERIFY = """
import asyncio, json
from abilities_host.cli.running import load, with_host
from abilities_host.ledger import Ledger

async def look(host):
    ledger = host.services.find(Ledger)
    verified = await ledger.verify()
    entry = await ledger.get_entry(verified.head)
    print(json.dumps([entry.seq, entry.kind, entry.actor, dict(entry.details)]))
    print(verified.verdict)

with_host(load(None), look)
"""


def newest(loaded: LoadedConfig) -> tuple[Any, str]:
    """Give the newest entry, and what the record says of itself."""
    ended = subprocess.run(
        [sys.executable, "-c", VERIFY],
        cwd=loaded.folder,
        env=environment(loaded.folder),
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    entry, verdict = ended.stdout.splitlines()
    return json.loads(entry), verdict


def test_a_copy_is_put_back_and_the_record_says_so(tmp_path: Path) -> None:
    loaded, copy = make_two_states(tmp_path)

    ended = at_terminal(
        tmp_path, "restore", "copy.db", answers=[(ASK.encode(), f"{ANA}\n".encode())]
    )

    [kept] = (tmp_path / "backups").glob("*.replaced.db")
    (seq, kind, actor, details), verdict = newest(loaded)
    stages, rest = ended.screen.split("Lost ", 1)
    lines = [line.split(", of")[0] for line in stages.splitlines()]
    assert ended.code == 0
    assert lines == [
        *("The store", f"  {loaded.store_path}", "  Its newest entry is entry 4"),
        *("The copy", f"  {copy}", "  Its newest entry is entry 2"),
    ]
    assert rest == (
        "of the record: entries 3 to 4, and what they speak of. It stays in the\n"
        "store as it is now, which is kept aside.\n"
        f"{WARNING}{ASK}\n"
        f"The store is now what the copy is: {loaded.store_path}\n"
        f"The one before is kept as\n  {kept}\n"
        "Entry 3 of the record says so.\n"
        "Hosts can be started again.\n"
    )
    assert [each[0] for each in entries_in(kept)] == [1, 2, 3, 4]
    assert (seq, kind, actor) == (3, "restore", "ana")
    assert (details["old"]["seq"], details["new"]["seq"]) == (4, 2)
    assert details["old"]["record"] == details["new"]["record"]
    assert details["kept"] == kept.name
    assert verdict == "restored"


def test_nothing_is_put_back_without_the_secret(tmp_path: Path) -> None:
    loaded, copy = make_two_states(tmp_path)
    ben, nobody = Scripted(BEN), Scripted()

    with pytest.raises(WrongSecret):
        put_back(loaded, copy, None, person=ben)
    with pytest.raises(TooSoon):
        put_back(loaded, copy, None, person=nobody)
    ended = start(tmp_path, "restore", "copy.db", given=f"{ANA}\n")

    assert (ben.asked, nobody.asked) == (["Secret of ana:"], [])
    assert (ended.returncode, ended.stdout) == (exit_of(NeedsPerson("")), "")
    assert [each[0] for each in entries_in(loaded.store_path)] == [1, 2, 3, 4]
    assert list((tmp_path / "backups").glob("*.replaced.db")) == []


def test_what_is_no_whole_copy_is_refused_before_anybody_is_asked(
    tmp_path: Path,
) -> None:
    loaded, copy = make_two_states(tmp_path)
    nobody, broken = Scripted(), tmp_path / "broken.db"
    broken.write_bytes(copy.read_bytes()[:-5000] + b"\xff" * 5000)

    with pytest.raises(StoreError):
        put_back(loaded, broken, None, person=nobody)
    with pytest.raises(StoreMissing):
        put_back(loaded, tmp_path / "none.db", None, person=nobody)
    with pytest.raises(StoreForeign):
        put_back(loaded, loaded.path, None, person=nobody)
    with pytest.raises(StoreError, match="it is the store itself"):
        put_back(loaded, loaded.store_path, None, person=nobody)

    assert nobody.asked == []
    assert len(entries_in(loaded.store_path)) == 4


def test_a_running_host_is_told_of_before_anybody_is_asked(tmp_path: Path) -> None:
    loaded, copy = make_two_states(tmp_path)
    nobody = Scripted()

    async def restore_meanwhile() -> None:
        async with open_sqlite(loaded.store_path):
            await asyncio.to_thread(put_back, loaded, copy, None, person=nobody)

    with pytest.raises(StoreBusy, match="Stop every host and try again"):
        asyncio.run(restore_meanwhile())

    assert nobody.asked == []


@pytest.mark.parametrize("damage", ["garbage", "missing"])
def test_where_the_store_is_lost_the_copy_says_whose_secret_counts(
    tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded, copy = make_two_states(tmp_path)
    for each in tmp_path.glob("abilities.db*"):
        each.unlink()
    if damage == "garbage":
        loaded.store_path.write_bytes(b"garbage" * 1000)
        loaded.store_path.chmod(0o600)
    wrong, ana = Scripted(BEN), Scripted(ANA)

    with pytest.raises(WrongSecret):
        put_back(loaded, copy, "Ana", person=wrong)
    with pytest.raises(WrongSecret):
        put_back(loaded, copy, "ben", person=Scripted(BEN))
    told = " ".join(capsys.readouterr().err.split())
    restored = put_back(loaded, copy, None, person=ana)

    assert "It cannot be read: it " in told
    assert "Who may restore is asked of the copy, since the store cannot be" in told
    assert wrong.asked == ana.asked == ["Secret of ana in the copy:"]
    assert (restored.by, restored.old) == ("ana", None)
    assert (restored.kept is None) == (damage == "missing")
    assert [each[0] for each in entries_in(loaded.store_path)] == [1, 2]


def test_what_was_agreed_to_is_put_back_though_the_copy_was_exchanged(
    tmp_path: Path,
) -> None:
    class Slow(Scripted):
        """While this person types, somebody exchanges the copy."""

        def ask_secret(self, prompt: str) -> str:
            copy.unlink()
            other.rename(copy)
            return super().ask_secret(prompt)

    loaded, copy = make_two_states(tmp_path)
    other = back_up(loaded, "other.db")

    restored = put_back(loaded, copy, None, person=Slow(ANA))

    assert [each[0] for each in entries_in(loaded.store_path)] == [1, 2]
    assert [each[0] for each in entries_in(copy)] == [1, 2, 3, 4]
    assert restored.kept
    assert list((tmp_path / "backups").glob(".restore-*")) == []


def test_an_account_that_is_off_in_the_copy_agrees_to_nothing(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, ana=ANA, ben=BEN)
    disable(loaded, "ben", "ana", person=Scripted(ANA))
    copy = back_up(loaded)
    loaded.store_path.unlink()

    with pytest.raises(WrongSecret):
        put_back(loaded, copy, "ben", person=Scripted(BEN))

    assert not loaded.store_path.exists()


def test_a_reviewer_restores_nothing(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, role=Role.REVIEWER, ana=ANA, ben=BEN)
    copy, nobody = back_up(loaded), Scripted()

    with pytest.raises(NeedsRole):
        put_back(loaded, copy, "ben", person=nobody)
    loaded.store_path.unlink()
    with pytest.raises(NeedsRole):
        put_back(loaded, copy, "ben", person=nobody)
    restored = put_back(loaded, copy, None, person=Scripted(ANA))

    assert (nobody.asked, restored.by) == ([], "ana")


def test_a_copy_from_before_there_were_roles_is_restored(tmp_path: Path) -> None:
    loaded, copy = make_host(tmp_path), tmp_path / "old.db"
    asyncio.run(make_old_store(copy))

    restored = put_back(loaded, copy, None, person=Scripted(ANA))
    with_host(loaded, lambda host: asyncio.sleep(0))

    assert restored.by == "ana"
    assert [(each.name, each.role) for each in every(loaded)] == [
        ("ana", Role.OPERATOR)
    ]


async def make_old_store(path: Path) -> None:
    values = {"hash": hash_secret(ANA, Cost(memory=8, passes=1, lanes=1))}
    old = "INSERT INTO account (name, secret_hash, made_at, secret_at)"
    async with open_sqlite(path) as store:
        await store.migrate(OWNER, MIGRATIONS[:2])
        await store.write([Statement(f"{old} VALUES ('ana', :hash, '', '')", values)])


def test_without_any_account_a_person_types_a_word(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    note(loaded)
    copy = back_up(loaded)
    no, yes = Scripted("yes"), Scripted("restore")

    with pytest.raises(NotConfirmed):
        put_back(loaded, copy, None, person=no)
    restored = put_back(loaded, copy, None, person=yes)

    assert no.asked == yes.asked == ["Type 'restore' to go on:"]
    assert restored.by == NOBODY
    assert restored.old == restored.new


def test_the_accounts_of_a_store_that_can_be_read_are_not_those_of_the_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, ana=ANA, ben=BEN)
    copy = back_up(loaded)
    change(loaded, "ana", person=Scripted(ANA, NEW, NEW))
    disable(loaded, "ben", "ana", person=Scripted(NEW))
    age_accounts(copy)

    for who, secret in (("ana", ANA), ("ben", BEN)):
        with pytest.raises(Exception, match=r"No account|switched off"):
            put_back(loaded, copy, who, person=Scripted(secret))

    told = " ".join(capsys.readouterr().err.split())
    assert "become what they were, with their secret of then: ana, ben." in told


def age_accounts(copy: Path) -> None:
    """Let the copy be from another second than the changes after it."""
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("UPDATE account SET secret_at = '2020', made_at = '2020'")
        connection.commit()


def test_without_a_pack_that_keeps_it_nothing_is_recorded(
    tmp_path: Path, command: Command
) -> None:
    loaded = make_host(tmp_path, SILENT)
    command("list", "--config", loaded.path)
    copy = back_up(loaded)
    restored = put_back(loaded, copy, None, person=Scripted("restore"))

    entry = record_restore(loaded, restored)

    assert (entry, restored.old, restored.new) == (None, None, None)


def test_without_a_record_the_command_says_so(tmp_path: Path) -> None:
    loaded = make_host(tmp_path, SILENT)
    make_accounts(loaded, ana=ANA)
    back_up(loaded)
    answers = [(ASK.encode(), f"{ANA}\n".encode())]

    ended = at_terminal(tmp_path, "restore", "copy.db", answers=answers)

    assert ended.code == 0
    assert "\nwarning: no pack keeps a record, so nothing records this.\n" in (
        ended.screen
    )


def test_as_json_it_is_one_value(tmp_path: Path) -> None:
    loaded, copy = make_two_states(tmp_path)
    answers = [(ASK.encode(), f"{ANA}\n".encode())]

    ended = at_terminal(tmp_path, "restore", "copy.db", "--json", answers=answers)

    assert ended.code == 0
    for part in ('"by": "ana"', '"entry": 3', f'"copy": "{copy}"', '"seq": 4'):
        assert part in ended.screen
    assert len(entries_in(loaded.store_path)) == 3


def test_a_record_that_could_not_be_told_is_an_error(tmp_path: Path) -> None:
    loaded = make_host(tmp_path, FAILING)
    with_host(loaded, lambda host: asyncio.sleep(0))
    copy = back_up(loaded)
    restored = put_back(loaded, copy, None, person=Scripted("restore"))

    with pytest.raises(NotRecorded, match=r"does not say so: .* the disk is full"):
        record_restore(loaded, restored)


HEAD = Head("r", 7, 1_800_000_000_000_000, b"h")
KEPT = " It stays in the store as it is now, which is kept aside."


@pytest.mark.parametrize(
    ("old", "new", "loss"),
    [
        (HEAD, HEAD, "No entry of the record is lost."),
        (HEAD, HEAD._replace(seq=9), "No entry of the record is lost."),
        (
            HEAD,
            HEAD._replace(seq=6),
            f"Lost of the record: entry 7, and what they speak of.{KEPT}",
        ),
        (
            HEAD,
            HEAD._replace(seq=2),
            f"Lost of the record: entries 3 to 7, and what they speak of.{KEPT}",
        ),
        (
            HEAD,
            HEAD._replace(record="s"),
            f"Lost is the whole record: the copy has another one.{KEPT}",
        ),
        (
            HEAD,
            None,
            f"Lost is the whole record: the copy has another one.{KEPT}",
        ),
        (None, HEAD, f"Lost is what only the store holds.{KEPT}"),
    ],
)
def test_what_would_be_lost_is_said(
    old: Head | None, new: Head | None, loss: str
) -> None:
    told = compare(Path("s.db"), Path("c.db"), Standing(old), Standing(new))

    assert told.split("\n")[:2] == ["The store", "  s.db"]
    assert " ".join(told.split("\n", 6)[6].split()) == loss


def test_a_head_is_told_with_its_moment() -> None:
    assert str(HEAD) == "entry 7, of 2027-01-15 08:00:00 UTC"
    assert HEAD.as_json() == {
        "record": "r",
        "seq": 7,
        "at": 1_800_000_000_000_000,
        "hash": "68",
    }
