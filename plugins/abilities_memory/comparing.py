"""Comparing: what an agent tells of its session, held against the record."""

from collections.abc import Mapping
from typing import Any

from abilities_host import CallError, Target
from abilities_memory.claims import Claim, extract
from abilities_memory.digesting import Recorded, Told
from abilities_memory.divergences import Divergence, compare, state_claims


class UnknownClaim(CallError):
    """A claim was stated that cannot be compared with anything."""

    code = "memory_unknown_claim"

    def __init__(self) -> None:
        super().__init__(
            "A claim needs an action (created, updated, deleted, moved or undone) and "
            "a target written as domain:name, as ledger/list-changes gives them."
        )


def differences(told: Told, recorded: Recorded) -> list[Mapping[str, Any]]:
    """Find where narrative, stated claims and record differ.

    Args:
        told: by the agent.
        recorded: what the record has.

    Returns:
        JSON values; nothing counts as not recorded where not all entries are known.

    Raises:
        UnknownClaim: when a stated claim has another action or no such target.
    """
    stated = stated_claims(told)
    named = {claim.target for claim in stated if claim.target is not None}
    done = {Target(each.entry.domain, each.entry.target) for each in recorded.entries}
    known = {
        target
        for target in named | done | {*recorded.known, *told.known}
        if target.domain
    }
    found = compare([*extract(told.narrative, known), *stated], recorded.entries)
    unsure = "claimed_not_recorded" if recorded.is_cut else ""
    return [_written(each) for each in found if each.kind != unsure]


def stated_claims(told: Told) -> list[Claim]:
    """Read the claims that were stated as data; raises UnknownClaim."""
    try:
        return state_claims(told.claims)
    except ValueError as error:
        raise UnknownClaim from error


def _written(divergence: Divergence) -> dict[str, Any]:
    said = {"sentence": divergence.sentence} if divergence.sentence else {}
    entry = {} if divergence.entry is None else {"entry": divergence.entry}
    return {
        "kind": divergence.kind,
        **said,
        "action": divergence.action,
        "target": str(divergence.target),
        **entry,
    }
