"""Ticket: one write that waits for a person, as the person sees and seals it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from abilities_host import CallError

Status = Literal["waiting", "approved", "rejected", "withdrawn"]


class TicketDamaged(CallError):
    """Somebody changed a ticket in the store, and not as it could be."""

    code = "ticket_damaged"

    def __init__(self) -> None:
        super().__init__("This ticket was changed in the store and cannot be read.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """One write that needs approval.

    Attributes:
        id: ``wr-001`` and so on, never given twice.
        binding: digest of actor, ability, arguments, targets, states and rules.
        actor: id of who asked.
        ability: what is to run.
        arguments: as JSON text with secrets hidden, the beginning of it.
        arguments_digest: of all of them, SHA-256 in hexadecimal.
        targets: the first of them, ``domain:name``.
        targets_count: how many there are.
        states_digest: of all states before, likewise.
        rules: ids of the guidance that wants it approved.
        asked_at: microseconds since 1970, UTC.
        expires_at: likewise; no use is made of it afterwards.
        status: what became of it.
        is_used: it let its one write through.
    """

    id: str
    binding: str
    actor: str
    ability: str
    arguments: str
    arguments_digest: str
    targets: tuple[str, ...]
    targets_count: int
    states_digest: str
    rules: tuple[str, ...]
    asked_at: int
    expires_at: int
    status: Status = "waiting"
    is_used: bool = False

    @property
    def canonical(self) -> bytes:
        """All that an approval is about, always in the same form."""
        content = {
            "id": self.id,
            "actor": self.actor,
            "ability": self.ability,
            "arguments": self.arguments,
            "targets": list(self.targets),
            "targets_count": self.targets_count,
            "guidance": list(self.rules),
            "asked_at": _written(self.asked_at),
            "expires_at": _written(self.expires_at),
            "arguments_digest": self.arguments_digest,
            "states_digest": self.states_digest,
            "binding": self.binding,
        }
        return json.dumps(content, indent=2, ensure_ascii=True).encode()


def ticket_of(row: Sequence[Any]) -> Ticket:
    """Read a row.

    Args:
        row: the columns of `tables.COLUMNS`.

    Returns:
        The ticket.

    Raises:
        TicketDamaged: when it holds what no ticket has.
    """
    try:
        ticket = _read(row)
        ticket.canonical  # noqa: B018 - fails if it cannot be written
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise TicketDamaged from error
    return ticket


def _read(row: Sequence[Any]) -> Ticket:
    return Ticket(
        id=row[0],
        binding=row[1],
        actor=row[2],
        ability=row[3],
        arguments=row[4],
        arguments_digest=row[5],
        targets=tuple(json.loads(row[6])),
        targets_count=row[7],
        states_digest=row[8],
        rules=tuple(json.loads(row[9])),
        asked_at=row[10],
        expires_at=row[11],
        status=row[12],
        is_used=row[13] is not None,
    )


def _written(micros: int) -> str:
    seconds, rest = divmod(micros, 1_000_000)
    at = datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest)
    return at.isoformat(timespec="microseconds")
