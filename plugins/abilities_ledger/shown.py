"""Shown: states as a person reads them."""

from collections.abc import Callable

from abilities_host import MISSING, State, masked
from abilities_host.ledger import ShownStates

Show = Callable[[State], State]


def shown(show: Show, state: State) -> State:
    """Have one state shown.

    Args:
        show: of its domain; may raise.
        state: any, or MISSING.

    Returns:
        What a person compares.
    """
    return state if state is MISSING else show(state)


def shown_states(show: Show, before: State, after: State) -> ShownStates:
    """Have both states of a change shown; may take long for large ones.

    Args:
        show: of their domain; may raise.
        before: any, or MISSING.
        after: likewise.

    Returns:
        Both; the states as they are when they differ in what is not shown.
    """
    one, other = shown(show, before), shown(show, after)
    is_whole = MISSING not in (before, after)
    if is_whole and before != after and _looks_same(one, other):
        return ShownStates(before, after)
    return ShownStates(one, other)


def _looks_same(one: State, other: State) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return bool(masked(one) == masked(other))
    return not isinstance(one, bytes) and bool(one == other)
