"""Keyring: the locked seal keys of a store."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from abilities_host.accounts import tables
from abilities_host.accounts.errors import SealKeyBroken, WrongSecret
from abilities_host.accounts.hashing import Cost
from abilities_host.accounts.room import Room
from abilities_host.accounts.sealkey import SealKey, lock_again, make_key, open_key
from abilities_host.storage.base import Statement, Store

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

T = TypeVar("T")


class Keyring:
    """The seal key of each account that has one.

    Args:
        store: where they are kept.
        cost: of opening those that are locked from now on.
        room: for the work.
    """

    def __init__(self, store: Store, cost: Cost, room: Room) -> None:
        self._store: Final = store
        self._cost: Final = cost
        self._room: Final = room

    async def find(self, name: str) -> SealKey | None:
        """Find the key of an account.

        Args:
            name: of the account, as it is kept.

        Returns:
            The locked key, None when it has none.
        """
        rows = await self._store.read(tables.FIND_KEY, {"name": name})
        if not rows:
            return None
        name, public, private, salt, nonce, memory, passes, lanes = rows[0]
        cost = Cost(memory, passes, lanes)
        return SealKey(name, public, private, salt, nonce, cost)

    async def make(self, name: str, secret: str) -> SealKey:
        """Make a key; it is not kept yet.

        Args:
            name: of the account.
            secret: that will open it.

        Returns:
            The locked key.
        """
        return await self._room.do(partial(make_key, name, secret, self._cost))

    async def give(self, name: str, secret: str, kept: str) -> SealKey:
        """Give the key of an account, which gets one if it has none.

        Args:
            name: of the account.
            secret: of it.
            kept: the hash of that secret.

        Returns:
            The locked key.

        Raises:
            WrongSecret: when another process changed the secret.
        """
        if found := await self.find(name):
            return found
        made = await self.make(name, secret)
        await self._store.write([keeping(tables.ADD_KEY, made, kept)])
        if found := await self.find(name):
            return found
        raise WrongSecret

    async def open(self, key: SealKey, secret: str, kept: str) -> "Ed25519PrivateKey":
        """Open a key.

        Args:
            key: locked.
            secret: of its account.
            kept: the hash of that secret.

        Returns:
            The private half.

        Raises:
            SealKeyBroken: when the secret does not open it.
            WrongSecret: when another process changed the secret.
        """
        return await self._with(key, kept, partial(open_key, key, secret))

    async def lock_again(self, key: SealKey, old: str, new: str, kept: str) -> SealKey:
        """Lock a key with another secret; it is not kept yet.

        Args:
            key: locked.
            old: secret until now.
            new: secret from now on.
            kept: the hash of the old one.

        Returns:
            The locked key.

        Raises:
            SealKeyBroken: when the old secret does not open it.
            WrongSecret: when another process changed the secret.
        """
        work = partial(lock_again, key, old, new, self._cost)
        return await self._with(key, kept, work)

    async def _with(self, key: SealKey, kept: str, work: Callable[[], T]) -> T:
        try:
            return await self._room.do(work)
        except SealKeyBroken:
            values = {"name": key.name}
            rows = await self._store.read(tables.FIND, values)
            if not rows or rows[0][0] != kept:  # changed by another process
                raise WrongSecret from None
            raise


def keeping(sql: str, key: SealKey, secret_hash: str) -> Statement:
    """Make the statement that keeps a key while the secret is the same.

    Args:
        sql: ``ADD_KEY`` or ``LOCK_KEY``.
        key: locked.
        secret_hash: of the secret that opens it.

    Returns:
        The statement.
    """
    values = {
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
