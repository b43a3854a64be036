"""Digest: what really changed in a window of time, counted from the record."""

from dataclasses import dataclass
from typing import TypedDict

from abilities_host.ledger.entry import Listed


class Digest(TypedDict):
    """What the host attaches to a summary; nobody else can write it.

    Attributes:
        source: always ``change_ledger``.
        entries_count: how many changes, undone ones and dry runs left out.
        by_domain: domain to number of changes.
        by_action: ``domain.action`` to number of changes.
        targets: each once, spelt ``domain:name``, sorted; at most 200.
        targets_count: how many there are in all.
        divergence: whether a verified result differs from what the run said.
        divergences: how many do.
        rolled_back: how many changes in the window were undone since.
        unknown: how many runs have an end that nobody knows.
        first: number of the first entry, None when there is none.
        last: number of the last one.
        actors: who changed something, sorted.
        sessions: in which sessions, sorted.
    """

    source: str
    entries_count: int
    by_domain: dict[str, int]
    by_action: dict[str, int]
    targets: list[str]
    targets_count: int
    divergence: bool
    divergences: int
    rolled_back: int
    unknown: int
    first: int | None
    last: int | None
    actors: list[str]
    sessions: list[str]


@dataclass(frozen=True, slots=True)
class Window:
    """What happened from one moment up to another.

    Attributes:
        entries: in order, oldest first, at most as many as asked for.
        is_cut: there are more entries than that; the digest counts all of them.
        digest: of all entries in the window.
    """

    entries: tuple[Listed, ...]
    is_cut: bool
    digest: Digest
