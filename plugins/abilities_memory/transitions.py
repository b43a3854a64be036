"""Transitions: which status may follow which, as one closed table."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from abilities_host.memory import Status
from abilities_memory.refusals import InvalidTransition

TRANSITIONS: Final[Mapping[Status, tuple[Status, ...]]] = MappingProxyType(
    {
        "pending": ("approved", "rejected", "archived"),
        "approved": ("archived",),
        "rejected": (),
        "archived": (),
    }
)
"""Every status with those that may follow it; approval goes through the gate alone."""


def check_transition(id_: str, old: Status, new: Status) -> None:
    """Check that guidance may change its status.

    Args:
        id_: of the guidance, for the sentence.
        old: its status now.
        new: the one it is to have.

    Raises:
        InvalidTransition: when the table does not hold it.
    """
    if new not in TRANSITIONS[old]:
        raise InvalidTransition(id_, old, new, TRANSITIONS[old])
