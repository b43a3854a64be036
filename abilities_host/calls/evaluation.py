"""Evaluation: what really came of a recorded write, as somebody judged it."""

from dataclasses import dataclass
from typing import Any, Literal

from abilities_host.domain import Target

Verdict = Literal["ok", "failed", "unchanged", "changed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedWrite:
    """A write as the record has it, for whoever judges it.

    Attributes:
        call: id of the run.
        ability: what ran.
        actor: id of who called.
        session: of the call.
        result: how the run ended by its own word: ok, failed or unknown.
        arguments: what it was called with, secrets masked; None when not kept.
        targets: what really changed.
        at: microseconds since 1970, UTC.
    """

    call: str
    ability: str
    actor: str
    session: str
    result: str
    arguments: Any
    targets: tuple[Target, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an `evaluate_write` hook answers.

    Attributes:
        result: what really came of the write.
        reason: one sentence, at most 400 characters, no secrets.
    """

    result: Verdict
    reason: str = ""
