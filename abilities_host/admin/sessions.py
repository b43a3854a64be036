"""Sessions: of people in browsers, kept in the store by a hash of their ids."""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from abilities_host.admin import tables
from abilities_host.storage.base import Statement, Store

IDLE_SECONDS: Final = 30 * 60
LONGEST_SECONDS: Final = 8 * 60 * 60
PER_ACCOUNT: Final = 20
_TOUCH_SECONDS: Final = 60
_ID_BYTES: Final = 32
_PUBLIC: Final = 16
_KEPT: Final = 200


def new_id() -> str:
    """Make an id that nobody guesses: 256 bits."""
    return secrets.token_urlsafe(_ID_BYTES)


def digest_of(id_: str) -> str:
    """Give what is kept of an id.

    Args:
        id_: as the browser has it.

    Returns:
        SHA-256 as 64 hexadecimal digits.
    """
    return sha256(id_.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Session:
    """One session.

    Attributes:
        digest: of its id.
        account: whose it is.
        made_at: seconds since 1970.
        seen_at: when it was used last, to a minute.
        address: where it was opened from.
        browser: what that said it is, at most 200 characters.
    """

    digest: str
    account: str
    made_at: int
    seen_at: int
    address: str
    browser: str

    @property
    def id(self) -> str:
        """How it is called in lists and in the record; opens nothing."""
        return self.digest[:_PUBLIC]


class Sessions:
    """The sessions of one store; nothing is remembered here between two requests.

    Args:
        store: where they are kept.
        clock: seconds since 1970.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store: Final = store
        self._clock: Final = clock

    async def migrate(self) -> None:
        """Make the tables, or bring them up to date; raises StoreError."""
        await self._store.migrate(tables.OWNER, tables.MIGRATIONS)

    async def open(self, account: str, *, address: str, browser: str) -> str:
        """Open a session, always with a new id.

        Args:
            account: of the person, who has just shown the secret.
            address: from where.
            browser: what it says it is.

        Returns:
            The id, which is kept nowhere.

        Raises:
            StoreError: when it could not be stored.
        """
        id_ = new_id()
        values = {
            "digest": digest_of(id_),
            "now": self._now(),
            "account": account,
            "address": address[:_KEPT],
            "browser": browser[:_KEPT],
        }
        oldest = {"account": account, "kept": PER_ACCOUNT}
        await self._store.write(
            [
                Statement(tables.FORGET, self._ends()),
                Statement(tables.ADD, values),
                Statement(tables.END_OLDEST, oldest),
            ]
        )
        return id_

    async def find(self, id_: str) -> Session | None:
        """Find a session by what a browser sent, and note that it is used.

        Args:
            id_: anything.

        Returns:
            None when there is none, or it has ended.

        Raises:
            StoreError: when the store cannot be used.
        """
        values = {**self._ends(), "digest": digest_of(id_)}
        rows = await self._store.read(tables.FIND, values)
        if not rows:
            return None
        session, now = _session(rows[0]), self._now()
        if now - session.seen_at >= _TOUCH_SECONDS:
            touch = {"digest": session.digest, "now": now}
            await self._store.write([Statement(tables.TOUCH, touch)])
        return session

    async def is_good(self, digest: str) -> bool:
        """Answer whether a session has not ended, without noting that it is used.

        Args:
            digest: of its id.

        Raises:
            StoreError: when the store cannot be used.
        """
        values = {**self._ends(), "digest": digest}
        return bool(await self._store.read(tables.IS_GOOD, values))

    async def list(self) -> tuple[Session, ...]:
        """Give every session that has not ended, the newest first; at most 1,000."""
        return tuple(map(_session, await self._store.read(tables.LIST, self._ends())))

    async def end(self, digest: str) -> None:
        """End a session; raises StoreError."""
        await self._store.write([Statement(tables.END, {"digest": digest})])

    async def end_by_id(self, id_: str) -> bool:
        """End a session by what it is called in lists.

        Args:
            id_: 16 characters.

        Returns:
            Whether there was one.

        Raises:
            StoreError: when it could not be ended.
        """
        [count] = await self._store.write([Statement(tables.END_BY_ID, {"id": id_})])
        return bool(count)

    def _ends(self) -> dict[str, int]:
        now = self._now()
        return {"idle": now - IDLE_SECONDS, "old": now - LONGEST_SECONDS}

    def _now(self) -> int:
        return int(self._clock())


def _session(row: Sequence[Any]) -> Session:
    return Session(*row)
