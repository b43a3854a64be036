"""Ledger: what a pack that keeps the record offers to commands, pages and packs."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from abilities_host.ledger.digest import Window
from abilities_host.ledger.entry import Entry, Kind, Listed, Page, Query
from abilities_host.ledger.shown import ShownStates
from abilities_host.ledger.upkeep import Forgotten, Pruned, Verification

Progress = Callable[[int, int], None]
"""Told how many entries are done, and of how many."""


class Ledger(Protocol):
    """The record of writes; found with ``services.find(Ledger)``."""

    async def list_changes(self, query: Query) -> Page:
        """Give what was done, newest first.

        Args:
            query: which entries.

        Returns:
            A page of changes, and of outcomes that have none.
        """
        ...

    async def get_change(self, seq: int) -> Listed | None:
        """Give one change or outcome, None when there is none of this number."""
        ...

    async def get_entry(self, seq: int) -> Entry | None:
        """Give an entry of any kind, None when there is none of this number."""
        ...

    async def diff(self, seq: int) -> Mapping[str, Any]:
        """Compare the states before and after a change, for reading.

        Args:
            seq: number of a change.

        Returns:
            ``kind`` (text, json, binary, none), ``text``, ``before_bytes``,
            ``after_bytes``, ``is_cut`` and ``note``.

        Raises:
            LookupError: when there is no such change.
        """
        ...

    async def newest_of(self, domain: str, limit: int) -> Sequence[Entry]:
        """Give the newest changes of a domain, by their names only.

        Args:
            domain: of the targets.
            limit: how many, 1 to 10,000.

        Returns:
            Newest first; each with number, time, kind, actor, ability, target and
            action, and with nothing else that it has.
        """
        ...

    async def states(self, seq: int) -> ShownStates | None:
        """Give both states of a change, as a person reads them.

        Whoever shows them hides what is secret with `abilities_host.masked`.

        Args:
            seq: number of a change.

        Returns:
            None when only digests are kept, or they cannot be shown.

        Raises:
            LookupError: when there is no such change.
        """
        ...

    async def changes_in_window(
        self,
        start: datetime,
        end: datetime,
        *,
        session: str | None = None,
        actor: str | None = None,
        after: int | None = None,
        limit: int = 200,
    ) -> Window:
        """Give what changed from `start` up to, not including, `end`.

        Args:
            start: with a time zone.
            end: with a time zone.
            session: of the calls; None for any.
            actor: id of who called; None for any.
            after: only entries with a greater number.
            limit: how many entries to give; the digest counts all.

        Returns:
            Entries and digest.

        Raises:
            ValueError: when a time has no zone, or `end` is before `start`.
        """
        ...

    async def note(
        self,
        kind: Kind,
        *,
        actor: str,
        action: str,
        target: str = "",
        session: str = "",
        details: Mapping[str, Any] | None = None,
    ) -> int:
        """Record something that no ability did, such as a review or a restored store.

        Args:
            kind: review, setting, access or restore.
            actor: who did it.
            action: one word.
            target: what it was done to.
            session: of whoever did it.
            details: JSON values; no secrets.

        Returns:
            The number of the entry, durable. It can never be rolled back.
        """
        ...

    async def verify(self, progress: Progress | None = None) -> Verification:
        """Read the whole record and say whether it is as it was written."""
        ...

    async def evaluate(self, progress: Progress | None = None) -> Mapping[str, int]:
        """Have every write judged that nobody has judged yet.

        Args:
            progress: told how far it is.

        Returns:
            Verdict to number of new evaluations, with ``divergences`` for all.
        """
        ...

    def export(self, after: int = 0) -> AsyncIterator[Mapping[str, Any]]:
        """Give every entry from `after` on, oldest first, as JSON values."""
        ...

    async def forget(self, seq: int, *, by: str) -> Forgotten:
        """Remove the states and arguments of an entry's call for good.

        Args:
            seq: any entry of the call.
            by: the person's account.

        Returns:
            What went; digests, chain and a mark stay.

        Raises:
            LookupError: when there is no such entry.
        """
        ...

    async def prune(self, *, by: str, is_dry_run: bool = False) -> Pruned:
        """Remove what the limits no longer keep; never a change younger than 7 days.

        Args:
            by: who asked, or ``host``.
            is_dry_run: only say what would go.

        Returns:
            What went.
        """
        ...
