"""Domain: a kind of thing that can change and be put back."""

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
