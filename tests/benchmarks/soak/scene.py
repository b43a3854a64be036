"""Scene: what every client of a soak shares."""

import asyncio
from dataclasses import dataclass, field

from benchmarks.soak.faults import Faults
from benchmarks.soak.keys import Keys
from benchmarks.soak.papers import Papers
from benchmarks.soak.service import Service
from benchmarks.soak.switches import Switches
from benchmarks.soak.tally import Tally


@dataclass(frozen=True, slots=True)
class Scene:
    """What every client shares.

    Attributes:
        service: the host.
        switches: what is switched meanwhile.
        keys: what clients show.
        faults: what should not have happened.
        tally: of the calls.
        papers: the files that clients write.
        over: set once it is time to end.
    """

    service: Service
    switches: Switches
    keys: Keys
    faults: Faults
    tally: Tally
    papers: Papers = field(default_factory=Papers)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def rest(self, seconds: float) -> bool:
        """Wait a while.

        Args:
            seconds: how long, unless all is over.

        Returns:
            Whether all is over.
        """
        try:
            async with asyncio.timeout(seconds):
                await self.over.wait()
        except TimeoutError:
            return False
        return True
