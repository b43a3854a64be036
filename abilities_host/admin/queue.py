"""Queue: what waits for a person, by kind, and what is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from abilities_host.gate import Alarm, Gate
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.memory import ProjectMemory

GUIDANCE: Final = "guidance"


@dataclass(frozen=True, slots=True)
class Trouble:
    """What a person should look at, besides what waits.

    Attributes:
        alarms: entries that are not as a person left them.
        packs: those that are not served.
    """

    alarms: tuple[Alarm, ...]
    packs: tuple[Pack, ...]


async def waiting_counts(host: Host) -> Mapping[str, int]:
    """Count what waits for a person.

    Args:
        host: running.

    Returns:
        Name of every kind to how many; of all but guidance 200 at most.

    Raises:
        StoreError: when it cannot be read.
    """
    waiting = await host.services.find(Gate).waiting()
    counts = {kind: len(entries) for kind, entries in waiting.items()}
    if GUIDANCE in counts:
        memory: ProjectMemory = host.services.find(ProjectMemory)
        counts[GUIDANCE] = (await memory.counts())["pending"]
    return counts


async def trouble_of(host: Host) -> Trouble:
    """Find out what is wrong.

    Args:
        host: running.

    Returns:
        Alarms of every kind, and packs that are not served.

    Raises:
        AbilitiesError: when it cannot be found out.
    """
    gate: Gate = host.services.find(Gate)
    alarms: list[Alarm] = []
    for kind in await gate.waiting():
        alarms += (await gate.survey(kind)).alarms
    broken = [pack for pack in host.packs if pack.state == "set aside"]
    return Trouble(tuple(alarms), tuple(broken))
