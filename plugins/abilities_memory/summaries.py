"""Summaries: what agents told of their sessions, each with the facts beside it."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import orjson

from abilities_host import CallError
from abilities_host.ledger import Ledger
from abilities_host.memory import Summary
from abilities_host.storage import Statement, Store, Transaction
from abilities_memory import summary_tables as tables
from abilities_memory.comparing import differences
from abilities_memory.digesting import (
    Before,
    Compare,
    Facts,
    Span,
    Told,
    facts_of,
    span_of,
)
from abilities_memory.moments import DAY
from abilities_memory.wording import clean

KEEP_DAYS: Final = 365
PER_ACTOR: Final = 2000
RECENT: Final = 100
TRIES: Final = 50
PAGE: Final = 100
BATCH: Final = 1000
BATCHES: Final = 20  # at once; the next run goes on

_PREFIX: Final = "ss-"
_DIGITS: Final = 18


class TooManySummaries(CallError):
    """An actor has as many summaries as are kept of one."""

    code = "memory_too_many_summaries"

    def __init__(self) -> None:
        super().__init__(
            f"{PER_ACTOR} summaries of this actor are kept already, each for "
            f"{KEEP_DAYS} days. Nothing was stored; save one at the end of a session.",
            limit=PER_ACTOR,
        )


class SummariesBusy(CallError):
    """Other summaries of the same actor came in between, again and again."""

    code = "memory_busy"

    def __init__(self) -> None:
        super().__init__(
            "Other summaries of this actor are being saved. Nothing was stored; save "
            "it again."
        )


class _ToldMeanwhile(Exception):
    """Another summary of the actor was stored after the span was found."""


class Summaries:
    """The summaries of one store.

    Args:
        store: also that of the record; `migrate` comes first.
        compare: finds where narrative and record differ.
        clock: microseconds since 1970.
    """

    def __init__(
        self,
        store: Store,
        *,
        compare: Compare = differences,
        clock: Callable[[], int] = lambda: time.time_ns() // 1000,
    ) -> None:
        self._store: Final = store
        self._compare: Final = compare
        self._clock: Final = clock
        self._turn: Final = asyncio.Lock()

    async def migrate(self) -> None:
        """Make the tables, or bring them up to date; raises StoreError."""
        await self._store.migrate(tables.OWNER, tables.MIGRATIONS)

    async def save(self, told: Told, ledger: Ledger) -> Summary:
        """Store what an agent tells, with the facts that the host reads itself.

        Args:
            told: by the agent; actor and session from the call.
            ledger: the record.

        Returns:
            What was stored, durable.

        Raises:
            UnsuitableWording: when the narrative cannot be taken.
            UnknownClaim: when a stated claim has no known action or target.
            BackwardSpan: when the session would end before it starts.
            TooManySummaries: when the actor has 2,000.
            SummariesBusy: when other processes store summaries of the actor all the
                time.
            StoreError: when nothing could be stored.
        """
        told = replace(told, narrative=clean("narrative", told.narrative))
        async with self._turn:
            for _ in range(TRIES):
                try:
                    return await self._try_save(told, ledger)
                except _ToldMeanwhile:
                    continue
        raise SummariesBusy

    async def recent(self, actor: str | None, limit: int) -> tuple[Summary, ...]:
        """Give the summaries whose sessions ended last.

        Args:
            actor: whose; None for everybody's.
            limit: 0 to 100.

        Returns:
            The newest first; of two that ended together the later id.
        """
        values = {"limit": min(max(limit, 0), RECENT)}
        if actor is None:
            return await self._read(tables.RECENT, values)
        return await self._read(tables.RECENT_OF, {**values, "actor": actor})

    async def count(self, actor: str | None) -> int:
        """Say how many summaries there are, of one actor or of all."""
        sql = tables.COUNT if actor is None else tables.COUNT_OF
        values = {} if actor is None else {"actor": actor}
        [(count,)] = await self._store.read(sql, values)
        return int(count)

    async def get(self, id_: str) -> Summary | None:
        """Give one summary, None when there is none of this id."""
        digits = id_.removeprefix(_PREFIX)
        is_number = digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS
        if not is_number or id_of(int(digits)) != id_:
            return None
        found = await self._read(tables.FIND, {"number": int(digits)})
        return found[0] if found else None

    async def every(self) -> AsyncIterator[Summary]:
        """Give all summaries by id, for an export."""
        after = 0
        while page := await self._read(tables.AFTER, {"after": after, "limit": PAGE}):
            for summary in page:
                yield summary
            after = int(page[-1].id.removeprefix(_PREFIX))

    async def prune(self, *, is_dry_run: bool = False) -> int:
        """Remove summaries that were saved more than 365 days ago.

        Args:
            is_dry_run: only count them.

        Returns:
            How many went, or would; at most 20,000 go at once.
        """
        values = {"until": self._clock() - KEEP_DAYS * DAY}
        if is_dry_run:
            [(count,)] = await self._store.read(tables.OLD, values)
            return int(count)
        removed = 0
        for _ in range(BATCHES):
            statement = Statement(tables.PRUNE, {**values, "limit": BATCH})
            [count] = await self._store.write([statement])
            removed += count
            if count < BATCH:
                break
        return removed

    async def _try_save(self, told: Told, ledger: Ledger) -> Summary:
        before, now = await self._store.transact(partial(self._look, told))
        span = await span_of(ledger, told, before, now)
        facts = await facts_of(ledger, told, span, self._compare)
        checked = before if told.start is None else None
        work = partial(_store, _row(told, span, facts, now), checked)
        return summary_of(await self._store.transact(work))

    def _look(self, told: Told, db: Transaction) -> tuple[Before, int]:
        # Nobody writes meanwhile: what is recorded before this moment can be read after
        # it, and what comes later has a later time.
        return _before(db, told.actor, told.session), self._clock()

    async def _read(self, sql: str, values: Mapping[str, Any]) -> tuple[Summary, ...]:
        return tuple(map(summary_of, await self._store.read(sql, values)))


def id_of(number: int) -> str:
    """Give the id of a summary, such as ``ss-0001``."""
    return f"{_PREFIX}{number:04}"


def summary_of(row: Sequence[Any]) -> Summary:
    """Make a summary of a row, with the columns of `summary_tables.COLUMNS`."""
    values = dict(zip(tables.COLUMNS, row, strict=True))
    return Summary(
        id=id_of(values["number"]),
        saved_at=values["saved_at"],
        start=values["session_start"],
        end=values["session_end"],
        narrative=values["narrative"],
        digest=orjson.loads(values["digest"]),
        divergences=orjson.loads(values["divergences"]),
        is_partial=bool(values["is_partial"]),
        agent=values["actor"],
        session=values["session"],
    )


def _before(db: Transaction, actor: str, session: str) -> Before:
    [row] = db.execute(tables.PREVIOUS, {"actor": actor, "session": session})
    return Before(*row)


def _row(told: Told, span: Span, facts: Facts, now: int) -> dict[str, Any]:
    return {
        "saved_at": now,
        "session_start": span.start,
        "session_end": span.end,
        "actor": told.actor,
        "session": told.session,
        "narrative": told.narrative,
        "digest": orjson.dumps(facts.digest).decode(),
        "divergences": orjson.dumps(facts.divergences).decode(),
        "is_partial": int(facts.is_partial),
        "last_entry": facts.digest["last"],
        "is_divergent": int(facts.digest["divergence"]),
    }


def _store(row: Mapping[str, Any], before: Before | None, db: Transaction) -> list[Any]:
    """Store a row under the next number, unless the actor told more meanwhile."""
    if before is not None and before != _before(db, row["actor"], row["session"]):
        raise _ToldMeanwhile
    [(count,)] = db.execute(tables.COUNT_OF, {"actor": row["actor"]})
    if count >= PER_ACTOR:
        raise TooManySummaries
    db.execute(tables.TAKE_NUMBER)
    [(number,)] = db.execute(tables.NUMBER)
    values = {**row, "number": number}
    db.execute(tables.INSERT, values)
    return [values[name] for name in tables.COLUMNS]
