"""Standing: what becomes of a module now, and what is off because of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from abilities_host.ability import Ability
from abilities_host.denylist import DenyList, Switches
from abilities_host.module import Module

State = Literal[
    "active", "starting", "off", "stopping", "waiting", "unavailable", "set aside"
]

_SPOKEN: Final = {
    "starting": "is starting",
    "off": "is off",
    "stopping": "is off",
    "waiting": "waits",
    "unavailable": "is unavailable",
    "set aside": "was set aside",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """A module at one moment.

    Attributes:
        name: ``distribution/entry-point/slug``.
        short: ``entry-point/slug``, for people.
        pack: identity of the pack.
        module: as declared.
        state: ``active``, or what it is instead.
        why: the reason, empty when there is none.
        is_on: what was chosen for it.
        by: who chose, empty for the pack's default.
        abilities: names of what belongs to it and is registered.
    """

    name: str
    short: str
    pack: str
    module: Module
    state: State
    why: str
    is_on: bool
    by: str
    abilities: tuple[str, ...]

    @property
    def is_active(self) -> bool:
        """Whether what belongs to it can be called."""
        return self.state == "active"

    @property
    def sentence(self) -> str:
        """Say it in words, without a full stop; for the operator."""
        return told(self.short, self.state, self.why)


def told(short: str, state: State, why: str) -> str:
    """Say in words what a module is that is not active.

    Args:
        short: its name for people.
        state: not ``active``.
        why: the reason, empty when there is none.

    Returns:
        A sentence without a full stop.
    """
    spoken = f"module {short!r} {_SPOKEN.get(state, 'is active')}"
    return f"{spoken}: {why}" if why else spoken


class Off:
    """Says of an ability which module keeps it off; the same answer for ever.

    Args:
        parts: patterns' owners, with the reason of each that is not active.
    """

    __slots__ = ("_parts",)

    def __init__(self, parts: Sequence[tuple["Belonging", str]] = ()) -> None:
        self._parts: Final = tuple(parts)

    def __call__(self, ability: Ability) -> str:
        """Give the reason, empty when no module keeps it off."""
        return next((why for owner, why in self._parts if owner.has(ability)), "")


class Belonging:
    """Which abilities a module has.

    Args:
        pack: identity of the pack.
        module: as declared.
    """

    __slots__ = ("_matches", "_pack")

    def __init__(self, pack: str, module: Module) -> None:
        self._pack: Final = pack
        # Let the one resolver say what a pattern means.
        self._matches: Final = DenyList(Switches(disabled=tuple(module.abilities)))

    def has(self, ability: Ability) -> bool:
        """Answer whether an ability belongs to the module."""
        return ability.pack == self._pack and not self._matches.is_active(ability)
