"""Confirmation: the person at the client is asked; a courtesy, not a control."""

import logging
from collections.abc import Callable
from typing import Final

from abilities_host import Ask, Call, Outcome, ProposedWrite, StoreError
from abilities_host.ledger import Ledger
from abilities_memory_enforcer import wording
from abilities_memory_enforcer.finding import Finding

log = logging.getLogger(__name__)


class Confirmation:
    """The effect ``confirm``.

    The client says what the person said, so nothing shows that there was one; the
    record says so.

    Args:
        find_ledger: gives the record of writes; raises LookupError without one.

    Attributes:
        asked: id of a running call to what is asked about it.
    """

    def __init__(self, find_ledger: Callable[[], Ledger]) -> None:
        self._find_ledger: Final = find_ledger
        self.asked: Final[dict[str, Ask]] = {}

    def ask(self, write: ProposedWrite, finding: Finding) -> Ask:
        """Give the question; the host denies where nobody can be asked.

        Args:
            write: before it happens.
            finding: the rules that want it confirmed.

        Returns:
            The same question for the same write.
        """
        question = wording.question(
            [each.id for each in finding.standing],
            [each.text for each in finding.standing],
            write.ability.name,
            wording.listed(write.targets),
        )
        asked = Ask(question, rule=finding.rule)
        self.asked[write.call.id] = asked
        return asked

    async def settle(self, call: Call, outcome: Outcome) -> None:
        """Record that the client confirmed a call that went on.

        Args:
            call: the call.
            outcome: how it ended.
        """
        asked = self.asked.pop(call.id, None)
        if asked is None or outcome.status in ("refused", "input_required"):
            return
        try:
            await self._find_ledger().note(
                "review",
                actor=call.actor.id,
                action="confirmed",
                session=call.session,
                details={
                    "confirmed_by": "client",
                    "ability": call.ability.name,
                    "call": call.id,
                    "rule": asked.rule,
                },
            )
        except LookupError:  # there is no record of the write either
            return
        except StoreError:
            log.exception("what the client confirmed is not recorded")
