"""Domain: a kind of thing that can change and be put back."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable


class Missing(Enum):
    """The state of a thing that does not exist."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"

    __str__ = __repr__


MISSING: Final = Missing.MISSING

State = Any
"""A JSON value, bytes, or MISSING."""


class Target(NamedTuple):
    """One thing in a domain, in its one canonical spelling."""

    domain: str
    name: str

    def __str__(self) -> str:
        return f"{self.domain}:{self.name}"


@runtime_checkable
class Domain(Protocol):
    """How the host reads and restores one kind of thing.

    Attributes:
        name: the domain's name, unique in the host, such as ``files``.
    """

    name: str

    def canonical(self, target: str) -> str:
        """Give the one spelling of a target.

        Args:
            target: any spelling a caller may use.

        Returns:
            The canonical spelling; the same for every spelling of one thing.

        Raises:
            ValueError: when it cannot be a target of this domain.
        """
        ...

    async def capture(self, target: str) -> State:
        """Read what is true now.

        Args:
            target: canonical spelling.

        Returns:
            The whole state, or MISSING.
        """
        ...

    async def restore(self, target: str, expected: State, state: State) -> None:
        """Compare and set in one step.

        Args:
            target: canonical spelling.
            expected: what must be true now.
            state: what shall be true afterwards; MISSING removes the thing.

        Raises:
            Drifted: when the current state is not `expected`; nothing was changed.
        """
        ...


class Restoration(NamedTuple):
    """One target to put back: what must be true now, and what shall be.

    Attributes:
        target: canonical spelling.
        expected: what must be true now.
        state: what shall be true afterwards; MISSING removes the thing.
    """

    target: str
    expected: State
    state: State


@runtime_checkable
class RestoresAll(Protocol):
    """What a domain adds when it can put several targets back in one step."""

    async def restore_all(self, changes: Sequence[Restoration]) -> None:
        """Compare and set every target, or none.

        Args:
            changes: the targets, each once.

        Raises:
            Drifted: when one is not as expected; nothing was changed.
        """
        ...


@runtime_checkable
class HidesSecrets(Protocol):
    """What a domain adds when some of its things hold secrets."""

    def is_secret(self, target: str) -> bool:
        """Answer whether the record must keep no more of a state than its digest.

        Args:
            target: canonical spelling.

        Returns:
            True for what must not be stored, such as a file of keys.
        """
        ...


@runtime_checkable
class ShowsStates(Protocol):
    """What a domain adds when its states are not what a person would read."""

    def show(self, state: State) -> State:
        """Give what a person compares.

        Args:
            state: one of this domain, not MISSING.

        Returns:
            A text, bytes for what is no text, or another JSON value.
        """
        ...
