"""TokenBook: whom a shown token belongs to, from memory, as the store says now."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hmac import compare_digest
from typing import Any, Final, Literal, NamedTuple

from abilities_host.storage.base import Store, Transaction
from abilities_host.tokens import tables
from abilities_host.tokens.moment import MINUTE, now
from abilities_host.tokens.record import TokenRecord, record_of
from abilities_host.tokens.shape import digest_of, public_id
from abilities_host.tokens.tokens import Tokens

_DIGEST_BYTES: Final = 32
_NEVER: Final = -MINUTE


@dataclass(frozen=True, slots=True)
class Refusal:
    """A token that lets nobody in.

    Attributes:
        reason: why; only who showed the whole secret gets another one than unknown.
    """

    reason: Literal["unknown", "expired", "revoked"]


class _Kept(NamedTuple):
    digest: bytes
    row: tuple[Any, ...]


class TokenBook:
    """Knows every token of a store, and asks each time whether that is still true.

    Args:
        tokens: where they are read.
        store: the same; says when something has changed.
        clock: microseconds since 1970, for uses.
    """

    def __init__(
        self, tokens: Tokens, store: Store, *, clock: Callable[[], int] = now
    ) -> None:
        self._tokens: Final = tokens
        self._store: Final = store
        self._clock: Final = clock
        self._kept: Mapping[str, _Kept] = {}
        # Compared with where nobody has the id; no token hashes to it but by chance.
        self._nobody: Final = _Kept(secrets.token_bytes(_DIGEST_BYTES), ())
        self._generation: int | None = None
        self._reading: Final = asyncio.Lock()
        self._uses: Final[dict[str, int]] = {}
        self._written: Final[dict[str, int]] = {}

    async def find(self, shown: str, at: int) -> TokenRecord | Refusal:
        """Say whose a token is; it is read again only when something has changed.

        Args:
            shown: what a client sent.
            at: the time, microseconds since 1970.

        Returns:
            The record of a valid token, or why there is none.

        Raises:
            StoreError: when the store cannot be read; then nobody may be let in.
        """
        public = public_id(shown)
        if public is None:
            return Refusal("unknown")
        await self._refresh()
        kept = self._kept.get(public, self._nobody)
        if not compare_digest(digest_of(shown), kept.digest):
            return Refusal("unknown")
        record = record_of(kept.row)
        state = record.state(at)
        return record if state == "live" else Refusal(state)

    def note_use(self, public: str) -> None:
        """Remember that a token was used now.

        Args:
            public: its id; one that is not known is forgotten.
        """
        if public in self._kept:
            self._uses[public] = self._clock()

    async def flush(self, *, is_last: bool = False) -> None:
        """Store when tokens were used last, each at most once a minute.

        Nobody is told to read again. What cannot be stored is kept for the next time.

        Args:
            is_last: also what was stored less than a minute ago, since nobody will ask
                again.

        Raises:
            StoreError: when it could not be stored.
        """
        due = {
            public: used
            for public, used in self._uses.items()
            if is_last or used - self._written.get(public, _NEVER) >= MINUTE
        }
        if not due:
            return
        await self._store.transact(partial(_note, tuple(due.items())))
        self._written.update(due)
        for public, used in due.items():
            if self._uses.get(public) == used:
                del self._uses[public]

    async def _refresh(self) -> None:
        if self._store.generation() == self._generation:
            return
        async with self._reading:
            # Asked first: a commit in between makes it too old, and is seen next time.
            generation = self._store.generation()
            if generation == self._generation:
                return  # another request has read it meanwhile
            rows = await self._tokens.load()
            self._kept = {row[1]: _Kept(bytes(row[0]), row[1:]) for row in rows}
            self._generation = generation
            self._forget()

    def _forget(self) -> None:
        """Keep nothing of tokens that are there no more."""
        for noted in (self._uses, self._written):
            for public in noted.keys() - self._kept.keys():
                del noted[public]


def _note(uses: tuple[tuple[str, int], ...], changing: Transaction) -> None:
    values = [{"id": public, "at": used} for public, used in uses]
    changing.execute_many(tables.USE, values)
