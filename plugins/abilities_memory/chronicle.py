"""Chronicle: who did what to guidance or a topic, line by line."""

from typing import Final

from abilities_host.memory import Happening
from abilities_host.storage import Transaction

COLUMNS: Final = "at, by, action, about, hash"
_NOTE: Final = f"""
    INSERT INTO memory_history ({COLUMNS}) VALUES (:at, :by, :action, :about, :hash)
"""  # noqa: S608 - names of columns only


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
