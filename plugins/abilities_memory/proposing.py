"""Proposing: a number, a link to what says nearly the same, and a row, all or none."""

from typing import Final

from abilities_host.memory import Guidance, Happening, Proposal, Source
from abilities_host.storage import Transaction
from abilities_memory import columns
from abilities_memory.canonical import canonical_guidance, hash_of
from abilities_memory.chronicle import note
from abilities_memory.likeness import find_alike, keep_words, words_of
from abilities_memory.refusals import TooManyPending, UnknownGuidance
from abilities_memory.resemblance import Resemblance
from abilities_memory.settling import FIND, find

PENDING: Final = 200
"""How many proposals of one actor may wait."""

_NUMBER: Final = """
    UPDATE memory_counter SET last = last + 1 WHERE name = 'guidance' RETURNING last
"""
_WAITING: Final = """
    SELECT count(*) FROM memory_guidance WHERE status = 'pending' AND proposed_by = :by
"""


def propose(
    changing: Transaction, *, proposal: Proposal, by: str, source: Source, at: int
) -> Guidance:
    """Keep a proposal inside a transaction.

    Args:
        changing: the transaction.
        proposal: cleaned.
        by: id of the actor, or name of the account.
        source: where it came from.
        at: microseconds since 1970.

    Returns:
        What is kept.

    Raises:
        TooManyPending: when 200 of the actor wait.
        UnknownGuidance: when there is none that it could supersede.
    """
    if waiting(changing, by) >= PENDING:
        raise TooManyPending(PENDING)
    return keep(changing, proposal=proposal, by=by, source=source, at=at)


def waiting(changing: Transaction, by: str) -> int:
    """Count the proposals of one actor or account that wait."""
    return int(changing.execute(_WAITING, {"by": by})[0][0])


def keep(
    changing: Transaction,
    *,
    proposal: Proposal,
    by: str,
    source: Source,
    at: int,
    resemblance: Resemblance | None = None,
) -> Guidance:
    """Keep a proposal as `propose` does, however many wait.

    Args:
        changing: the transaction.
        proposal: cleaned.
        by: id of the actor, or name of the account.
        source: where it came from.
        at: microseconds since 1970.
        resemblance: of the same transaction, when many are kept.

    Returns:
        What is kept.

    Raises:
        UnknownGuidance: when there is none that it could supersede.
    """
    _check(changing, proposal)
    [(number,)] = changing.execute(_NUMBER)
    words = words_of(proposal.text)
    values = {
        **columns.values_of(proposal),
        "number": number,
        "id": f"gm-{number:03d}",
        "words": len(words),
        "status": "pending",
        "source": source,
        "proposed_by": by,
        "proposed_at": at,
        "reviewed_by": "",
        "reviewed_at": None,
        "duplicate_of": (
            resemblance.find(words) if resemblance else find_alike(changing, words)
        ),
    }
    changing.execute(columns.INSERT, values)
    keep_words(changing, number, words)
    if resemblance:
        resemblance.add(values["id"], words)
    return _noted(changing, find(changing, values["id"]))


def _check(changing: Transaction, proposal: Proposal) -> None:
    replaced = proposal.supersedes
    if replaced and not changing.execute(FIND, {"id": replaced}):
        raise UnknownGuidance("supersedes")


def _noted(changing: Transaction, kept: Guidance) -> Guidance:
    done = Happening(
        at=kept.proposed_at,
        by=kept.proposed_by,
        action="proposed",
        about=kept.id,
        hash=hash_of(canonical_guidance(kept)),
    )
    note(changing, done)
    return kept
