"""Refusals: denials and vetoes, counted so that repeating them fills nothing."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Final

from abilities_host import Call, Outcome
from abilities_ledger.book import Book
from abilities_ledger.draft import Draft, Whose, of_call

log = logging.getLogger(__name__)

MINUTE: Final = 60.0
ACTORS: Final = 1000
BATCH: Final = 500  # entries in one transaction
_OTHERS: Final = "(others)"

_Key = tuple[str, Hashable]
"""Who was refused, and what; either may be all the others."""


@dataclass(slots=True)
class _Count:
    """Refusals of one kind in one minute, after the first."""

    draft: Draft
    more: int = 0


class Refusals:
    """The first refusal of its kind is an entry at once, the others of a minute one.

    What is only counted is lost when the process dies within that minute.

    Args:
        book: where entries go.
        per_minute: different kinds of one actor; beyond that they are counted as one.
        clock: seconds, growing.
    """

    def __init__(
        self,
        book: Book,
        *,
        per_minute: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._book: Final = book
        self._per_minute: Final = per_minute
        self._clock: Final = clock
        self._began = clock()
        self._counts: dict[_Key, _Count] = {}
        self._kinds: Counter[str] = Counter()

    async def note(self, call: Call, outcome: Outcome) -> None:
        """Record or count one refusal.

        Args:
            call: the run.
            outcome: why it was refused.

        Raises:
            StoreError: when it could not be stored; it is counted then.
        """
        draft = _draft(call, outcome)
        key = self._key(draft)
        if key in self._counts:
            self._counts[key].more += 1
            return
        self._keep([(key, _Count(draft))])
        try:
            await self._book.append([draft])
        except BaseException:
            self._keep([(key, _Count(draft, more=1))])
            raise

    async def flush_if_due(self) -> None:
        """Begin a new minute if this one is over."""
        if self._clock() - self._began >= MINUTE:
            await self.flush()

    async def flush(self) -> None:
        """Record what was counted, and begin a new minute.

        What cannot be stored is kept for the next one; why is in the log.
        """
        try:
            await self._flush()
        except Exception:  # the host goes on, and stops, whatever the store says
            log.exception("counted refusals cannot be recorded now")

    async def _flush(self) -> None:
        counts = [each for each in self._counts.items() if each[1].more]
        self._counts, self._kinds = {}, Counter()
        self._began = self._clock()
        while counts:
            drafts = [_counted(key, count) for key, count in counts[:BATCH]]
            storing = asyncio.ensure_future(self._book.append(drafts))
            try:
                await asyncio.shield(storing)
            except BaseException:
                await asyncio.wait([storing])  # who is cancelled counts nothing twice
                self._keep(counts if storing.exception() else counts[BATCH:])
                raise
            counts = counts[BATCH:]

    def _keep(self, counts: Iterable[tuple[_Key, _Count]]) -> None:
        """Add what could not be stored to what was counted since."""
        for key, count in counts:
            if key in self._counts:
                self._counts[key].more += count.more
            else:
                self._counts[key] = count
                self._kinds[key[0]] += 1

    def _key(self, draft: Draft) -> _Key:
        """Say what it is counted with; the number of keys is bounded."""
        actor = draft.whose.actor
        if actor not in self._kinds and len(self._kinds) >= ACTORS:
            actor = _OTHERS
        details = draft.details
        what = (details["plugin"], details["rule"], details["reason"])
        key = (actor, (draft.whose.ability, draft.action, *what))
        if key not in self._counts and self._kinds[actor] >= self._per_minute:
            return actor, _OTHERS
        return key


def _draft(call: Call, outcome: Outcome) -> Draft:
    error = outcome.error
    details = error.details if error else {}
    return Draft(
        kind="veto" if outcome.code == "write_vetoed" else "denial",
        whose=of_call(call),
        action=outcome.code,
        details={
            "actor_kind": call.actor.kind,
            "client": call.client,
            "server": call.server,
            "via": call.via,
            "plugin": str(details.get("plugin", "")),
            "rule": str(details.get("rule", "")),
            "reason": (error.message if error else "")[:400],
            "count": 1,
        },
    )


def _counted(key: _Key, count: _Count) -> Draft:
    actor, what = key
    if what == _OTHERS:
        details = {"count": count.more}
        return Draft(
            kind="denial", whose=Whose(actor=actor), action="several", details=details
        )
    draft = count.draft
    session = "" if actor == _OTHERS else draft.whose.session
    return Draft(
        kind=draft.kind,
        whose=Whose(actor=actor, session=session, ability=draft.whose.ability),
        action=draft.action,
        details={**draft.details, "count": count.more},
    )
