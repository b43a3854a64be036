"""Kind: what a pack tells the gate of one sort of thing that waits for a human."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from abilities_host.storage.base import Transaction


@dataclass(frozen=True, slots=True)
class Waiting:
    """An entry that a person is to decide on.

    Attributes:
        id: of the entry.
        title: what it is, in one line.
        by: who drafted it.
        at: since when, microseconds since 1970.
    """

    id: str
    title: str
    by: str
    at: int


class Kind(Protocol):
    """One sort of drafts, such as guidance.

    Every method that is not async runs in the transaction in which the seal is stored.
    None of them makes anything effective: only what is sealed is.
    """

    @property
    def name(self) -> str:
        """Unique in the host; a part of every seal, so it never changes."""
        ...

    def canonical(self, changing: Transaction, id_: str) -> bytes:
        """Give everything about an entry that has an effect, always in the same form.

        Args:
            changing: the transaction.
            id_: of the entry.

        Returns:
            Equal bytes mean the same.

        Raises:
            AbilitiesError: when there is none of this id.
        """
        ...

    def approve(
        self, changing: Transaction, id_: str, *, by: str, at: int
    ) -> tuple[str, ...]:
        """Note that an entry is approved.

        Args:
            changing: the transaction.
            id_: of the entry.
            by: name of the account.
            at: microseconds since 1970.

        Returns:
            Ids of entries it takes the place of, which are approved no more.

        Raises:
            AbilitiesError: when its state does not allow it; nothing is changed.
        """
        ...

    def withdraw(self, changing: Transaction, id_: str, *, by: str, at: int) -> None:
        """Note that an entry is approved no more.

        Args:
            changing: the transaction.
            id_: of the entry.
            by: name of the account.
            at: microseconds since 1970.

        Raises:
            AbilitiesError: when its state does not allow it; nothing is changed.
        """
        ...

    def reject(self, changing: Transaction, id_: str, *, by: str, at: int) -> None:
        """Note that an entry is not wanted; see `withdraw`."""
        ...

    def binds(self, canonical: bytes, /) -> bool:
        """Say whether an entry stops something, so that without it nothing may pass.

        Args:
            canonical: from `canonical`, maybe long ago.

        Returns:
            Whether whoever enforces the kind must stop what it covered, or
            everything, when somebody removed it.
        """
        ...

    async def waiting(self) -> Sequence[Waiting]:
        """Give entries that wait for a decision, oldest first, at most 200.

        Raises:
            StoreError: when they cannot be read.
        """
        ...

    async def effective(self) -> Sequence[tuple[str, bytes]]:
        """Give every entry that says it is approved, whoever made it say so.

        Returns:
            Ids with their canonical bytes.

        Raises:
            StoreError: when they cannot be read.
        """
        ...


@runtime_checkable
class CountsWaiting(Protocol):
    """A kind that counts what waits without reading it; every page asks."""

    async def count(self) -> int:
        """Count the entries that wait for a decision, however many.

        Raises:
            StoreError: when they cannot be counted.
        """
        ...
