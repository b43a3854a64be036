"""Versions: guidance is never edited, another version of it is proposed."""

from contextlib import suppress

from abilities_host.errors import CallError
from abilities_host.memory.guidance import Guidance
from abilities_host.memory.proposal import Proposal
from abilities_host.memory.protocol import ProjectMemory


async def propose_version(
    memory: ProjectMemory, old: Guidance, proposal: Proposal, by: str
) -> Guidance:
    """Keep another version, and set the old one aside if that is pending.

    Args:
        memory: of the host.
        old: as the person saw it.
        proposal: the other version.
        by: name of the account.

    Returns:
        The new version, pending.

    Raises:
        CallError: when it cannot be kept.
    """
    kept = await memory.propose(proposal, by=by)
    if old.status == "pending":
        # Somebody else may have decided on it in between: then both stand.
        with suppress(CallError):
            await memory.archive(old.id, by=by)
    return kept
