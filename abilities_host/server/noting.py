"""Noting: what becomes known of a request while it is answered, for the log."""

from contextvars import ContextVar
from typing import Final

from abilities_host.calls import Outcome, Request


class Note:
    """What is known of one request so far.

    Attributes:
        ability: what ran, or was about to.
        via: the route it was reached by, empty for none.
        actor: who asked.
        session: of the call.
        call: id of the run.
        code: why there was no run.
        repaired: places that were mended in the arguments.
        size: bytes of the result, -1 when nobody has measured it.
    """

    __slots__ = (
        "ability",
        "actor",
        "call",
        "code",
        "repaired",
        "session",
        "size",
        "via",
    )

    def __init__(self) -> None:
        self.ability = self.via = self.actor = ""
        self.session = self.call = self.code = ""
        self.repaired = 0
        self.size = -1


CURRENT: Final[ContextVar[Note | None]] = ContextVar("abilities_request", default=None)
"""That of the request which this task answers."""


def note_call(request: Request) -> None:
    """Note what is about to run.

    Args:
        request: as it is handed to the host.
    """
    note = CURRENT.get()
    if note is not None:
        note.ability, note.via = request.name, ""
        note.actor, note.session = request.actor.id, request.session


def note_outcome(request: Request, outcome: Outcome, *, is_known: bool = True) -> None:
    """Note how a run ended.

    Args:
        request: as it was handed to the host.
        outcome: of the run.
        is_known: whether there is the ability it names; a client can make up a name.
    """
    note = CURRENT.get()
    if note is None:
        return
    note.call, note.repaired = outcome.call, len(outcome.repaired)
    note.code = outcome.code
    note.size = len(outcome.wire) if outcome.is_ok else -1
    if outcome.ability != request.name and is_known:
        note.ability = outcome.ability
        note.via = request.name.rpartition("/")[2]


def note_missing() -> None:
    """Note that there is nothing of the name that a client asked for."""
    note = CURRENT.get()
    if note is not None:
        note.code = "ability_not_found"
