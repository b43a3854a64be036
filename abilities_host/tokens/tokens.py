"""Tokens: made, listed, replaced and ended in one store."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from abilities_host.errors import LookupFailed
from abilities_host.storage.base import Store, Transaction
from abilities_host.tokens import tables
from abilities_host.tokens.change import Change
from abilities_host.tokens.errors import (
    InvalidEnd,
    InvalidGrace,
    InvalidScope,
    InvalidTokenName,
    TokenEnded,
    TokenExists,
    TooManyTokens,
)
from abilities_host.tokens.moment import SECOND, now
from abilities_host.tokens.record import TokenRecord, record_of
from abilities_host.tokens.shape import PREFIX, Minted, digest_of, mint, written_id

T = TypeVar("T")

GRACE_DAYS: Final = 7
GRACE_SECONDS: Final = GRACE_DAYS * 86_400
SCOPES: Final = 100

_SCOPE_LENGTH: Final = 200
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SCOPE: Final = re.compile(r"(?:\*|[a-z0-9-]+)(?::(?:\*|[a-z0-9-]+))*")


class Tokens:
    """The tokens of one store; nothing is remembered here between two calls.

    Args:
        store: where they are kept; `migrate` comes first.
        clock: microseconds since 1970.
    """

    def __init__(self, store: Store, *, clock: Callable[[], int] = now) -> None:
        self._store: Final = store
        self._clock: Final = clock

    async def migrate(self) -> None:
        """Make the table, or bring it up to date.

        Raises:
            StoreError: when that is not possible; nothing was changed.
        """
        await self._store.migrate(tables.OWNER, tables.MIGRATIONS)

    async def list_tokens(self) -> tuple[TokenRecord, ...]:
        """Read every token, also those that have ended.

        Returns:
            All of them by name, the oldest first; at most 10,000.

        Raises:
            StoreError: when they cannot be read.
        """
        return tuple(map(record_of, await self._store.read(tables.LIST)))

    async def load(self) -> list[tuple[Any, ...]]:
        """Read what a book looks tokens up in.

        Returns:
            For each token its digest and the columns of a record.

        Raises:
            StoreError: when they cannot be read.
        """
        return await self._store.read(tables.LOAD)

    async def create(
        self,
        name: str,
        *,
        scopes: Sequence[str] = (),
        role: str = "",
        server: str = "",
        expires_at: int | None = None,
        by: str,
    ) -> Change:
        """Make a token; every process knows it at its next request.

        Args:
            name: of no other valid token.
            scopes: what it may do, at most 100.
            role: what else it may do; a name of the configuration.
            server: id of the one server it is for; empty for every one.
            expires_at: when it ends, microseconds since 1970; None for never.
            by: id of who makes it.

        Returns:
            What was made, with the value that nobody can look up again.

        Raises:
            TokenError: when it cannot be made; says why.
            StoreError: when it could not be stored.
        """
        at, minted = self._clock(), mint()
        record = TokenRecord(
            id=minted.id,
            name=_checked_name(name),
            scopes=_checked_scopes(scopes),
            role=role,
            server=server,
            created_at=at,
            created_by=by,
            expires_at=_checked_end(expires_at, at),
        )

        def make(changing: Transaction) -> Change:
            _drop_namesakes(changing, record)
            _add(changing, record, minted)
            return Change(action="created", record=record, value=minted.value)

        return await self._store.transact(make, bump=True)

    async def revoke(self, named: str, by: str) -> Change:
        """End a token; every process refuses it at its next request.

        Args:
            named: its name, for all that have it; or the id of one.
            by: id of who ends it.

        Returns:
            What was ended.

        Raises:
            LookupFailed: when there is no such token; guesses the one meant.
            TokenError: when it was ended already.
            StoreError: when it could not be stored.
        """
        at = self._clock()

        def end(changing: Transaction) -> Change:
            found = _found(changing, named)
            for record in found:
                _revoke(changing, record, at, by)
            ended = tuple(record.id for record in found)
            return Change(action="revoked", record=found[-1], ended=ended)

        return await self._store.transact(end, bump=True)

    async def rotate(
        self,
        named: str,
        by: str,
        grace_seconds: int = 0,
        *,
        expires_at: int | None = None,
    ) -> Change:
        """Replace a token by another of the same name and rights.

        Args:
            named: its name or id.
            by: id of who replaces it.
            grace_seconds: how long the old one stays valid, at most 7 days.
            expires_at: when the new one ends; None for as long a life as the old one
                was made for.

        Returns:
            What was made, with the value that nobody can look up again.

        Raises:
            LookupFailed: when there is no such token; guesses the one meant.
            TokenError: when it has ended already, or cannot be replaced like this.
            StoreError: when it could not be stored.
        """
        if not 0 <= grace_seconds <= GRACE_SECONDS:
            raise InvalidGrace(GRACE_DAYS)
        at, minted = self._clock(), mint()
        _checked_end(expires_at, at)

        def replace_(changing: Transaction) -> Change:
            old, others = _valid(changing, named, at)
            new = _successor(old, minted, at, by, expires_at)
            _make_room(changing, at)
            _add(changing, new, minted)
            changing.execute(tables.REPLACE, {"id": old.id, "to": new.id})
            for record in others:
                _end_soon(changing, record, at, grace_seconds, by)
            ended = tuple(record.id for record in others)
            return Change(action="rotated", record=new, ended=ended, value=minted.value)

        return await self._store.transact(replace_, bump=True)


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name) or name.startswith(PREFIX):
        raise InvalidTokenName
    return name


def _checked_scopes(scopes: Sequence[str]) -> tuple[str, ...]:
    for scope in scopes:
        if len(scope) > _SCOPE_LENGTH or not _SCOPE.fullmatch(scope):
            raise InvalidScope(SCOPES)
    if len(scopes) > SCOPES:
        raise InvalidScope(SCOPES)
    return tuple(sorted(set(scopes)))


def _checked_end(expires_at: int | None, at: int) -> int | None:
    if expires_at is not None and expires_at <= at:
        raise InvalidEnd
    return expires_at


def _drop_namesakes(changing: Transaction, record: TokenRecord) -> None:
    """Leave no expired token of the name, which would end together with the new one."""
    at, by = record.created_at, record.created_by
    for each in _named(changing, record.name):
        state = each.state(at)
        if state == "live":
            raise TokenExists(record.name)
        if state == "expired":
            _revoke(changing, each, at, by)
    _make_room(changing, at)


def _make_room(changing: Transaction, at: int) -> None:
    [(count,)] = changing.execute(tables.COUNT)
    over = count + 1 - tables.LIMIT
    if over <= 0:
        return
    changing.execute(tables.REMOVE_ENDED, {"now": at, "count": over})
    if changing.changes() < over:
        raise TooManyTokens(tables.LIMIT)


def _add(changing: Transaction, record: TokenRecord, minted: Minted) -> None:
    values = {
        "id": record.id,
        "digest": digest_of(minted.value),
        "name": record.name,
        "scopes": " ".join(record.scopes),
        "role": record.role,
        "server": record.server,
        "created_at": record.created_at,
        "created_by": record.created_by,
        "expires_at": record.expires_at,
        "rotated_from": record.rotated_from,
    }
    changing.execute(tables.ADD, values)


def _revoke(changing: Transaction, record: TokenRecord, at: int, by: str) -> None:
    changing.execute(tables.REVOKE, {"id": record.id, "at": at, "by": by})


def _end_soon(
    changing: Transaction, record: TokenRecord, at: int, grace: int, by: str
) -> None:
    if not grace:
        _revoke(changing, record, at, by)
        return
    until = at + grace * SECOND
    if record.expires_at is None or record.expires_at > until:
        changing.execute(tables.END, {"id": record.id, "until": until})


def _named(changing: Transaction, name: str) -> list[TokenRecord]:
    return list(map(record_of, changing.execute(tables.BY_NAME, {"name": name})))


def _found(changing: Transaction, named: str) -> list[TokenRecord]:
    """Give what was not revoked of a name, or of an id that nobody has as a name."""
    found = _named(changing, named)
    public = written_id(named)
    if not found and public is not None:
        found = list(map(record_of, changing.execute(tables.BY_ID, {"id": public})))
    if not found:
        known = [name for (name,) in changing.execute(tables.NAMES)]
        raise LookupFailed("token", public or _checked_name(named), known)
    if left := [record for record in found if record.revoked_at is None]:
        return left
    raise TokenEnded(found[-1].name)


def _valid(
    changing: Transaction, named: str, at: int
) -> tuple[TokenRecord, list[TokenRecord]]:
    """Give the token that can be replaced, and all that then end."""
    name = _found(changing, named)[-1].name
    live = [each for each in _named(changing, name) if each.state(at) == "live"]
    for record in live:
        if not record.rotated_to:
            return record, live
    raise TokenEnded(name)


def _successor(
    old: TokenRecord, minted: Minted, at: int, by: str, expires_at: int | None
) -> TokenRecord:
    if expires_at is None and old.expires_at is not None:
        expires_at = at + old.expires_at - old.created_at
    return TokenRecord(
        id=minted.id,
        name=old.name,
        scopes=old.scopes,
        role=old.role,
        server=old.server,
        created_at=at,
        created_by=by,
        expires_at=expires_at,
        rotated_from=old.id,
    )
