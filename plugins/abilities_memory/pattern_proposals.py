"""Pattern proposals: what the record shows again and again, for a human to judge."""

import logging
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple

from abilities_host import Site, run_in_thread
from abilities_host.ledger import Ledger
from abilities_host.memory import Guidance, Proposal, Scope, Type
from abilities_host.storage import Transaction
from abilities_memory import pattern_tables as tables
from abilities_memory.cleaning import cleaned
from abilities_memory.evidence import Evidence, domain_of
from abilities_memory.moments import moment_of
from abilities_memory.patterns import (
    GROWTH,
    SESSIONS,
    Happened,
    Pattern,
    find_patterns,
)
from abilities_memory.proposing import propose
from abilities_memory.refusals import TooManyPending, UnsuitableWording
from abilities_memory.shelf import now_micros
from abilities_memory.sightings import Sightings
from abilities_memory.wording import LIMITS

log = logging.getLogger(__name__)

BY: Final = "host"
PROPOSALS: Final = 20
ENTRIES: Final = 20_000
AT_ONCE: Final = 500
SECONDS: Final = 20.0  # a job is stopped after 60

_NAMED: Final = 3  # entries that a text names
_SHOWN: Final = 5  # sessions that a rationale names
_NOT_OF_A_SESSION: Final = re.compile(r"[^A-Za-z0-9._-]")
_SESSION: Final = 12


class _Wording(NamedTuple):
    """What is proposed for one kind of happening."""

    type: Type
    text: str


_WORDINGS: Final[Mapping[Happened, _Wording]] = MappingProxyType(
    {
        "rolled back": _Wording(
            "guardrail",
            "{what} was rolled back in {where}. Ask a person before doing "
            "the same again.",
        ),
        "vetoed": _Wording(
            "guardrail",
            "{what} was vetoed in {where}. Ask a person what is allowed "
            "before trying the same again.",
        ),
        "failed": _Wording(
            "convention",
            "{what} failed in {where}. Find out why before trying the same again.",
        ),
        "divergent": _Wording(
            "convention",
            "{what} was in fact not what its run said, in {where}. Read "
            "the result before saying that it is done.",
        ),
    }
)


class PatternFinder:
    """Finds what goes wrong again and again, and proposes guidance for it once.

    Args:
        site: the host, as this pack may use it.
        clock: microseconds since 1970.
        entries: how many of the record one run reads.
        proposals: how many one run makes.
    """

    def __init__(
        self,
        site: Site,
        *,
        clock: Callable[[], int] = now_micros,
        entries: int = ENTRIES,
        proposals: int = PROPOSALS,
    ) -> None:
        self._site: Final = site
        self._clock: Final = clock
        self._entries: Final = entries
        self._proposals: Final = proposals
        self._sightings: Final = Sightings(site.store)

    async def migrate(self) -> None:
        """Make the tables, after those of guidance; raises StoreError."""
        await self._site.store.migrate(tables.OWNER, tables.MIGRATIONS)

    async def propose(self) -> tuple[Guidance, ...]:
        """Read what is new in the record, and propose what makes a pattern by now.

        Returns:
            What was proposed, at most 20; nothing while nobody keeps a record. What
            finds no place among 200 that wait is proposed by a later run.

        Raises:
            StoreError: when the record cannot be read, or nothing can be stored.
        """
        try:
            ledger = self._site.find(Ledger)
        except LookupError:
            return ()
        await self._read(ledger)
        seen = await self._sightings.often(SESSIONS)
        patterns = await run_in_thread(partial(find_patterns, seen))
        made: list[Guidance] = []
        for pattern in patterns:
            if len(made) == self._proposals or not await self._add(pattern, made):
                break
        return tuple(made)

    async def _read(self, ledger: Ledger) -> None:
        evidence = Evidence(ledger, partial(domain_of, self._site))
        after = await self._sightings.last()
        left, ends = self._entries, time.monotonic() + SECONDS
        while left > 0 and time.monotonic() < ends:
            part = await evidence.read(after, min(left, AT_ONCE))
            if part.last == after:
                return
            if not await self._sightings.keep(after, part, now=self._clock()):
                return  # another process reads on
            if part.is_end:
                return
            left, after = left - AT_ONCE, part.last

    async def _add(self, pattern: Pattern, made: list[Guidance]) -> bool:
        """Propose one; False when there is no place for any other."""
        try:
            proposal = cleaned(proposal_of(pattern))
            work = partial(_propose, pattern, proposal, self._clock())
            kept = await self._site.store.transact(work)
        except UnsuitableWording as error:
            log.warning("a pattern of %r cannot be told: %s", pattern.domain, error)
            return True
        except TooManyPending as error:
            log.warning("patterns wait: %s", error)
            return False
        made += [kept] if kept else []
        return True


def proposal_of(pattern: Pattern) -> Proposal:
    """Say what is proposed for a pattern.

    It is advice: it has no rule, and a person who wants one writes it.

    Args:
        pattern: found in the record.

    Returns:
        Guardrail or convention, with the evidence as its rationale.
    """
    wording = _WORDINGS[pattern.happened]
    target = f"{pattern.domain}:{pattern.kind or '*'}" if pattern.domain else ""
    topic = (pattern.domain or pattern.action.partition("/")[0])[: LIMITS["topic"]]
    what = _what(pattern, target)
    return Proposal(
        type=wording.type,
        topic=topic,
        text=wording.text.format(what=what, where=_where(pattern)),
        rationale=_rationale(pattern),
        recall=(topic,),
        scope=Scope(site_wide=False, target=target),
    )


def _what(pattern: Pattern, target: str) -> str:
    is_ability = "/" in pattern.action
    if not is_ability:
        return f"A change that {pattern.action} {target}"
    return f"{pattern.action} ({target})" if target else pattern.action


def _where(pattern: Pattern) -> str:
    # Without numbers, texts about different kinds of target would seem the same.
    some = ", ".join(map(str, pattern.entries[-_NAMED:]))
    return f"{len(pattern.sessions)} sessions (entries {some})"


def _rationale(pattern: Pattern) -> str:
    first, last = (f"{moment_of(at):%Y-%m-%d}" for at in (pattern.first, pattern.last))
    entries = ", ".join(map(str, pattern.entries))
    sessions = [_NOT_OF_A_SESSION.sub("", each) for each in pattern.sessions]
    shown = ", ".join(each[:_SESSION] for each in sessions[-_SHOWN:] if each)
    return (
        f"By the record, {pattern.count} times from {first} to {last}, in "
        f"{len(pattern.sessions)} sessions such as {shown or 'unnamed ones'}; see "
        f"entries {entries}. It is advice: to have it enforced, add a rule."
    )


def _propose(
    pattern: Pattern, proposal: Proposal, at: int, db: Transaction
) -> Guidance | None:
    """Propose unless guidance stands for it: fingerprint and row, both or none."""
    values = {"pattern": pattern.fingerprint, "sessions": len(pattern.sessions)}
    told = db.execute(tables.TOLD, {**values, "growth": GROWTH})
    for earlier, is_due_again in told:
        if not is_due_again:
            return None
        proposal = replace(proposal, supersedes=earlier)
    kept = propose(
        db, proposal=proposal, by=BY, source="session_summary_derived", at=at
    )
    db.execute(tables.TELL, {**values, "guidance": kept.id})
    return kept
