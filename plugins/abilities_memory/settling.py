"""Settling: the status of guidance, read and changed inside a transaction."""

from typing import Final

from abilities_host.memory import Action, Guidance, Happening, Status
from abilities_host.storage import Transaction
from abilities_memory import columns
from abilities_memory.canonical import canonical_guidance, hash_of
from abilities_memory.chronicle import note
from abilities_memory.refusals import UnknownGuidance
from abilities_memory.transitions import check_transition

FIND: Final = f"SELECT {columns.GUIDANCE} FROM memory_guidance WHERE id = :id"  # noqa: S608 - names of columns only
_STATUS: Final = """
    UPDATE memory_guidance SET status = :status, reviewed_by = :by, reviewed_at = :at
    WHERE id = :id
"""


def find(changing: Transaction, id_: str) -> Guidance:
    """Give guidance as it is in a transaction.

    Args:
        changing: the transaction.
        id_: such as ``gm-001``.

    Returns:
        What is kept.

    Raises:
        UnknownGuidance: when there is none of this id.
    """
    found = changing.execute(FIND, {"id": id_})
    if not found:
        raise UnknownGuidance
    return columns.guidance_of(found[0])


def settle(
    changing: Transaction,
    old: Guidance,
    status: Status,
    action: Action,
    *,
    by: str,
    at: int,
) -> None:
    """Change a status, and note who did.

    Args:
        changing: the transaction.
        old: as it is in it.
        status: the new one.
        action: what the history calls it.
        by: name of the account.
        at: microseconds since 1970.

    Raises:
        InvalidTransition: when this status cannot follow.
    """
    check_transition(old.id, old.status, status)
    values = {"id": old.id, "status": status, "by": by, "at": at}
    changing.execute(_STATUS, values)
    hash_ = hash_of(canonical_guidance(old))
    note(changing, Happening(at=at, by=by, action=action, about=old.id, hash=hash_))
