"""Switches: an ability, a server and its listing, changed from outside the host."""

import asyncio
from typing import Final, NamedTuple

from benchmarks.soak.site import TEAM_KEY, Site
from benchmarks.soak.switch import Seen, Switch

from abilities_host.adjustments import Adjustments
from abilities_host.toggles import Toggles

SWITCHED: Final = "bench/filler-0"
FOLLOW_SECONDS: Final = 2.0
"""How soon a host that is busy is to follow what it looks for four times a second."""

_BY: Final = "soak"
_TURNS: Final = 12
_TEAM_TURNS: Final = (3, 6)
_COMPACT_TURNS: Final = (4, 10)


class Sure(NamedTuple):
    """How the switches surely were for a while; None for what nobody knows.

    Attributes:
        ability: whether it was on.
        team: whether the further server was.
        compact: whether the first server listed few tools only.
    """

    ability: bool | None
    team: bool | None
    compact: bool | None


class Switches:
    """Switches something once a second, whether the host is there or not.

    Args:
        site: its file is edited.
        toggles: of the store; they hold from the next request on.
        adjustments: of the store.

    Attributes:
        ability: whether it is on.
        team: whether the further server answers.
        compact: whether the first server lists few tools only.
    """

    def __init__(self, site: Site, toggles: Toggles, adjustments: Adjustments) -> None:
        self.ability: Final = Switch(is_on=True)
        self.team: Final = Switch(is_on=True, seconds=FOLLOW_SECONDS)
        self.compact: Final = Switch(is_on=False, seconds=FOLLOW_SECONDS)
        self._site: Final = site
        self._loaded: Final = site.load()
        self._toggles: Final = toggles
        self._adjustments: Final = adjustments
        self._turn = 0

    def look(self) -> tuple[Seen, Seen, Seen]:
        """Give what is known of ability, server and listing."""
        return self.ability.look(), self.team.look(), self.compact.look()

    def between(self, seen: tuple[Seen, Seen, Seen]) -> Sure:
        """Give how each surely was all the time since a look."""
        ability, team, compact = seen
        return Sure(
            self.ability.between(ability),
            self.team.between(team),
            self.compact.between(compact),
        )

    async def turn(self) -> None:
        """Switch what is next."""
        self._turn = (self._turn + 1) % _TURNS
        if self._turn in _TEAM_TURNS:
            await self._switch_team()
        elif self._turn in _COMPACT_TURNS:
            is_on = not self.compact.is_on
            with self.compact.changing(is_on=is_on):
                await asyncio.to_thread(self._site.make_compact, is_on=is_on)
        else:
            is_on = not self.ability.is_on
            with self.ability.changing(is_on=is_on):
                await self._toggles.set(SWITCHED, is_on, by=_BY)

    async def _switch_team(self) -> None:
        is_on = not self.team.is_on
        with self.team.changing(is_on=is_on):
            await self._adjustments.set(TEAM_KEY, is_on, by=_BY, loaded=self._loaded)
