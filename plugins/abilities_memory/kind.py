"""Kind: guidance as the human gate sees it; without a seal it changes nothing."""

import json
from functools import lru_cache
from typing import Any, Final

from abilities_host import run_in_thread
from abilities_host.gate import Waiting
from abilities_host.storage import Store, Transaction
from abilities_memory import columns
from abilities_memory.canonical import canonical_guidance
from abilities_memory.refusals import InvalidTransition
from abilities_memory.settling import find, settle
from abilities_memory.topics import ensure_topic
from abilities_memory.wording import shown

EFFECTIVE: Final = f"""
    SELECT {columns.GUIDANCE} FROM memory_guidance
    WHERE status = 'approved' ORDER BY number
"""  # noqa: S608 - names of columns only


REMEMBERED: Final = 20_000
"""Rows of which it is known what they say; the same are looked at every minute."""

_WAITING: Final = """
    SELECT id, type, text, proposed_by, proposed_at FROM memory_guidance
    WHERE status = 'pending' ORDER BY number LIMIT 200
"""
_COUNT: Final = "SELECT count(*) FROM memory_guidance WHERE status = 'pending'"


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

    def reject(self, changing: Transaction, id_: str, *, by: str, at: int) -> None:
        """Say no to what is pending; see `withdraw`."""
        old = find(changing, id_)
        if old.status != "pending":
            raise InvalidTransition(id_, old.status, "rejected", ())
        settle(changing, old, "rejected", "rejected", by=by, at=at)

    def binds(self, canonical: bytes) -> bool:
        """Say whether there is a rule in it; what cannot be read may have had one."""
        try:
            return json.loads(canonical)["rule"] is not None
        except (ValueError, KeyError, TypeError):
            return True

    async def waiting(self) -> list[Waiting]:
        """Give what is pending, oldest first, at most 200; raises StoreError."""
        rows = await self._store.read(_WAITING)
        return [
            Waiting(id_, f"{type_}: {' '.join(shown(text).split())}", shown(by), at)
            for id_, type_, text, by, at in rows
        ]

    async def count(self) -> int:
        """Count what is pending; raises StoreError."""
        return int((await self._store.read(_COUNT))[0][0])

    async def effective(self) -> list[tuple[str, bytes]]:
        """Give every row that says it is approved, whoever set it so.

        Returns:
            Ids with what they say.

        Raises:
            StoreError: when they cannot be read.
        """
        rows = await self._store.read(EFFECTIVE)
        # Ten thousand take a second, in which nobody else would be answered.
        return await run_in_thread(lambda: list(map(entry_of, rows)))


@lru_cache(maxsize=REMEMBERED)
def entry_of(row: tuple[Any, ...]) -> tuple[str, bytes]:
    """Give the id of a row and what it says, as it would be sealed.

    Args:
        row: the columns of `columns.GUIDANCE`.

    Returns:
        Id and canonical bytes, which are empty for a row that somebody damaged.
    """
    try:
        return row[0], canonical_guidance(columns.guidance_of(row))
    except (ValueError, TypeError, AttributeError):
        # No seal fits, so a row that somebody damaged is an alarm and hides no other.
        return row[0], b""
