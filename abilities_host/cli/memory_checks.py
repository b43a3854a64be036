"""Memory checks: what ``doctor`` says of guidance, and what is not as it was left."""

from typing import TYPE_CHECKING, Final

from abilities_host.cli.findings import Finding
from abilities_host.memory import ProjectMemory

if TYPE_CHECKING:
    from abilities_host.host import Host

SHOWN: Final = 20
"""How many alarms are listed; the command shows all."""


async def check_memory(host: "Host") -> list[Finding]:
    """Look at the project memory of a started host.

    Args:
        host: started.

    Returns:
        An error for each alarm, and how many proposals wait; nothing without a memory.
    """
    try:
        memory = host.services.find(ProjectMemory)
    except LookupError:
        return []
    alarms = (await memory.alarms())[:SHOWN]
    found = [
        Finding("error", "memory", each.sentence, "abilities memory alarms")
        for each in alarms
    ]
    counts = await memory.counts()
    told = f"Approved guidance: {counts['approved']}, waiting: {counts['pending']}."
    fix = "abilities memory review" if counts["pending"] else ""
    return [*found, Finding("info" if fix else "ok", "memory", told, fix)]
