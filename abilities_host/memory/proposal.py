"""Proposal: what somebody wants remembered, before it has an id."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from abilities_host.memory.guidance import Class, Scope, Type

EVERYWHERE: Final = Scope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What the content of new guidance is to be.

    Attributes:
        type: guardrail, fact, convention or instruction.
        topic: in any case; an unknown one is made on approval.
        text: at most 600 characters.
        rationale: why, at most 400 characters.
        recall: at most 12 words, each at most 40 characters.
        scope: what it is about.
        priority: -1000 to 1000.
        class_: how lasting it is.
        rule: JSON values, written in at most 16,000 characters; None for advice.
        supersedes: id of the guidance it is to replace; empty for none.
    """

    type: Type
    topic: str
    text: str
    rationale: str
    recall: tuple[str, ...] = ()
    scope: Scope = EVERYWHERE
    priority: int = 0
    class_: Class = ""
    rule: Mapping[str, Any] | None = None
    supersedes: str = ""
