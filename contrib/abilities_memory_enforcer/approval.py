"""Approval: a write waits for a person, who approves exactly that, for one time."""

import logging
from collections.abc import Callable
from typing import Final

from abilities_host import Call, Outcome, ProposedWrite, StoreError, Veto
from abilities_memory_enforcer import wording
from abilities_memory_enforcer.draft import draft_of
from abilities_memory_enforcer.finding import Finding
from abilities_memory_enforcer.ticket import Ticket
from abilities_memory_enforcer.tickets import LIMIT, Tickets

log = logging.getLogger(__name__)


class Approval:
    """The effect ``approve``.

    Args:
        tickets: the queue.
        announce: told the id of each new ticket; it returns at once.

    Attributes:
        taken: id of a running call to the tickets that let it pass.
    """

    def __init__(self, tickets: Tickets, announce: Callable[[str], None]) -> None:
        self._tickets: Final = tickets
        self._announce: Final = announce
        self.taken: Final[dict[str, list[str]]] = {}

    async def decide(self, write: ProposedWrite, finding: Finding) -> Veto | None:
        """Let a write pass if a person approved it, else have it wait.

        Args:
            write: before it happens.
            finding: the rules that want it approved.

        Returns:
            None for an approved one, whose ticket is used up; else a veto.

        Raises:
            StoreError: when the tickets cannot be read or stored.
        """
        draft = await draft_of(write, finding.standing)
        ticket, is_new = await self._tickets.ask(draft)
        if ticket is None:
            return Veto(wording.crowded(LIMIT), rule=finding.rule)
        if is_new:
            self._announce(ticket.id)
        if ticket.status != "approved":
            return Veto(_reason(ticket, finding), rule=finding.rule)
        if not await self._tickets.take(ticket, write.call.id):
            return Veto(wording.unsealed(ticket.id), rule=finding.rule)
        self.taken.setdefault(write.call.id, []).append(ticket.id)
        return None

    async def settle(self, call: Call, outcome: Outcome) -> None:
        """Give back what a call has taken that did nothing in the end.

        Args:
            call: the call.
            outcome: how it ended.
        """
        taken = self.taken.pop(call.id, ())
        if outcome.status not in ("refused", "input_required"):
            return
        for id_ in taken:
            try:
                await self._tickets.give_back(id_, call.id)
            except StoreError:
                log.exception("ticket %s stays used although nothing was done", id_)


def _reason(ticket: Ticket, finding: Finding) -> str:
    if ticket.status == "rejected":
        return wording.rejected(ticket.id, ticket.expires_at)
    first = finding.standing[0]
    return wording.waiting(
        first.id,
        first.text,
        first.rule.message,
        ticket=ticket.id,
        until=ticket.expires_at,
    )
