"""Service: the record as commands, pages, other packs and our abilities use it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

import orjson

from abilities_host import Ability, Site, masked
from abilities_host.ledger import (
    Entry,
    Forgotten,
    Kind,
    Listed,
    Page,
    Progress,
    Pruned,
    Query,
    ShownStates,
    Verification,
    Window,
)
from abilities_ledger.anchor import Anchor, AnchorBroken
from abilities_ledger.book import Book
from abilities_ledger.diff import Diffs
from abilities_ledger.draft import Draft, Whose
from abilities_ledger.evaluate import Evaluator
from abilities_ledger.export import export
from abilities_ledger.forget import forget
from abilities_ledger.history import History
from abilities_ledger.retention import Retention
from abilities_ledger.verify import verify
from abilities_ledger.window import Windows

NOTED: Final[frozenset[Kind]] = frozenset({"review", "setting", "access", "restore"})
NOTE_BYTES: Final = 65_536
JOB_SECONDS: Final = 30.0  # a job is stopped after 60

_INTENT: Final = "WHERE call = :call AND kind = 'intent' ORDER BY seq LIMIT 1"

_EVALUATIONS: Final = (
    "WHERE call = :call AND kind = 'evaluation' ORDER BY seq DESC LIMIT 20"
)


class LedgerService:
    """The record of one host; a `Ledger`.

    Args:
        site: the host, as this pack may use it.
        book: the entries.
        anchor: the file outside the store that the head is compared with.
        retention: the limits of the record.
    """

    def __init__(
        self, site: Site, book: Book, *, anchor: Anchor, retention: Retention
    ) -> None:
        self._site: Final = site
        self._book: Final = book
        self._anchor: Final = anchor
        self._retention: Final = retention
        self._history: Final = History(book)
        self._windows: Final = Windows(book)
        self._diffs: Final = Diffs(site.get_domain, book)
        self._evaluator: Final = Evaluator(site.evaluate, book)

    # --- reading --------------------------------------------------------------

    async def list_changes(self, query: Query) -> Page:
        """Give what was done, newest first; see `Ledger.list_changes`.

        The target may be spelt in any way that its domain understands.
        """
        return await self._history.list_changes(self._spelt(query))

    async def get_change(self, seq: int) -> Listed | None:
        """Give one change or outcome; see `Ledger.get_change`."""
        return await self._history.get_change(seq)

    async def get_entry(self, seq: int) -> Entry | None:
        """Give an entry of any kind; see `Ledger.get_entry`."""
        return await self._history.get_entry(seq)

    async def newest_of(self, domain: str, limit: int) -> Sequence[Entry]:
        """Give the newest changes of a domain; see `Ledger.newest_of`."""
        return await self._history.newest_of(domain, limit)

    async def diff(self, seq: int) -> Mapping[str, Any]:
        """Compare the states before and after a change; see `Ledger.diff`."""
        return await self._diffs.diff(seq)

    async def states(self, seq: int) -> ShownStates | None:
        """Give both states of a change; see `Ledger.states`."""
        return await self._diffs.states(seq)

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
        """Give what changed in a window of time; see `Ledger.changes_in_window`."""
        return await self._windows.changes_in_window(
            start, end, session=session, actor=actor, after=after, limit=limit
        )

    def export(self, after: int = 0) -> AsyncIterator[Mapping[str, Any]]:
        """Give every entry, oldest first; see `Ledger.export`."""
        return export(self._book, after)

    async def original_of(self, entry: Entry) -> Ability | None:
        """Give the ability whose scope an entry's states need.

        Args:
            entry: any of a run.

        Returns:
            What ran; for an undo what made the change that was undone. None when it is
            gone.
        """
        intents = await self._book.select(_INTENT, {"call": entry.call})
        original = intents[0].details.get("original") if intents else ""
        return self._site.find_ability(original or entry.ability)

    async def evaluations_of(self, entry: Entry) -> list[Entry]:
        """Give who judged an entry's run, newest first; the first one counts."""
        return await self._book.select(_EVALUATIONS, {"call": entry.call})

    # --- adding ---------------------------------------------------------------

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
        """Record something that no ability did; see `Ledger.note`.

        It is not listed, since nothing of it can be undone; an export has it.

        Raises:
            ValueError: when the host alone adds entries of this kind, or it is too
                large.
        """
        if kind not in NOTED:
            msg = f"an entry of kind {kind!r} is none of {', '.join(sorted(NOTED))}"
            raise ValueError(msg)
        said = masked(dict(details or {}))
        if kind == "restore":  # the store that is gone cannot say how far it was
            said["anchor"] = await self._anchored()
        draft = Draft(
            kind=kind,
            whose=Whose(actor=actor, session=session),
            action=action,
            target=target,
            details=said,
        )
        _check_size(draft)
        [seq] = await self._book.append([draft])
        return seq

    async def _anchored(self) -> Mapping[str, Any] | None:
        try:
            seen = await self._anchor.read()
        except (OSError, AnchorBroken):
            return None
        return seen and {**seen._asdict(), "hash": seen.hash.hex()}

    async def evaluate(self, progress: Progress | None = None) -> Mapping[str, int]:
        """Have every write judged that nobody has judged; see `Ledger.evaluate`."""
        return await self._evaluator.evaluate(progress)

    # --- upkeep ---------------------------------------------------------------

    async def verify(self, progress: Progress | None = None) -> Verification:
        """Read the whole record and say whether it is whole; see `Ledger.verify`."""
        return await verify(self._book, self._anchor, progress)

    async def forget(self, seq: int, *, by: str) -> Forgotten:
        """Remove the contents of an entry's call for good; see `Ledger.forget`."""
        return await forget(self._book, seq, by=by)

    async def prune(self, *, by: str, is_dry_run: bool = False) -> Pruned:
        """Remove what the limits no longer keep; see `Ledger.prune`."""
        return await self._retention.prune(by=by, is_dry_run=is_dry_run)

    async def keep_limits(self) -> None:
        """Remove what the limits no longer keep, as a job of the host."""
        await self._retention.prune(by="host", is_dry_run=False)

    async def keep_evaluated(self) -> None:
        """Have new writes judged, as a job of the host: some at a time."""
        await self._evaluator.go_on(seconds=JOB_SECONDS)

    def _spelt(self, query: Query) -> Query:
        if query.domain is None or query.target is None:
            return query
        try:
            domain = self._site.get_domain(query.domain)
            return replace(query, target=domain.canonical(query.target))
        except (LookupError, ValueError):
            return query  # a domain that is gone still has its entries


def _check_size(draft: Draft) -> None:
    text = draft.action + draft.target + draft.whose.actor + draft.whose.session
    size = len(text) + len(orjson.dumps(dict(draft.details)))
    if size > NOTE_BYTES:
        msg = f"a note has {size} bytes; {NOTE_BYTES} are kept"
        raise ValueError(msg)
