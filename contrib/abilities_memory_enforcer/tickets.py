"""Tickets: the queue of writes that wait for a person, and the one use of each."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final, NamedTuple

import orjson

from abilities_host.gate import Gate, hash_of
from abilities_host.storage import Statement, Store, Transaction
from abilities_memory_enforcer import tables
from abilities_memory_enforcer.draft import Draft
from abilities_memory_enforcer.kind import NAME, find
from abilities_memory_enforcer.ticket import Ticket, ticket_of

LIMIT: Final = 200
"""How many may wait for one actor."""

_HOUR: Final = 60 * 60 * 1_000_000


class Asked(NamedTuple):
    """The ticket of a write.

    Attributes:
        ticket: None when too many of the actor wait already.
        is_new: nobody knows of it yet.
    """

    ticket: Ticket | None
    is_new: bool = False


class Tickets:
    """All tickets of a store.

    Args:
        store: with their table.
        gate: tells which are sealed.
        hours: how long one is good.
        clock: microseconds since 1970.
    """

    def __init__(
        self, store: Store, gate: Gate, *, hours: int, clock: Callable[[], int]
    ) -> None:
        self._store: Final = store
        self._gate: Final = gate
        self._hours: Final = hours
        self._clock: Final = clock

    async def ask(self, draft: Draft) -> Asked:
        """Give the ticket of a write, the same again while it is good and unused.

        Args:
            draft: the write.

        Returns:
            The ticket, in any state.

        Raises:
            StoreError: when it can be neither read nor stored.
        """
        values = {"binding": draft.binding, "now": self._clock()}
        rows = await self._store.read(tables.FIND, values)
        if rows:
            return Asked(ticket_of(rows[0]))
        return await self._store.transact(lambda changing: self._ask(changing, draft))

    async def take(self, ticket: Ticket, call: str) -> bool:
        """Use a ticket up for a call.

        Args:
            ticket: an approved one.
            call: id of the call.

        Returns:
            False unless a person approved exactly this, and nobody used it.

        Raises:
            StoreError: when that cannot be found out.
        """
        seal = (await self._gate.survey(NAME)).sealed.get(ticket.id)
        if seal is None:
            return False

        def take(changing: Transaction) -> bool:
            if hash_of(find(changing, ticket.id).canonical) != seal.hash:
                return False
            values = {"id": ticket.id, "call": call, "now": self._clock()}
            changing.execute(tables.TAKE, values)
            return changing.changes() == 1

        return await self._store.transact(take)

    async def give_back(self, id_: str, call: str) -> None:
        """Undo `take` for a call that did not begin.

        Args:
            id_: of the ticket.
            call: id of the call.

        Raises:
            StoreError: when it cannot be stored; the ticket stays used.
        """
        values = {"id": id_, "call": call}
        await self._store.write([Statement(tables.GIVE_BACK, values)])

    async def count(self) -> int:
        """Count all that wait."""
        [(count,)] = await self._store.read(tables.COUNT_ALL, {"now": self._clock()})
        return int(count)

    def _ask(self, changing: Transaction, draft: Draft) -> Asked:
        now = self._clock()
        values: dict[str, Any] = {"binding": draft.binding, "now": now}
        for row in changing.execute(tables.FIND, values):
            return Asked(ticket_of(row))  # another process was faster
        [(count,)] = changing.execute(tables.COUNT, {"actor": draft.actor, "now": now})
        if count >= LIMIT:
            return Asked(None)
        changing.execute(tables.TIDY, {"now": now})
        changing.execute(tables.NEXT)
        [(number,)] = changing.execute(tables.LAST)
        id_ = f"wr-{number:03}"
        changing.execute(tables.ADD, self._values(draft, id_, number, now))
        return Asked(find(changing, id_), is_new=True)

    def _values(self, draft: Draft, id_: str, number: int, now: int) -> dict[str, Any]:
        return {
            **asdict(draft),
            "targets": orjson.dumps(draft.targets).decode(),
            "rules": orjson.dumps(draft.rules).decode(),
            "number": number,
            "id": id_,
            "asked_at": now,
            "expires_at": now + self._hours * _HOUR,
        }
