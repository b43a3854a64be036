"""Queue: what waits for a person, by kind, and what is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from abilities_host.gate import Alarm, Gate
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host

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
        Name of every kind to how many; see `Gate.counts`.

    Raises:
        StoreError: when it cannot be read.
    """
    return await host.services.find(Gate).counts()


async def trouble_of(host: Host) -> Trouble:
    """Find out what is wrong.

    Args:
        host: running.

    Returns:
        Alarms as `Gate.alarms` gives them, and packs that are not served.

    Raises:
        AbilitiesError: when it cannot be found out.
    """
    alarms = await host.services.find(Gate).alarms()
    broken = [pack for pack in host.packs if pack.state == "set aside"]
    return Trouble(alarms, tuple(broken))
