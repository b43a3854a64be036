"""Accounts: the named humans of one store, and the proof that one of them is here."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from abilities_host.accounts import tables
from abilities_host.accounts.account import Account, Human, account_name
from abilities_host.accounts.errors import (
    AccountDisabled,
    AccountExists,
    LastAccount,
    NeedsAccount,
    SealKeyBroken,
    TooSoon,
    WrongSecret,
)
from abilities_host.accounts.hashing import (
    Cost,
    check_secret,
    decoy,
    hash_secret,
    matches,
)
from abilities_host.accounts.published import publish, read_published
from abilities_host.accounts.sealkey import SealKey, lock_again, make_key, open_key
from abilities_host.accounts.unlocked import Unlocked
from abilities_host.accounts.waiting import seconds_after, seconds_left
from abilities_host.errors import LookupFailed
from abilities_host.storage.base import Statement, Store
from abilities_host.threads import run_in_thread

T = TypeVar("T")

AT_ONCE: Final = 2
"""How many secrets are compared at once; each takes the memory of its cost."""


class _Row(NamedTuple):
    secret_hash: str
    disabled_at: str | None


class Accounts:
    """The accounts of one store; nothing is remembered here between two calls.

    Args:
        store: where they are kept; `migrate` comes first.
        cost: of secrets that are kept from now on.
        clock: seconds since 1970.
        keys: file outside the store for the public halves of seal keys; without it
            whoever can change the store can exchange them.
    """

    def __init__(
        self,
        store: Store,
        *,
        cost: Cost | None = None,
        clock: Callable[[], float] = time.time,
        keys: Path | None = None,
    ) -> None:
        self._store: Final = store
        self._cost: Final = cost or Cost()
        self._clock: Final = clock
        self._keys: Final = keys
        self._room: Final = asyncio.Semaphore(AT_ONCE)

    async def migrate(self) -> None:
        """Make the tables, or bring them up to date.

        Raises:
            StoreError: when that is not possible; nothing was changed.
        """
        await self._store.migrate(tables.OWNER, tables.MIGRATIONS)

    async def list(self) -> tuple[Account, ...]:
        """Read every account, also those that are switched off.

        Returns:
            All of them by name.

        Raises:
            StoreError: when they cannot be read.
        """
        return tuple(Account(*row) for row in await self._store.read(tables.LIST))

    async def check_may_try(self, name: str) -> None:
        """Check, before somebody types a secret, that it would be looked at.

        Args:
            name: in any spelling.

        Raises:
            InvalidAccountName: when it cannot be one.
            TooSoon: while the name has to wait.
            StoreError: when the store cannot be read.
        """
        name = account_name(name)
        _, left = await self._tries(name)
        if left:
            raise TooSoon(name, left)

    async def verify(self, name: str, secret: str) -> Human:
        """Find out whether the person of an account is here.

        The try is counted as failed before anything is compared, so a process that
        dies or runs beside this one gets no further try. An unknown name takes the
        same time and is answered the same.

        Args:
            name: of the account, in any spelling.
            secret: as it was typed.

        Returns:
            The person, with the number of failed tries since the last time.

        Raises:
            InvalidAccountName: when no account could have that name.
            TooSoon: while the name has to wait; nothing was compared.
            WrongSecret: when there is no account of that name and secret.
            AccountDisabled: when the secret is right and the account switched off.
            StoreError: when the store cannot be used.
        """
        human, _ = await self._verified(name, secret)
        return human

    async def _verified(self, name: str, secret: str) -> tuple[Human, str]:
        """Verify, and give the hash by which the secret is kept from then on."""
        name = account_name(name)
        failures = await self._take_try(name)
        row = await self._find(name)
        kept = row.secret_hash if row else decoy(self._cost)
        is_right = await self._in_thread(partial(matches, secret, kept))
        if row is None or not is_right:
            raise WrongSecret(seconds_after(failures + 1))
        if row.disabled_at is not None:
            raise AccountDisabled(name)
        return Human(name, failures), await self._let_in(name, secret, kept)

    async def unlock(self, name: str, secret: str) -> Unlocked:
        """Find out whether a person is here, and open what the account signs with.

        An account from before there were such keys gets its own now.

        Args:
            name: of the account, in any spelling.
            secret: as it was typed.

        Returns:
            The person, who can sign.

        Raises:
            AccountError: as `verify` does, or when the key or the file of the public
                halves is not as it was written.
            StoreError: when the store cannot be used.
            OSError: when that file cannot be read or written.
        """
        human, kept = await self._verified(name, secret)
        key = await self._find_key(human.name)
        if key is None:
            key = await self._give_key(human.name, secret, kept)
        opened = await self._with_key(key.name, kept, partial(open_key, key, secret))
        await self._publish(key)
        return Unlocked(human.name, opened, failures=human.failures)

    async def public_keys(self) -> dict[str, bytes]:
        """Give the public halves by which a signature is judged.

        Returns:
            Name of the account to 32 bytes: what the file outside the store says, or
            the store where there is none.

        Raises:
            PublicKeysBroken: when the file cannot be understood.
            StoreError: when the store cannot be read.
            OSError: when the file cannot be read.
        """
        if self._keys is not None:
            return await run_in_thread(partial(read_published, self._keys))
        rows = await self._store.read(tables.PUBLIC)
        return {name: bytes(public) for name, public in rows}

    async def add(self, name: str, secret: str, *, by: Human | None) -> str:
        """Make an account.

        Args:
            name: in any spelling.
            secret: 10 characters to 1,024 bytes.
            by: who agrees; None is enough only for the very first.

        Returns:
            The name as it is kept.

        Raises:
            InvalidAccountName: when it cannot be one.
            UnsuitableSecret: when the secret cannot be taken.
            AccountExists: when the name is taken.
            NeedsAccount: when somebody has an account already and nobody agrees.
            StoreError: when it could not be stored.
        """
        name = account_name(name)
        check_secret(secret)
        secret_hash = await self._in_thread(partial(hash_secret, secret, self._cost))
        values = {
            "name": name,
            "secret_hash": secret_hash,
            "by": by and by.name,
            "at": self._now(),
        }
        key = await self._in_thread(partial(make_key, name, secret, self._cost))
        [count, _] = await self._store.write(
            [Statement(tables.ADD, values), _keeping(tables.ADD_KEY, key, secret_hash)]
        )
        if not count:
            raise AccountExists(name) if await self._find(name) else NeedsAccount
        await self._publish(key)
        return name

    async def change_secret(self, name: str, old: str, new: str) -> Human:
        """Give an account another secret.

        Args:
            name: in any spelling.
            old: its secret until now.
            new: 10 characters to 1,024 bytes.

        Returns:
            The person, as `verify` does.

        Raises:
            UnsuitableSecret: when the new secret cannot be taken; no try was counted.
            AccountError: as `verify` does, or when its seal key does not open.
            StoreError: when it could not be stored.
        """
        check_secret(new)
        human, kept = await self._verified(name, old)
        key = await self._find_key(human.name)
        secret_hash = await self._in_thread(partial(hash_secret, new, self._cost))
        values = {
            "name": human.name,
            "secret_hash": secret_hash,
            "old": kept,
            "at": self._now(),
            "public": key.public if key else b"",
        }
        statements = [Statement(tables.CHANGE, values)]
        if key:
            work = partial(lock_again, key, old, new, self._cost)
            relocked = await self._with_key(human.name, kept, work)
            statements.append(_keeping(tables.LOCK_KEY, relocked, secret_hash))
        [count, *_] = await self._store.write(statements)
        if not count:  # another process was faster
            raise WrongSecret
        return human

    async def disable(self, name: str, *, by: Human) -> str:
        """Switch an account off, for good; its name stays taken.

        Args:
            name: in any spelling.
            by: who does it; may be the account itself.

        Returns:
            The name as it is kept.

        Raises:
            InvalidAccountName: when it cannot be one.
            LookupFailed: when there is no such account.
            AccountDisabled: when it, or that of `by`, is switched off already.
            LastAccount: when no other is on.
            StoreError: when it could not be stored.
        """
        name = account_name(name)
        values = {"name": name, "by": by.name, "at": self._now()}
        [count] = await self._store.write([Statement(tables.DISABLE, values)])
        if not count:
            raise await self._why_not_disabled(name, by)
        return name

    async def _why_not_disabled(self, name: str, by: Human) -> Exception:
        accounts = {account.name: account for account in await self.list()}
        if name not in accounts:
            return LookupFailed("account", name, list(accounts))
        for each in (name, by.name):
            if each not in accounts or not accounts[each].is_active:
                return AccountDisabled(each)
        return LastAccount(name)

    async def _tries(self, name: str) -> tuple[int, int]:
        """Give the failures so far and the seconds until the next try."""
        rows = await self._store.read(tables.TRIES, {"name": name})
        failures, until = rows[0] if rows else (0, 0)
        return failures, seconds_left(until, self._clock())

    async def _take_try(self, name: str) -> int:
        failures, left = await self._tries(name)
        if left:
            raise TooSoon(name, left)
        wait = seconds_after(failures + 1)
        until = int(self._clock()) + wait
        values = {"name": name, "failures": failures, "until": until}
        statements = [
            Statement(tables.TAKE_TRY, values),
            Statement(tables.FORGET_STRANGERS, {"strangers": tables.STRANGERS}),
        ]
        count, _ = await self._store.write(statements)
        if not count:  # another process was faster, and its try is not over
            raise TooSoon(name, wait)
        return failures

    async def _let_in(self, name: str, secret: str, kept: str) -> str:
        statements = [Statement(tables.FORGIVE, {"name": name})]
        if kept.startswith(self._cost.prefix):
            await self._store.write(statements)
            return kept
        stronger = await self._in_thread(partial(hash_secret, secret, self._cost))
        values = {"name": name, "secret_hash": stronger, "old": kept}
        statements.append(Statement(tables.RAISE_COST, values))
        _, count = await self._store.write(statements)
        return stronger if count else kept

    async def _find(self, name: str) -> _Row | None:
        rows = await self._store.read(tables.FIND, {"name": name})
        return _Row(*rows[0]) if rows else None

    async def _find_key(self, name: str) -> SealKey | None:
        rows = await self._store.read(tables.FIND_KEY, {"name": name})
        if not rows:
            return None
        name, public, private, salt, nonce, memory, passes, lanes = rows[0]
        cost = Cost(memory, passes, lanes)
        return SealKey(name, public, private, salt, nonce, cost)

    async def _give_key(self, name: str, secret: str, kept: str) -> SealKey:
        made = await self._in_thread(partial(make_key, name, secret, self._cost))
        await self._store.write([_keeping(tables.ADD_KEY, made, kept)])
        key = await self._find_key(name)
        if key is None:  # another process changed the secret
            raise WrongSecret
        return key

    async def _with_key(self, name: str, kept: str, work: Callable[[], T]) -> T:
        try:
            return await self._in_thread(work)
        except SealKeyBroken:
            row = await self._find(name)
            if row is None or row.secret_hash != kept:  # changed by another process
                raise WrongSecret from None
            raise

    async def _publish(self, key: SealKey) -> None:
        if self._keys is not None:
            await run_in_thread(partial(publish, self._keys, key.name, key.public))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        async with self._room:
            return await run_in_thread(work)

    def _now(self) -> str:
        moment = datetime.fromtimestamp(self._clock(), UTC)
        return moment.isoformat(timespec="seconds")


def _keeping(sql: str, key: SealKey, secret_hash: str) -> Statement:
    values: dict[str, Any] = {
        "name": key.name,
        "public": key.public,
        "private": key.private,
        "salt": key.salt,
        "nonce": key.nonce,
        "memory": key.cost.memory,
        "passes": key.cost.passes,
        "lanes": key.cost.lanes,
    }
    return Statement(sql, {**values, "secret_hash": secret_hash})
