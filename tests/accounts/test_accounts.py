"""People prove to be who they are, and nobody is told more than that."""

import asyncio
import logging
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from accounts.world import CHEAP, OTHER, SECRET, START, Clock, opened_accounts

from abilities_host.accounts import (
    Account,
    AccountDisabled,
    AccountExists,
    Accounts,
    Cost,
    Human,
    InvalidAccountName,
    LastOperator,
    NeedsAccount,
    NeedsRole,
    Role,
    TooSoon,
    UnsuitableSecret,
    WrongSecret,
)
from abilities_host.accounts.tables import MIGRATIONS, OWNER
from abilities_host.errors import LookupFailed
from abilities_host.storage.base import Statement
from abilities_host.storage.sqlite import open_sqlite

ANA = Human("ana", 0, Role.OPERATOR)
BEN = Human("ben", 0, Role.OPERATOR)
AT = "2027-01-15T08:00:00+00:00"


def account(name: str, by: str | None, **more: str | int | None) -> Account:
    first: dict[str, Any] = {"made_by": by, "made_at": AT, "secret_at": AT}
    role = Role.REVIEWER if by else Role.OPERATOR
    rest = {"role": role, "secret_from": "", "failures": 0}
    off = {"disabled_at": None, "disabled_by": None}
    return Account(name=name, **{**first, **rest, **off, **more})


async def test_the_first_account_needs_nobody_and_every_other_one_somebody(
    tmp_path: Path,
) -> None:
    async with opened_accounts(tmp_path / "s.db", Clock()) as accounts:
        before = await accounts.list()
        name = await accounts.add("Ána", SECRET, by=None)
        with pytest.raises(NeedsAccount):
            await accounts.add("ben", OTHER, by=None)
        ana = await accounts.verify("ANA", SECRET)
        await accounts.add("ben", OTHER, by=ana)

        after = await accounts.list()

    assert (before, name, ana) == ((), "ana", ANA)
    assert after == (account("ana", None), account("ben", "ana"))


async def test_a_role_says_what_an_account_may(tmp_path: Path) -> None:
    async with opened_accounts(tmp_path / "s.db", Clock()) as accounts:
        await accounts.add("ana", SECRET, by=None, role=Role.REVIEWER)
        ana = await accounts.verify("ana", SECRET)
        await accounts.add("ben", OTHER, by=ana)
        await accounts.add("cleo", OTHER, by=ana, role=Role.OPERATOR)
        ben = await accounts.unlock("ben", OTHER)
        with pytest.raises(NeedsRole) as refused:
            await accounts.add("dora", OTHER, by=ben)
        for act in (
            accounts.disable("cleo", by=ben),
            accounts.set_role("ben", Role.OPERATOR, by=ben),
        ):
            with pytest.raises(NeedsRole):
                await act
        await accounts.disable("ben", by=ben)
        listed = {
            each.name: (each.role, each.is_active) for each in await accounts.list()
        }

    assert (ana.role, ben.role) == (Role.OPERATOR, Role.REVIEWER)
    assert str(refused.value) == (
        "This needs the role operator, and 'ben' has the role reviewer. Let somebody "
        "do it who has it (--as NAME), or have an operator give it: "
        "abilities admin role ben operator"
    )
    assert listed == {
        "ana": (Role.OPERATOR, True),
        "ben": (Role.REVIEWER, False),
        "cleo": (Role.OPERATOR, True),
    }


async def test_one_operator_is_always_left(tmp_path: Path) -> None:
    async with opened_accounts(tmp_path / "s.db", Clock()) as accounts:
        await accounts.add("ana", SECRET, by=None)
        await accounts.add("ben", OTHER, by=ANA)
        for act in (
            accounts.disable("ana", by=ANA),
            accounts.set_role("ana", Role.REVIEWER, by=ANA),
        ):
            with pytest.raises(LastOperator):
                await act
        await accounts.set_role("Ben", Role.OPERATOR, by=ANA)
        name = await accounts.set_role("Ana", Role.REVIEWER, by=ANA)
        with pytest.raises(LastOperator):
            await accounts.disable("ben", by=BEN)
        roles = await accounts.roles()

    assert (name, roles) == ("ana", {"ana": Role.REVIEWER, "ben": Role.OPERATOR})


async def test_of_two_operators_that_step_down_at_once_one_stays(
    tmp_path: Path,
) -> None:
    path, clock = tmp_path / "s.db", Clock()
    async with (
        opened_accounts(path, clock) as one,
        opened_accounts(path, clock) as other,
    ):
        await one.add("ana", SECRET, by=None)
        await one.add("ben", OTHER, by=ANA, role=Role.OPERATOR)
        answers = await asyncio.gather(
            one.set_role("ana", Role.REVIEWER, by=ANA),
            other.disable("ben", by=BEN),
            return_exceptions=True,
        )
        left = [a for a in await one.list() if a.is_active and a.role is Role.OPERATOR]

    assert [type(each) for each in answers if not isinstance(each, str)] == [
        LastOperator
    ]
    assert len(left) == 1


async def test_what_no_role_can_be_given_to_says_why(tmp_path: Path) -> None:
    async with opened_accounts(tmp_path / "s.db", Clock()) as accounts:
        await accounts.add("ana", SECRET, by=None)
        await accounts.add("ben", OTHER, by=ANA)
        with pytest.raises(LookupFailed):
            await accounts.set_role("anna", Role.OPERATOR, by=ANA)
        # It was an operator when its secret was asked for.
        with pytest.raises(NeedsRole, match="'ben' has the role reviewer"):
            await accounts.set_role("ana", Role.REVIEWER, by=BEN)
        with pytest.raises(NeedsAccount):
            await accounts.add("cleo", OTHER, by=BEN)
        await accounts.disable("ben", by=ANA)
        with pytest.raises(AccountDisabled):
            await accounts.set_role("ben", Role.OPERATOR, by=ANA)


async def test_what_is_no_role_in_the_store_is_the_lesser_one(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = Accounts(store, cost=CHEAP, clock=Clock())
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        await store.write([Statement("UPDATE account SET role = 'root'")])

        ana = await accounts.verify("ana", SECRET)

    assert ana.role is Role.REVIEWER


async def test_accounts_from_before_roles_may_all_that_they_might(
    tmp_path: Path,
) -> None:
    async with open_sqlite(tmp_path / "s.db") as store:
        await store.migrate(OWNER, MIGRATIONS[:2])
        before = "INSERT INTO account (name, secret_hash, made_at, secret_at)"
        await store.write([Statement(f"{before} VALUES ('ana', '', '', '')")])
        accounts = Accounts(store, cost=CHEAP, clock=Clock())
        await accounts.migrate()

        [listed] = await accounts.list()

    assert (listed.role, listed.secret_from) == (Role.OPERATOR, "")


async def test_where_a_secret_was_set_is_kept_within_bounds(tmp_path: Path) -> None:
    async with opened_accounts(tmp_path / "s.db", Clock()) as accounts:
        await accounts.add("ana", SECRET, by=None, origin="terminal \udc9b" + "x" * 300)
        before = await accounts.list()
        await accounts.change_secret("ana", SECRET, OTHER, origin="desk")
        after = await accounts.list()

    assert [each.secret_from for each in (*before, *after)] == [
        "terminal ?" + "x" * 190,
        "desk",
    ]


async def test_two_processes_make_one_first_account(tmp_path: Path) -> None:
    path, clock = tmp_path / "s.db", Clock()
    async with (
        opened_accounts(path, clock) as one,
        opened_accounts(path, clock) as other,
    ):
        made = await asyncio.gather(
            one.add("ana", SECRET, by=None),
            other.add("ben", OTHER, by=None),
            return_exceptions=True,
        )
        names = [each.name for each in await one.list()]

    assert [type(each) for each in made if not isinstance(each, str)] == [NeedsAccount]
    assert names == [each for each in made if isinstance(each, str)]


async def test_a_name_is_never_given_twice(tmp_path: Path) -> None:
    async with opened_accounts(tmp_path / "s.db", Clock()) as accounts:
        await accounts.add("ana", SECRET, by=None)
        await accounts.add("ben", OTHER, by=ANA)
        await accounts.disable("ben", by=ANA)

        for by in (None, ANA):
            with pytest.raises(AccountExists, match="'ben' already"):
                await accounts.add("Ben", SECRET, by=by)


async def test_a_wrong_secret_and_an_unknown_name_are_answered_the_same(
    tmp_path: Path,
) -> None:
    async with opened_accounts(tmp_path / "s.db", Clock()) as accounts:
        await accounts.add("ana", SECRET, by=None)
        answers = {}
        for name in ("ana", "bob"):
            tries = [
                await asyncio.gather(
                    accounts.verify(name, secret), return_exceptions=True
                )
                for secret in (OTHER, OTHER)
            ]
            answers[name] = [str(error).replace(name, "X") for [error] in tries]

    assert answers["ana"] == answers["bob"]
    assert answers["ana"] == [
        "No account has this name and this secret. The next try is in 1 minute.",
        "A try for 'X' failed not long ago. The next one is in 1 minute.",
    ]


async def test_the_wait_grows_and_outlives_the_process(tmp_path: Path) -> None:
    path, clock, waits = tmp_path / "s.db", Clock(), []
    async with opened_accounts(path, clock) as accounts:
        await accounts.add("ana", SECRET, by=None)
    for _ in range(7):
        async with opened_accounts(path, clock) as accounts:
            with pytest.raises(WrongSecret) as wrong:
                await accounts.verify("ana", OTHER)
        async with opened_accounts(path, clock) as accounts:
            clock.now += wrong.value.seconds - 1
            with pytest.raises(TooSoon) as early:
                await accounts.verify("ana", SECRET)
            with pytest.raises(TooSoon):
                await accounts.check_may_try("Ana")
        waits.append(wrong.value.seconds)
        clock.now += early.value.seconds

    async with opened_accounts(path, clock) as accounts:
        [listed] = await accounts.list()
        await accounts.check_may_try("ana")
        human = await accounts.verify("ana", SECRET)
        again = await accounts.verify("ana", SECRET)

    assert waits == [60, 120, 240, 480, 900, 900, 900]
    failed = Human("ana", 7, Role.OPERATOR)
    assert (listed.failures, human, again) == (7, failed, ANA)


async def test_of_many_tries_at_once_one_is_looked_at(tmp_path: Path) -> None:
    path, clock = tmp_path / "s.db", Clock()
    async with (
        opened_accounts(path, clock) as one,
        opened_accounts(path, clock) as other,
    ):
        await one.add("ana", SECRET, by=None)
        answers = await asyncio.gather(
            *(each.verify("ana", OTHER) for each in [one, other] * 10),
            return_exceptions=True,
        )
        [listed] = await one.list()

    kinds = [type(answer) for answer in answers]
    assert (kinds.count(WrongSecret), kinds.count(TooSoon)) == (1, 19)
    assert listed.failures == 1


async def test_a_clock_set_back_locks_nobody_out(tmp_path: Path) -> None:
    clock = Clock()
    async with opened_accounts(tmp_path / "s.db", clock) as accounts:
        await accounts.add("ana", SECRET, by=None)
        with pytest.raises(WrongSecret):
            await accounts.verify("ana", OTHER)
        clock.now -= 86_400

        human = await accounts.verify("ana", SECRET)

    assert human == Human("ana", 1, Role.OPERATOR)


async def test_a_secret_is_changed_by_who_knows_the_old_one(tmp_path: Path) -> None:
    clock = Clock()
    async with opened_accounts(tmp_path / "s.db", clock) as accounts:
        await accounts.add("ana", SECRET, by=None)
        with pytest.raises(UnsuitableSecret):
            await accounts.change_secret("ana", OTHER, "short")
        clock.now += 60
        human = await accounts.change_secret("Ana", SECRET, OTHER)
        with pytest.raises(WrongSecret):
            await accounts.change_secret("ana", SECRET, SECRET)
        [listed] = await accounts.list()
        clock.now += 60
        after = await accounts.verify("ana", OTHER)

    assert (human, after) == (ANA, Human("ana", 1, Role.OPERATOR))
    assert (listed.made_at, listed.secret_at) == (AT, "2027-01-15T08:01:00+00:00")


async def test_of_two_changes_at_once_one_holds(tmp_path: Path) -> None:
    class Slow(Accounts):
        """Lets another process change the secret between the look and the change."""

        async def _verified(self, name: str, secret: str) -> tuple[Human, str]:
            verified = await super()._verified(name, secret)
            await other.change_secret("ana", SECRET, OTHER)
            return verified

    async with open_sqlite(tmp_path / "s.db") as store:
        other = Accounts(store, cost=CHEAP, clock=Clock())
        slow = Slow(store, cost=CHEAP, clock=Clock())
        await other.migrate()
        await other.add("ana", SECRET, by=None)

        with pytest.raises(WrongSecret) as wrong:
            await slow.change_secret("ana", SECRET, "the third of them")

    assert str(wrong.value) == "No account has this name and this secret."


async def test_an_account_that_is_off_says_so_only_to_who_knows_its_secret(
    tmp_path: Path,
) -> None:
    async with opened_accounts(tmp_path / "s.db", Clock()) as accounts:
        await accounts.add("ana", SECRET, by=None)
        await accounts.add("ben", OTHER, by=ANA)
        await accounts.disable("Ben", by=ANA)
        with pytest.raises(AccountDisabled, match="'ben' is switched off, for good"):
            await accounts.verify("ben", OTHER)
        listed = await accounts.list()
        with pytest.raises(NeedsAccount):
            await accounts.add("cleo", OTHER, by=BEN)

    off = account("ben", "ana", disabled_at=AT, disabled_by="ana", failures=1)
    assert listed == (account("ana", None), off)


async def test_what_cannot_be_switched_off_says_why(tmp_path: Path) -> None:
    async with opened_accounts(tmp_path / "s.db", Clock()) as accounts:
        await accounts.add("ana", SECRET, by=None)
        with pytest.raises(LastOperator, match="'ana' is the last operator"):
            await accounts.disable("ana", by=ANA)
        with pytest.raises(LookupFailed):
            await accounts.disable("anna", by=ANA)
        await accounts.add("ben", OTHER, by=ANA)
        await accounts.add("cleo", OTHER, by=ANA)
        await accounts.disable("ben", by=BEN)
        with pytest.raises(AccountDisabled, match="'ben'"):
            await accounts.disable("ben", by=ANA)
        with pytest.raises(AccountDisabled, match="'ben'"):
            await accounts.disable("cleo", by=BEN)
        active = [each.name for each in await accounts.list() if each.is_active]

    assert active == ["ana", "cleo"]


async def test_a_higher_cost_holds_from_the_next_time_on(tmp_path: Path) -> None:
    path, clock = tmp_path / "s.db", Clock()
    dearer = Cost(memory=16, passes=2, lanes=1)

    async with opened_accounts(path, clock) as accounts:
        await accounts.add("ana", SECRET, by=None)
    kept = [kept_of(path)]
    async with opened_accounts(path, clock, cost=dearer) as accounts:
        for _ in range(2):
            await accounts.verify("ana", SECRET)
            kept.append(kept_of(path))
        [listed] = await accounts.list()

    prefixes = [text.rsplit("$", 2)[0] + "$" for text in kept]
    assert prefixes == [CHEAP.prefix, dearer.prefix, dearer.prefix]
    assert kept[1] == kept[2]
    assert listed == account("ana", None)


def kept_of(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        [(kept,)] = connection.execute("SELECT secret_hash FROM account").fetchall()
    return str(kept)


async def test_a_damaged_hash_is_nobodys(tmp_path: Path) -> None:
    clock = Clock()
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = Accounts(store, cost=CHEAP, clock=clock)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        for damaged in ("", "$argon2id$v=19$m=1,t=1,p=9$AAAA$AAAA"):
            values = {"damaged": damaged}
            sql = "UPDATE account SET secret_hash = :damaged"
            await store.write([Statement(sql, values)])
            clock.now += 900
            with pytest.raises(WrongSecret):
                await accounts.verify("ana", SECRET)


async def test_names_that_are_no_accounts_are_forgotten_before_they_fill_the_store(
    tmp_path: Path,
) -> None:
    clock = Clock()
    async with open_sqlite(tmp_path / "s.db") as store:
        accounts = Accounts(store, cost=CHEAP, clock=clock)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        old = "INSERT INTO account_try (name, failures, until) VALUES (:name, 1, :n)"
        await store.write(
            [
                Statement(old, {"name": f"old-{n}", "n": n + int(START) - 5000})
                for n in range(1100)
            ]
        )
        with pytest.raises(WrongSecret):
            await accounts.verify("ana", OTHER)
        clock.now += 900
        with pytest.raises(WrongSecret):
            await accounts.verify("newest", OTHER)

        rows = await store.read("SELECT name FROM account_try ORDER BY until")

    names = [name for (name,) in rows]
    assert len(names) == 1001
    assert (names[0], names[-2:]) == ("old-101", ["ana", "newest"])


def all_bytes_in(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.iterdir())


async def test_no_secret_is_kept_shown_or_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, clock, said = tmp_path / "s.db", Clock(), []
    caplog.set_level(logging.DEBUG)
    async with opened_accounts(path, clock) as accounts:
        await accounts.add("ana", SECRET, by=None)
        human = await accounts.verify("ana", SECRET)
        for name, secret in (("ana", OTHER), ("ana", SECRET), (SECRET, SECRET)):
            with pytest.raises((WrongSecret, TooSoon, InvalidAccountName)) as error:
                await accounts.verify(name, secret)
            said.append(repr(error.value) + str(error.value.__dict__))
        said += [repr(human), repr(await accounts.list()), repr(accounts)]
    everything = all_bytes_in(tmp_path)

    text = caplog.text + "".join(said)
    assert [each for each in (SECRET, OTHER) if each in text] == []
    assert [each for each in (SECRET, OTHER) if each.encode() in everything] == []
