"""The state between two rules of a projection."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from abilities_host.schema.profiles import Profile
from abilities_host.schema.projection.reverse import Step

NOTES_KEPT = 32


class UnfitError(Exception):
    """Raised by a rule for a schema that has no form in a profile.

    Args:
        reason: why, for the operator.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Work:
    """A schema on its way to a profile.

    Attributes:
        profile: where it goes.
        author: the author's schema.
        schema: what the rules so far made of it.
        is_result: whether it describes results.
        is_rewritten: whether small changes are not enough.
        steps: the changes of values so far.
        notes: what was changed, for the operator; at most 32.
        is_done: whether the rules that follow have nothing to do.
    """

    profile: Profile
    author: dict[str, Any]
    schema: dict[str, Any]
    is_result: bool = False
    is_rewritten: bool = False
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    is_done: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a projection.

    Attributes:
        name: what it does, for the documentation.
        is_wanted: whether a schema on its way to a profile needs it.
        change: makes the next state.
    """

    name: str
    is_wanted: Callable[[Work], bool]
    change: Callable[[Work], Work]
