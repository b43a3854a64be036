"""Approvals: what was approved elsewhere, approved anew by the person who imports."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from abilities_host import CallError, StoreError, run_in_thread
from abilities_host.accounts import Unlocked
from abilities_host.gate import Gate, StaleHash, verifies
from abilities_host.memory import Guidance
from abilities_memory.canonical import canonical_guidance, hash_of
from abilities_memory.document import Entry, listed
from abilities_memory.refusals import InvalidTransition, UnknownGuidance


class Approving(NamedTuple):
    """Who takes over approvals, and of whom.

    Attributes:
        gate: of this host.
        human: who seals anew what is taken over.
        keys: name of an account to the public half of its key, of everybody whose
            approvals count.
    """

    gate: Gate
    human: Unlocked
    keys: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Kept:
    """What came of it.

    Attributes:
        ids: ids given here that are approved now.
        left_out: why others wait, one sentence for all of a kind.
    """

    ids: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


async def keep_approvals(
    approving: Approving, entries: Iterable[Entry], taken: Mapping[str, Guidance]
) -> Kept:
    """Approve anew what has a good seal; each is a decision of its own.

    Args:
        approving: who does, and of whom.
        entries: of the document, as they are in it.
        taken: id in the document to what is kept here, pending.

    Returns:
        What is approved now, and why the rest is not.
    """
    by_id = {entry.id: entry for entry in entries}
    # In the order of keeping: what is superseded is approved before, and archived then.
    claimed = [by_id[id_] for id_ in taken if by_id[id_].status == "approved"]
    problems = await run_in_thread(
        lambda: {entry.id: problem_of(entry, approving.keys) for entry in claimed}
    )
    by_problem: dict[str, list[str]] = {}
    ids: list[str] = []
    for id_, found in problems.items():
        try:
            problem = found or await _approve(approving, taken[id_])
        except (CallError, StoreError) as error:
            rest = f"The rest waits, since nothing more could be approved: {error}"
            return Kept(tuple(ids), (*_told(by_problem), rest))
        if problem:
            by_problem.setdefault(problem, []).append(id_)
        else:
            ids.append(taken[id_].id)
    return Kept(tuple(ids), _told(by_problem))


def problem_of(entry: Entry, keys: Mapping[str, bytes]) -> str:
    """Say why a seal does not hold.

    Args:
        entry: as it is in the document.
        keys: name of an account to the public half of its key.

    Returns:
        The reason in words that follow "These wait, since"; empty when it holds.
    """
    seal = entry.seal
    if seal is None:
        return "nobody's seal is there"
    if seal.reviewer not in keys:
        return "this host does not know the key of who approved them"
    if seal.hash != hash_of(canonical_guidance(_there(entry))):
        return "they are not what was approved"
    message = seal.message("approve")
    if not verifies(keys[seal.reviewer], seal.signature, message):
        return "the key of who approved them did not make the seal"
    return ""


def _there(entry: Entry) -> Guidance:
    """Give guidance that says what it said where it was approved."""
    says = entry.proposal
    return Guidance(
        id=entry.id,
        type=says.type,
        topic=says.topic,
        text=says.text,
        rationale=says.rationale,
        recall=says.recall,
        scope=says.scope,
        priority=says.priority,
        class_=says.class_,
        rule=says.rule,
        supersedes=says.supersedes,
        proposed_by="",
        proposed_at=0,
    )


async def _approve(approving: Approving, kept: Guidance) -> str:
    seen = hash_of(canonical_guidance(kept))
    try:
        await approving.gate.approve("guidance", kept.id, seen, approving.human)
    except (StaleHash, UnknownGuidance, InvalidTransition):
        return "somebody else decided on them meanwhile"
    return ""


def _told(by_problem: Mapping[str, list[str]]) -> tuple[str, ...]:
    return tuple(
        f"These wait, since {problem}: {listed(ids)}."
        for problem, ids in by_problem.items()
    )
