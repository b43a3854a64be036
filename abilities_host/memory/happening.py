"""Happening: what was done to guidance or a topic, and by whom; it holds no text."""

from dataclasses import dataclass
from typing import Literal

Action = Literal[
    "proposed", "approved", "rejected", "archived", "superseded", "forgotten", "topic"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One line of the history.

    Attributes:
        at: microseconds since 1970, UTC.
        by: id of the actor, or name of the account.
        action: what was done; ``topic`` when a topic was made or changed.
        about: id of the guidance, or ``topic:`` and its name.
        hash: of what it said then; empty once that was removed.
    """

    at: int
    by: str
    action: Action
    about: str
    hash: str = ""
