"""Upkeep: what verifying, forgetting and pruning the record answer."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["intact", "unanchored", "restored", "removed", "broken"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Whether the record is as it was written.

    Attributes:
        verdict: intact; intact but unanchored since `at`; restored from `at`; intact
            but content was removed on purpose; broken at `at`.
        at: number of the entry the verdict speaks of, None for intact.
        entries: how many were read.
        first: number of the oldest entry.
        head: number of the newest entry, 0 when there is none.
        notes: more sentences, such as who removed what; each stands for itself.
        sentence: the verdict in words, with what to do.
    """

    verdict: Verdict
    at: int | None
    entries: int
    first: int
    head: int
    sentence: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was removed from the record for good.

    Attributes:
        seq: the entry.
        contents: how many states and arguments went.
        shared: numbers of other entries that had the same content and lost it too.
    """

    seq: int
    contents: int
    shared: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What retention removed.

    Attributes:
        entries: how many.
        through: number of the newest one removed, None when none was.
        bytes: of states.
    """

    entries: int
    through: int | None
    bytes: int
