"""Guidance: one thing that agents shall know of a project, once a human approved it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Type = Literal["guardrail", "fact", "convention", "instruction"]
Status = Literal["pending", "approved", "rejected", "archived"]
Source = Literal["manual", "agent_proposal", "session_summary_derived"]
Class = Literal["", "identity", "procedure", "fact"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a guidance is about.

    Attributes:
        site_wide: it holds everywhere.
        post_id: number of the one thing it is about, None for none.
        target: ``domain:pattern``, empty for none.
    """

    site_wide: bool = True
    post_id: int | None = None
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """One row of the shelf.

    Attributes:
        id: ``gm-001`` and so on, never given twice.
        type: a fact is a decision; the other three are rules.
        topic: case-folded; ``domain`` in JSON.
        text: at most 600 characters.
        rationale: why, at most 400 characters.
        recall: at most 12 words that bring it up, each at most 40 characters.
        scope: what it is about.
        priority: greater comes first.
        class_: how lasting it is, empty when nobody said.
        rule: what an enforcer compiles, None for advice.
        supersedes: id of the guidance it is to replace, empty for none.
        status: only approved guidance has any effect.
        source: where it came from; the host says so, not the caller.
        proposed_by: id of the actor, or name of the account.
        proposed_at: microseconds since 1970, UTC.
        reviewed_by: name of the account, empty while nobody has.
        reviewed_at: microseconds since 1970, UTC; None while nobody has.
        duplicate_of: id of an earlier guidance that says nearly the same.
    """

    id: str
    type: Type
    topic: str
    text: str
    rationale: str
    recall: tuple[str, ...] = ()
    scope: Scope = Scope()
    priority: int = 0
    class_: Class = ""
    rule: Mapping[str, Any] | None = None
    supersedes: str = ""
    status: Status = "pending"
    source: Source = "agent_proposal"
    proposed_by: str
    proposed_at: int
    reviewed_by: str = ""
    reviewed_at: int | None = None
    duplicate_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidanceQuery:
    """Which guidance is wanted; None stands for any.

    Attributes:
        status: of it.
        topic: in its kept spelling.
        type: of it.
        until: only what was decided on, or else proposed, no later than that;
            microseconds since 1970.
        words: all of them stand in what it says, in any case.
    """

    status: Status | None = None
    topic: str | None = None
    type: Type | None = None
    until: int | None = None
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GuidancePage:
    """Some guidance, oldest first.

    Attributes:
        entries: at most as many as asked for.
        next: what `after` must be for the following page, None at the end.
    """

    entries: tuple[Guidance, ...]
    next: int | None
