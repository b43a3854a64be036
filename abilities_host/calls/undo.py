"""Undo: a write that puts earlier ones back, judged as what it does."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from abilities_host.domain import State, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """What an undo would do, known before it is allowed.

    Attributes:
        original: name of the ability whose change is undone; its scope, its permission
            and every rule about it hold for the undo too.
        arguments: what it was called with, secrets masked.
        undoes: numbers of the changes it undoes, with their targets.
        redoes: numbers of changes that come back because their undo is undone.
        states: target to what must be true now and what shall be afterwards.
        check: awaited under the locks with the states as they were captured there;
            raises a CallError when the undo must not go on.
        is_forced: go on whatever is there now.
        is_dry_run: decide everything and change nothing.
    """

    original: str
    arguments: Any
    undoes: tuple[tuple[int, Target], ...]
    redoes: tuple[tuple[int, Target], ...] = ()
    states: Mapping[Target, tuple[State, State]]
    check: Callable[[Mapping[Target, State]], Awaitable[None]]
    is_forced: bool = False
    is_dry_run: bool = False
