"""Rehearsal: in a dry run, telling what would have been stopped."""

import logging
from collections.abc import Callable
from typing import Final

from abilities_host import ProposedWrite, StoreError
from abilities_host.ledger import Ledger
from abilities_memory_enforcer.finding import Finding

log = logging.getLogger(__name__)

LIMIT: Final = 1_000
"""How many different ones are told in an hour; the rest is only counted."""

_HOUR: Final = 60 * 60 * 1_000_000
_Key = tuple[str, str, str, tuple[str, ...]]


class Rehearsal:
    """What a dry run found, each kind of it told once an hour.

    Args:
        find_ledger: gives the record of writes; raises LookupError without one.
        clock: microseconds since 1970.
    """

    def __init__(
        self, find_ledger: Callable[[], Ledger], clock: Callable[[], int]
    ) -> None:
        self._find_ledger: Final = find_ledger
        self._clock: Final = clock
        self._told: Final[set[_Key]] = set()
        self._since = 0
        self.count = 0

    async def note(self, write: ProposedWrite, finding: Finding) -> None:
        """Log and record that a write would have been stopped.

        Args:
            write: the write, which goes on.
            finding: why it would not.
        """
        self.count += 1
        if not self._is_news(write, finding):
            return
        log.warning(
            "dry run: %s by %s would have been stopped (%s): %s",
            write.ability.name,
            write.actor.id,
            finding.effect,
            finding.reason,
        )
        await self._record(write, finding)

    def _is_news(self, write: ProposedWrite, finding: Finding) -> bool:
        now = self._clock()
        if now - self._since >= _HOUR:
            self._told.clear()
            self._since = now
        targets = tuple(map(str, write.targets[:1]))
        key = (finding.rule, write.actor.id, write.ability.name, targets)
        if key in self._told or len(self._told) >= LIMIT:
            return False
        self._told.add(key)
        return True

    async def _record(self, write: ProposedWrite, finding: Finding) -> None:
        try:
            ledger = self._find_ledger()
        except LookupError:
            return
        details = {
            "ability": write.ability.name,
            "call": write.call.id,
            "effect": finding.effect,
            "rule": finding.rule,
        }
        try:
            await ledger.note(
                "review",
                actor=write.actor.id,
                action="would_stop",
                target=str(write.targets[0]) if write.targets else "",
                session=write.call.session,
                details=details,
            )
        except StoreError:
            log.exception("what a dry run found is not recorded")
