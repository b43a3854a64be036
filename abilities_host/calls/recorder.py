"""Recorder: who keeps the durable record of writes."""

from collections.abc import Mapping
from typing import Protocol

from abilities_host.calls.call import Call
from abilities_host.calls.outcome import Outcome
from abilities_host.domain import State, Target


class Recorder(Protocol):
    """Who keeps the durable record of writes.

    Every method returns only when its row is durable. An exception from `intent` or
    `before` stops the write; one from `outcome` makes the call unknown.
    """

    async def intent(self, call: Call, before: Mapping[Target, State]) -> None:
        """Record that a write is about to run, with the states before.

        For an undo `call.undo` says what is undone.
        """
        ...

    async def before(self, call: Call, target: Target, state: State) -> None:
        """Record the state of one more target, touched while running."""
        ...

    async def outcome(self, call: Call, outcome: Outcome) -> None:
        """Record how a write ended; a second one corrects an unknown one."""
        ...

    async def refusal(self, call: Call, outcome: Outcome) -> None:
        """Record a denial or veto."""
        ...
