"""Seen: a write as rules look at it; an undo is also what it undoes."""

from functools import cached_property
from typing import Any, Final

from abilities_host.calls import ProposedWrite
from abilities_host.domain import MISSING, State, Target
from abilities_host.memory.narrowing import Value

Actions = frozenset[str]

CREATED: Final[Actions] = frozenset({"created"})
DELETED: Final[Actions] = frozenset({"deleted"})
UPDATED: Final[Actions] = frozenset({"updated"})
ANY: Final[Actions] = CREATED | UPDATED | DELETED
ACTIONS: Final = tuple(sorted(ANY))


class Side:
    """One way to look at a write.

    Args:
        write: the write.
        ability: name of what runs, or of what is undone.
        arguments: that it was called with.
        is_past: it is the write that is undone; secrets in its arguments are hidden.

    Attributes:
        ability: name of what runs, or of what is undone.
    """

    def __init__(
        self, write: ProposedWrite, ability: str, arguments: Any, *, is_past: bool
    ) -> None:
        self.ability: Final = ability
        self._write: Final = write
        self._arguments: Final = arguments
        self._is_past: Final = is_past
        self._states: Final[dict[Target, Value]] = {}

    @cached_property
    def arguments(self) -> Value | None:
        """What it was called with; None when nobody kept that."""
        if self._is_past and self._arguments is None:
            return None
        return Value(self._arguments, is_masked=self._is_past)

    async def before(self, target: Target) -> State:
        """Give the state before, for what is undone the one before that.

        Args:
            target: one of the write's.

        Returns:
            A JSON value, bytes or MISSING.
        """
        states = self._write.states
        if self._is_past and target in states:
            return states[target][1]  # what is put back was there before
        return await self._write.before(target)

    async def state(self, target: Target) -> Value | None:
        """Give the same, ready for schemas.

        Args:
            target: one of the write's.

        Returns:
            None when there is no state.
        """
        if target not in self._states:
            state = await self.before(target)
            if state is MISSING:
                return None
            self._states[target] = Value(state)
        return self._states[target]

    async def actions(self, target: Target) -> Actions:
        """Give what the write may be for a target.

        Args:
            target: one of the write's.

        Returns:
            All that is possible: what is there may be updated or deleted.
        """
        before = await self.before(target)
        if target not in self._write.states:
            return CREATED if before is MISSING else UPDATED | DELETED
        expected, restored = self._write.states[target]
        return _action(before, expected if self._is_past else restored)


class Seen:
    """A write, made ready once for all the rules that look at it.

    Args:
        write: before it happens.

    Attributes:
        targets: what it would change.
        sides: what runs, and for an undo also the write that is undone.
    """

    def __init__(self, write: ProposedWrite) -> None:
        self.targets: Final = write.targets
        own = Side(write, write.ability.name, write.call.arguments, is_past=False)
        undo = write.call.undo
        self.sides: Final = (
            (own,)
            if undo is None
            else (own, Side(write, undo.original, undo.arguments, is_past=True))
        )


def _action(before: State, after: State) -> Actions:
    if before is MISSING:
        return ANY if after is MISSING else CREATED
    return DELETED if after is MISSING else UPDATED
