"""Entry: one row of the record, which never changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal[
    "intent",
    "touch",
    "change",
    "outcome",
    "denial",
    "veto",
    "rollback",
    "evaluation",
    "review",
    "setting",
    "access",
    "restore",
    "prune",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row of the record.

    Attributes:
        seq: its number; gap-free from 1, and the one order of the record.
        at: microseconds since 1970, UTC; a clock may be set back, `seq` is not.
        kind: what happened.
        call: id of the run, empty when there was none.
        parent: id of the run around it, empty when there was none.
        actor: id of who called.
        session: of the call.
        ability: what ran.
        domain: of the target, empty when there is none.
        target: in its canonical spelling.
        action: ``created``, ``updated`` or ``deleted`` for a change; else one word of
            its kind.
        result: of an outcome or change, by the run's own word: ``ok``, ``failed``,
            ``unknown``; empty for other kinds.
        real: what was verified: ``ok``, ``failed``, ``unchanged``, ``changed``; empty
            while nobody has.
        partial: why it cannot all be put back: ``size``, ``secret``, ``foreign``; else
            empty.
        about: number of the entry it speaks of, None for none.
        before: digest of the state before, None when it did not exist or is no change.
        after: digest of the state after, likewise.
        details: what else is kept, JSON values only.
    """

    seq: int
    at: int
    kind: Kind
    call: str = ""
    parent: str = ""
    actor: str = ""
    session: str = ""
    ability: str = ""
    domain: str = ""
    target: str = ""
    action: str = ""
    result: str = ""
    real: str = ""
    partial: str = ""
    about: int | None = None
    before: bytes | None = None
    after: bytes | None = None
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry that stands for something done, with what is derived from later ones.

    Attributes:
        entry: a change, or an outcome that has none.
        real: the last verdict: the entry's own, or a later evaluation's.
        is_rolled_back: it was undone, and the undo was not undone.
        is_reversible: the record holds what an undo needs.
    """

    entry: Entry
    real: str
    is_rolled_back: bool
    is_reversible: bool

    @property
    def effective(self) -> str:
        """The verified result if there is one, else the nominal one."""
        return self.real or self.entry.result

    @property
    def is_divergent(self) -> bool:
        """Whether what was verified is not what the run said of itself."""
        return bool(self.real) and self.real != self.entry.result


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Which entries are wanted; None stands for any.

    Attributes:
        domain: of the target.
        target: canonical; only with `domain`.
        action: created, updated or deleted.
        actor: id of who called.
        session: of the call.
        ability: what ran.
        result: the effective one.
        is_reversible: whether the record holds what an undo needs.
        is_rolled_back: whether it was undone.
        start: microseconds since 1970, from there on.
        end: microseconds since 1970, up to there and not further.
        before: only entries with a smaller number; the cursor of the page before.
        limit: how many, 1 to 500.
    """

    domain: str | None = None
    target: str | None = None
    action: str | None = None
    actor: str | None = None
    session: str | None = None
    ability: str | None = None
    result: str | None = None
    is_reversible: bool | None = None
    is_rolled_back: bool | None = None
    start: int | None = None
    end: int | None = None
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class Page:
    """Some entries, newest first.

    Attributes:
        entries: at most as many as asked for; there may be fewer although `next` is
            set, since one page looks through a bounded part of the record.
        next: what `Query.before` must be for the following page, None at the end.
    """

    entries: tuple[Listed, ...]
    next: int | None
