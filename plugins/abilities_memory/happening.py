"""Happening: what was done to guidance or a topic, and by whom; it holds no text."""

from dataclasses import dataclass
from typing import Final, Literal

from abilities_host.storage import Transaction

Action = Literal[
    "proposed", "approved", "rejected", "archived", "superseded", "forgotten", "topic"
]

COLUMNS: Final = "at, by, action, about, hash"
_NOTE: Final = f"""
    INSERT INTO memory_history ({COLUMNS}) VALUES (:at, :by, :action, :about, :hash)
"""  # noqa: S608 - names of columns only


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


def note(changing: Transaction, happening: Happening) -> None:
    """Add a line to the history.

    Args:
        changing: in which it was done.
        happening: what was.
    """
    changing.execute(
        _NOTE,
        {
            "at": happening.at,
            "by": happening.by,
            "action": happening.action,
            "about": happening.about,
            "hash": happening.hash,
        },
    )
