"""Patterns: what goes wrong again and again, among what was seen in the record."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal

Happened = Literal["rolled back", "vetoed", "failed", "divergent"]

SESSIONS: Final = 3
"""In how many sessions something has to happen to be a pattern."""

GROWTH: Final = 2
"""How many times as many sessions bring back what a person set aside."""

ENTRIES: Final = 8
"""How many entries of the record a pattern names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One thing that went wrong once.

    Attributes:
        entry: number of the entry that shows it.
        at: microseconds since 1970.
        session: in which it was done.
        domain: of the target, empty when there is none.
        action: what was done to the target: ``created``, ``updated`` or ``deleted``;
            where nothing changed, name of the ability that tried.
        kind: of target, see `kind_of`; empty when nobody knows which it was.
        happened: what came of it.
        count: how often, since some entries stand for several.
    """

    entry: int
    at: int
    session: str
    domain: str
    action: str
    kind: str
    happened: Happened
    count: int = 1

    @property
    def pattern(self) -> str:
        """Fingerprint of the pattern that it is of: 64 hexadecimal digits."""
        parts = [self.domain, self.action, self.kind, self.happened]
        return sha256(json.dumps(parts).encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """What went wrong in several sessions.

    Attributes:
        fingerprint: the same for the same domain, action, kind and happening.
        domain: of the targets, empty when there is none.
        action: as in `Seen`.
        kind: of target.
        happened: what came of it.
        sessions: each once, the earliest first.
        count: how often.
        first: microseconds since 1970.
        last: likewise.
        entries: the first one of each session, of the last eight.
    """

    fingerprint: str
    domain: str
    action: str
    kind: str
    happened: Happened
    sessions: tuple[str, ...]
    count: int
    first: int
    last: int
    entries: tuple[int, ...]


def find_patterns(happened: Iterable[Seen], *, least: int = SESSIONS) -> list[Pattern]:
    """Find what happened in several sessions.

    The answer is the same in whatever order it was seen, and seeing the same thing
    twice counts once.

    Args:
        happened: what was seen; what has no session counts for nothing.
        least: in how many sessions.

    Returns:
        One of each, that of the most sessions first.
    """
    groups: dict[str, list[Seen]] = {}
    for each in sorted(set(happened), key=_order):
        if each.session:
            groups.setdefault(each.pattern, []).append(each)
    patterns = [_pattern_of(print_, group) for print_, group in groups.items()]
    often = [each for each in patterns if len(each.sessions) >= least]
    return sorted(often, key=lambda each: (-len(each.sessions), each.fingerprint))


def _order(seen: Seen) -> tuple[int, int, str, int]:
    return seen.entry, seen.at, seen.session, seen.count


def _pattern_of(fingerprint: str, group: Sequence[Seen]) -> Pattern:
    one = group[0]
    firsts: dict[str, int] = {}
    for each in group:
        firsts.setdefault(each.session, each.entry)
    return Pattern(
        fingerprint=fingerprint,
        domain=one.domain,
        action=one.action,
        kind=one.kind,
        happened=one.happened,
        sessions=tuple(firsts),
        count=sum(each.count for each in group),
        first=min(each.at for each in group),
        last=max(each.at for each in group),
        entries=tuple(firsts.values())[-ENTRIES:],
    )
