"""Digesting: what the record says of a session, beside what its agent says."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

from abilities_host import CallError, Target, run_in_thread
from abilities_host.ledger import Digest, Ledger, Listed, Query
from abilities_memory.moments import EPOCH, moment_of

PAGE: Final = 500
ENTRIES: Final = 2000
"""Entries that a narrative is compared with; the digest counts all."""

DIVERGENCES: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What an agent says of its session.

    Attributes:
        narrative: as it is kept.
        claims: ``action`` and ``target`` of what it says it did.
        actor: id of who called.
        session: of the call.
        start: microseconds since 1970, None for where the last summary ended.
        end: likewise, None for now; the time to come is not told.
        known: further targets that the narrative may mean.
    """

    narrative: str
    claims: Sequence[Mapping[str, Any]] = ()
    actor: str
    session: str
    start: int | None = None
    end: int | None = None
    known: Collection[Target] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the record has to compare with.

    Attributes:
        entries: of the span, by this actor in this session, oldest first.
        known: what else was changed lately, by anybody; it may be named too.
        is_cut: there are more entries than those.
    """

    entries: Sequence[Listed]
    known: Collection[Target]
    is_cut: bool


Compare = Callable[[Told, Recorded], Sequence[Mapping[str, Any]]]
"""Gives each place where what was told and recorded differ; pure, in a thread."""


class Before(NamedTuple):
    """What an actor told before.

    Attributes:
        end: of the last summary, None without one.
        entry: number of the last entry told of the same session, None for none.
    """

    end: int | None
    entry: int | None


class Span(NamedTuple):
    """From `start` up to, not including, `end`; microseconds since 1970."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What the record says.

    Attributes:
        digest: of all entries in the span; its `divergence` is also true where
            narrative and record differ.
        divergences: where they do, at most 200.
        is_partial: there are more entries or divergences than were looked at.
    """

    digest: Digest
    divergences: Sequence[Mapping[str, Any]]
    is_partial: bool


class BackwardSpan(CallError):
    """A session would end before it starts."""

    code = "memory_invalid_session"

    def __init__(self) -> None:
        super().__init__(
            "The session would end before it starts. Leave session_start and "
            "session_end out: the host knows both. A session does not start in the "
            "time to come."
        )


async def span_of(ledger: Ledger, told: Told, before: Before, now: int) -> Span:
    """Find out which span a summary is of.

    Without a start it is the end of the actor's last summary, or the first entry of
    this session that no summary tells, if that is earlier: sessions overlap, and a
    clock is set back.

    Args:
        ledger: the record.
        told: by the agent.
        before: what was told before.
        now: microseconds since 1970; whatever was recorded earlier can be read.

    Returns:
        The span, which may be empty.

    Raises:
        BackwardSpan: when it ends before it starts.
    """
    end = now if told.end is None else min(told.end, now)
    start = told.start
    if start is None:
        first = await _first_entry(ledger, told, before.entry, end)
        known = [at for at in (before.end, first) if at is not None]
        start = min([*known, end])
    if start > end:
        raise BackwardSpan
    return Span(start, end)


async def facts_of(ledger: Ledger, told: Told, span: Span, compare: Compare) -> Facts:
    """Read what changed in a span, by this actor in this session.

    Args:
        ledger: the record.
        told: by the agent; nothing of it gets into the counts.
        span: half open.
        compare: finds where both differ.

    Returns:
        Digest and divergences.
    """
    digest, recorded = await _read(ledger, told, span)
    found = await run_in_thread(partial(compare, told, recorded))
    flag = digest["divergence"] or bool(found)
    return Facts(
        Digest(**{**digest, "divergence": flag}),
        tuple(found[:DIVERGENCES]),
        recorded.is_cut or len(found) > DIVERGENCES,
    )


async def _first_entry(
    ledger: Ledger, told: Told, after: int | None, end: int
) -> int | None:
    window = await ledger.changes_in_window(
        EPOCH,
        moment_of(end),
        session=told.session,
        actor=told.actor,
        after=after,
        limit=1,
    )
    return window.entries[0].entry.at if window.entries else None


async def _read(ledger: Ledger, told: Told, span: Span) -> tuple[Digest, Recorded]:
    entries: list[Listed] = []
    while True:
        window = await ledger.changes_in_window(
            moment_of(span.start),
            moment_of(span.end),
            session=told.session,
            actor=told.actor,
            after=entries[-1].entry.seq if entries else None,
            limit=PAGE,
        )
        entries += window.entries
        if not window.is_cut or len(entries) >= ENTRIES:
            break
    known = await _known(ledger)
    return window.digest, Recorded(entries, known, window.is_cut)


async def _known(ledger: Ledger) -> frozenset[Target]:
    """Say what a narrative may name that is not of its session: that is the lie."""
    page = await ledger.list_changes(Query(limit=PAGE))
    entries = (each.entry for each in page.entries)
    return frozenset(
        Target(each.domain, each.target) for each in entries if each.domain
    )
