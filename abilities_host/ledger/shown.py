"""Shown: both states of a change, as a person reads them."""

from dataclasses import dataclass

from abilities_host.domain import State


@dataclass(frozen=True, slots=True)
class ShownStates:
    """Both states of a change; what is secret in them is hidden by who shows them.

    Attributes:
        before: a text, bytes, a JSON value, or MISSING.
        after: likewise.
    """

    before: State
    after: State
