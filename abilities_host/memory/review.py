"""Review: everything a person is to see of a proposal before deciding."""

from dataclasses import dataclass

from abilities_host.ledger import Entry
from abilities_host.memory.guidance import Guidance

DAYS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """What a rule would have stopped, had it been in force.

    Attributes:
        days: that were looked at, until now.
        count: changes that it covers; there may be more where `is_cut`.
        examples: some of them, newest first.
        is_cut: not all of the time was looked at.
    """

    days: int
    count: int
    examples: tuple[Entry, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One guidance as a person decides on it.

    Attributes:
        guidance: what it says.
        canonical: everything about it that has an effect, as one text.
        hash: of that; the decision names it, so what is approved is what was seen.
        duplicates: others that say nearly the same.
        supersedes: what it is to replace, None for nothing.
        forbids: what its rule would have stopped, None without a rule or a record.
        releases: what the rule of the superseded would have stopped and this one would
            not, None likewise.
        problem: why its rule cannot be enforced, empty when it can or there is none.
    """

    guidance: Guidance
    canonical: str
    hash: str
    duplicates: tuple[Guidance, ...] = ()
    supersedes: Guidance | None = None
    forbids: Impact | None = None
    releases: Impact | None = None
    problem: str = ""
