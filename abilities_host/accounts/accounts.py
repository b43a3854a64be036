"""Accounts: the named humans of one store, and the proof that one of them is here."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from abilities_host.accounts import tables
from abilities_host.accounts.account import Account, Human, account_name, account_of
from abilities_host.accounts.errors import (
    AccountDisabled,
    AccountExists,
    AccountPublished,
    NeedsAccount,
    WrongSecret,
)
from abilities_host.accounts.hashing import (
    Cost,
    check_secret,
    decoy,
    hash_secret,
    matches,
)
from abilities_host.accounts.keyring import Keyring, keeping
from abilities_host.accounts.published import KeysFile
from abilities_host.accounts.role import Bearer, Role, check_role, lesser, role_of
from abilities_host.accounts.room import Room
from abilities_host.accounts.tries import Tries
from abilities_host.accounts.unlocked import Unlocked
from abilities_host.accounts.waiting import seconds_after
from abilities_host.accounts.why import why_not
from abilities_host.storage.base import Statement, Store

ORIGIN_LIMIT: Final = 200


class _Row(NamedTuple):
    secret_hash: str
    disabled_at: str | None
    role: str


class Accounts:
    """The accounts of one store; nothing is remembered here between two calls.

    Args:
        store: where they are kept; `migrate` comes first.
        cost: of secrets that are kept from now on.
        clock: seconds since 1970.
        keys: file outside the store for the public halves of seal keys and for roles;
            without it whoever can change the store can exchange the ones and raise
            the others.
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
        self._file: Final = KeysFile(keys)
        self._tries: Final = Tries(store, clock)
        self._room: Final = Room()
        self._keys: Final = Keyring(store, self._cost, self._room)

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
        return tuple(map(account_of, await self._store.read(tables.LIST)))

    async def check_may_try(self, name: str) -> None:
        """Check, before somebody types a secret, that it would be looked at.

        Args:
            name: in any spelling.

        Raises:
            InvalidAccountName: when it cannot be one.
            TooSoon: while the name has to wait.
            StoreError: when the store cannot be read.
        """
        await self._tries.check(account_name(name))

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
            AccountError: when the file of public keys cannot be used.
            StoreError: when the store cannot be used.
        """
        human, _ = await self._verified(name, secret)
        return human

    async def _verified(self, name: str, secret: str) -> tuple[Human, str]:
        """Verify, and give the hash by which the secret is kept from then on."""
        name = account_name(name)
        failures = await self._tries.take(name)
        row = await self._find(name)
        kept = row.secret_hash if row else decoy(self._cost)
        is_right = await self._room.do(partial(matches, secret, kept))
        if row is None or not is_right:
            raise WrongSecret(seconds_after(failures + 1))
        if row.disabled_at is not None:
            raise AccountDisabled(name)
        kept = await self._let_in(name, secret, kept)
        return Human(name, failures, await self._role(name, row.role)), kept

    async def _role(self, name: str, kept: str) -> Role:
        """Lower a role to the published one: somebody may have raised it by SQL."""
        published, role = await self._file.read(), role_of(kept)
        return lesser(role, published.roles.get(name, role)) if published else role

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
        """
        human, kept = await self._verified(name, secret)
        key = await self._keys.give(human.name, secret, kept)
        opened = await self._keys.open(key, secret, kept)
        await self._file.add(key.name, key.public, human.role)
        return Unlocked(key.name, opened, failures=human.failures, role=human.role)

    async def public_keys(self) -> dict[str, bytes]:
        """Give the public halves by which a signature is judged.

        Returns:
            Name of the account to 32 bytes: what the file outside the store says, or
            the store where there is none.

        Raises:
            AccountError: when the file cannot be used.
            StoreError: when the store cannot be read.
        """
        if published := await self._file.read():
            return published.keys
        rows = await self._store.read(tables.PUBLIC)
        return {name: bytes(public) for name, public in rows}

    async def roles(self) -> dict[str, Role]:
        """Give what each account may do, whoever wrote to the store.

        Returns:
            Name of the account to its role: the lesser of what the store and the file
            say, or what one of them says alone.

        Raises:
            AccountError: when the file cannot be used.
            StoreError: when the store cannot be read.
        """
        published = await self._file.read()
        roles = dict(published.roles) if published else {}
        for account in await self.list():
            role = roles.get(account.name, account.role)
            roles[account.name] = lesser(account.role, role)
        return roles

    async def add(
        self,
        name: str,
        secret: str,
        *,
        by: Bearer | None,
        role: Role = Role.REVIEWER,
        origin: str = "",
    ) -> str:
        """Make an account.

        Args:
            name: in any spelling.
            secret: 10 characters to 1,024 bytes.
            by: who agrees; None is enough only for the very first.
            role: what it may do; the very first is an operator, whatever this says.
            origin: where the secret was typed; what is over 200 characters is cut off.

        Returns:
            The name as it is kept.

        Raises:
            InvalidAccountName: when it cannot be one.
            UnsuitableSecret: when the secret cannot be taken.
            AccountExists: when the name is taken.
            AccountPublished: when it was, in another store.
            NeedsAccount: when somebody has an account already and no operator agrees.
            NeedsRole: when who agrees is none.
            AccountError: when the file of public keys cannot be used.
            StoreError: when it could not be stored.
        """
        name = account_name(name)
        check_secret(secret)
        if by is not None:
            check_role(by, Role.OPERATOR)
        role = role if by else Role.OPERATOR
        await self._check_unpublished(name)
        secret_hash = await self._room.do(partial(hash_secret, secret, self._cost))
        values = self._values(name, by, secret_hash=secret_hash, role=role)
        values["origin"] = _kept_origin(origin)
        key = await self._keys.make(name, secret)
        [count, _] = await self._store.write(
            [Statement(tables.ADD, values), keeping(tables.ADD_KEY, key, secret_hash)]
        )
        if not count:
            raise AccountExists(name) if await self._find(name) else NeedsAccount
        await self._file.add(name, key.public, role, is_new_role=True)
        return name

    async def _check_unpublished(self, name: str) -> None:
        """A key that cannot be published afterwards would be of no use."""
        published, path = await self._file.read(), self._file.path
        if published is None or path is None or name not in published.keys:
            return
        if await self._find(name) is None:
            raise AccountPublished(path, name)

    async def change_secret(
        self, name: str, old: str, new: str, *, origin: str = ""
    ) -> Human:
        """Give an account another secret.

        Args:
            name: in any spelling.
            old: its secret until now.
            new: 10 characters to 1,024 bytes.
            origin: where the new one was typed; cut off after 200 characters.

        Returns:
            The person, as `verify` does.

        Raises:
            UnsuitableSecret: when the new secret cannot be taken; no try was counted.
            AccountError: as `verify` does, or when its seal key does not open.
            StoreError: when it could not be stored.
        """
        check_secret(new)
        human, kept = await self._verified(name, old)
        key = await self._keys.find(human.name)
        secret_hash = await self._room.do(partial(hash_secret, new, self._cost))
        values = {
            "name": human.name,
            "secret_hash": secret_hash,
            "old": kept,
            "at": self._now(),
            "public": key.public if key else b"",
            "origin": _kept_origin(origin),
        }
        statements = [Statement(tables.CHANGE, values)]
        if key:
            relocked = await self._keys.lock_again(key, old, new, kept)
            statements.append(keeping(tables.LOCK_KEY, relocked, secret_hash))
        [count, *_] = await self._store.write(statements)
        if not count:  # another process was faster
            raise WrongSecret
        return human

    async def disable(self, name: str, *, by: Bearer) -> str:
        """Switch an account off, for good; its name stays taken.

        Args:
            name: in any spelling.
            by: an operator, or who has the account itself.

        Returns:
            The name as it is kept.

        Raises:
            InvalidAccountName: when it cannot be one.
            LookupFailed: when there is no such account.
            AccountDisabled: when it, or that of `by`, is switched off already.
            NeedsRole: when `by` is neither.
            LastOperator: when no other operator is on.
            StoreError: when it could not be stored.
        """
        name = account_name(name)
        if name != by.name:
            check_role(by, Role.OPERATOR)
        [count] = await self._store.write(
            [Statement(tables.DISABLE, self._values(name, by))]
        )
        if not count:
            raise why_not(await self.list(), name, by)
        return name

    async def set_role(self, name: str, role: Role, *, by: Bearer) -> str:
        """Give an account another role.

        The store changes first: until the file does too, the lesser role counts.

        Args:
            name: in any spelling.
            role: from now on; that it has is allowed, and mends the file.
            by: an operator; may be the account itself.

        Returns:
            The name as it is kept.

        Raises:
            InvalidAccountName: when it cannot be one.
            LookupFailed: when there is no such account.
            AccountDisabled: when it, or that of `by`, is switched off.
            NeedsRole: when `by` is no operator.
            LastOperator: when no other operator is on.
            AccountError: when the file of public keys cannot be used.
            StoreError: when it could not be stored.
        """
        name = account_name(name)
        check_role(by, Role.OPERATOR)
        [count] = await self._store.write(
            [Statement(tables.SET_ROLE, self._values(name, by, role=role))]
        )
        if not count:
            raise why_not(await self.list(), name, by)
        key = await self._keys.find(name)
        public = key.public if key else None
        await self._file.add(name, public, role, is_new_role=True)
        return name

    async def _let_in(self, name: str, secret: str, kept: str) -> str:
        statements = [Statement(tables.FORGIVE, {"name": name})]
        if kept.startswith(self._cost.prefix):
            await self._store.write(statements)
            return kept
        stronger = await self._room.do(partial(hash_secret, secret, self._cost))
        values = {"name": name, "secret_hash": stronger, "old": kept}
        statements.append(Statement(tables.RAISE_COST, values))
        _, count = await self._store.write(statements)
        return stronger if count else kept

    async def _find(self, name: str) -> _Row | None:
        rows = await self._store.read(tables.FIND, {"name": name})
        return _Row(*rows[0]) if rows else None

    def _values(self, name: str, by: Bearer | None, **more: Any) -> dict[str, Any]:
        return {"name": name, "by": by and by.name, "at": self._now(), **more}

    def _now(self) -> str:
        moment = datetime.fromtimestamp(self._clock(), UTC)
        return moment.isoformat(timespec="seconds")


def _kept_origin(origin: str) -> str:
    # A variable of the environment may hold bytes that are no text.
    return origin[:ORIGIN_LIMIT].encode(errors="replace").decode()
