"""Kind: guidance as the human gate sees it; without a seal it changes nothing."""

from typing import Any, Final

from abilities_host.storage import Store, Transaction
from abilities_memory import columns
from abilities_memory.canonical import canonical_guidance
from abilities_memory.refusals import InvalidTransition
from abilities_memory.settling import find, settle
from abilities_memory.topics import ensure_topic

_EFFECTIVE: Final = f"""
    SELECT {columns.GUIDANCE} FROM memory_guidance
    WHERE status = 'approved' ORDER BY number
"""  # noqa: S608 - names of columns only


class GuidanceKind:
    """What the gate is told of guidance.

    Only the gate calls this. A row that something else sets to approved has no seal,
    and whoever reads guidance takes only what the gate finds sealed.

    Args:
        store: with the tables of this pack.
    """

    name = "guidance"

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    def canonical(self, changing: Transaction, id_: str) -> bytes:
        """Give all that guidance says; raises UnknownGuidance without it."""
        return canonical_guidance(find(changing, id_))

    def approve(
        self, changing: Transaction, id_: str, *, by: str, at: int
    ) -> tuple[str, ...]:
        """Approve guidance, make its topic, and archive what it supersedes.

        Args:
            changing: in which the seal is stored too.
            id_: of the guidance.
            by: name of the account.
            at: microseconds since 1970.

        Returns:
            Ids that were approved until now and no longer are.

        Raises:
            UnknownGuidance: when there is none of this id.
            InvalidTransition: when it is not pending.
        """
        new = find(changing, id_)
        settle(changing, new, "approved", "approved", by=by, at=at)
        ensure_topic(changing, new.topic, by=by, at=at)
        if not new.supersedes:
            return ()
        old = find(changing, new.supersedes)
        if old.status != "approved":
            return ()
        settle(changing, old, "archived", "superseded", by=by, at=at)
        return (old.id,)

    def withdraw(self, changing: Transaction, id_: str, *, by: str, at: int) -> None:
        """Archive what was approved.

        Args:
            changing: in which the withdrawal is stored too.
            id_: of the guidance.
            by: name of the account.
            at: microseconds since 1970.

        Raises:
            UnknownGuidance: when there is none of this id.
            InvalidTransition: when it is not approved.
        """
        old = find(changing, id_)
        if old.status != "approved":
            raise InvalidTransition(id_, old.status, "withdrawn", ())
        settle(changing, old, "archived", "archived", by=by, at=at)

    async def effective(self) -> list[tuple[str, bytes]]:
        """Give every row that says it is approved, whoever set it so.

        Returns:
            Ids with what they say.

        Raises:
            StoreError: when they cannot be read.
        """
        return list(map(_entry, await self._store.read(_EFFECTIVE)))


def _entry(row: tuple[Any, ...]) -> tuple[str, bytes]:
    try:
        return row[0], canonical_guidance(columns.guidance_of(row))
    except (ValueError, TypeError, AttributeError):
        # No seal fits, so a row that somebody damaged is an alarm and hides no other.
        return row[0], b""
