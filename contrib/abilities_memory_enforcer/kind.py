"""Kind: tickets as the human gate sees them; only a sealed one lets anything pass."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from abilities_host import CallError
from abilities_host.gate import Waiting
from abilities_host.storage import Store, Transaction
from abilities_memory_enforcer import tables
from abilities_memory_enforcer.ticket import Status, Ticket, TicketDamaged, ticket_of

NAME: Final = "write"


class UnknownTicket(CallError):
    """No ticket has this id."""

    code = "unknown_ticket"

    def __init__(self) -> None:
        super().__init__("No ticket has the id that was given. One looks like wr-001.")


class TicketSettled(CallError):
    """A ticket is not in the state that a decision needs."""

    code = "ticket_settled"

    def __init__(self, id_: str, state: str) -> None:
        super().__init__(
            f"Ticket {id_} is {state}, so nothing was decided. Whoever wants the write "
            "asks for it again.",
            id=id_,
            state=state,
        )


class WriteKind:
    """What the gate is told of writes that wait for a person.

    Args:
        store: with the table of tickets.
        clock: microseconds since 1970.
    """

    name = NAME

    def __init__(self, store: Store, clock: Callable[[], int]) -> None:
        self._store: Final = store
        self._clock: Final = clock

    def canonical(self, changing: Transaction, id_: str) -> bytes:
        """Give all that an approval is about; raises UnknownTicket without it."""
        return find(changing, id_).canonical

    def approve(
        self, changing: Transaction, id_: str, *, by: str, at: int
    ) -> tuple[str, ...]:
        """Note that a write may happen once.

        Args:
            changing: in which the seal is stored too.
            id_: of the ticket.
            by: name of the account.
            at: microseconds since 1970.

        Returns:
            Nothing: it takes the place of no other.

        Raises:
            UnknownTicket: when there is none of this id.
            TicketSettled: when it does not wait any more.
        """
        self._check_waiting(find(changing, id_))
        settle(changing, id_, "approved", by=by, at=at)
        return ()

    def withdraw(self, changing: Transaction, id_: str, *, by: str, at: int) -> None:
        """Note that an approved write may not happen any more.

        Args:
            changing: in which the withdrawal is stored too.
            id_: of the ticket.
            by: name of the account.
            at: microseconds since 1970.

        Raises:
            UnknownTicket: when there is none of this id.
            TicketSettled: when it is not approved.
        """
        ticket = find(changing, id_)
        if ticket.status != "approved":
            raise TicketSettled(id_, ticket.status)
        settle(changing, id_, "withdrawn", by=by, at=at)

    def reject(self, changing: Transaction, id_: str, *, by: str, at: int) -> None:
        """Note that a write is not to happen.

        Args:
            changing: the transaction.
            id_: of the ticket.
            by: name of the account.
            at: microseconds since 1970.

        Raises:
            UnknownTicket: when there is none of this id.
            TicketSettled: when it does not wait any more.
        """
        self._check_waiting(find(changing, id_))
        settle(changing, id_, "rejected", by=by, at=at)

    def binds(self, canonical: bytes) -> bool:  # noqa: ARG002 - the same for all
        """Say no: a ticket lets something through, and its loss stops it again."""
        return False

    async def waiting(self) -> list[Waiting]:
        """Give the tickets that wait, oldest first, of the first 200.

        Returns:
            Each with ability and targets as its title.

        Raises:
            StoreError: when they cannot be read.
        """
        rows = await self._store.read(tables.WAITING, {"now": self._clock()})
        return list(filter(None, map(_waiting, rows)))

    async def effective(self) -> list[tuple[str, bytes]]:
        """Give every ticket that says it is approved, whoever set it so.

        Those that were used, or are too old, are among them: their seals are there.

        Returns:
            Ids with what they say.

        Raises:
            StoreError: when they cannot be read.
        """
        return list(map(_entry, await self._store.read(tables.EFFECTIVE)))

    def _check_waiting(self, ticket: Ticket) -> None:
        if ticket.status != "waiting":
            raise TicketSettled(ticket.id, ticket.status)
        if ticket.expires_at <= self._clock():
            raise TicketSettled(ticket.id, "expired")


def find(changing: Transaction, id_: str) -> Ticket:
    """Give a ticket.

    Args:
        changing: the transaction.
        id_: of the ticket.

    Returns:
        The ticket, in any state.

    Raises:
        UnknownTicket: when there is none of this id.
    """
    for row in changing.execute(tables.GET, {"id": id_}):
        return ticket_of(row)
    raise UnknownTicket


def settle(
    changing: Transaction, id_: str, status: Status, *, by: str, at: int
) -> None:
    """Write down what a person decided."""
    values = {"id": id_, "status": status, "by": by, "at": at}
    changing.execute(tables.SETTLE, values)


def _waiting(row: Sequence[Any]) -> Waiting | None:
    try:
        ticket = ticket_of(row)
    except TicketDamaged:  # it hides no other, and nothing comes of it
        return None
    first, more = "".join(ticket.targets[:1]), ticket.targets_count - 1
    about = f"{first} and {more} more" if more > 0 else first
    title = f"{ticket.ability} on {about}"
    return Waiting(ticket.id, title, ticket.actor, ticket.asked_at)


def _entry(row: Sequence[Any]) -> tuple[str, bytes]:
    try:
        return row[0], ticket_of(row).canonical
    except TicketDamaged:
        # No seal fits, so a row that somebody damaged is an alarm and hides no other.
        return row[0], b""
