"""Kind: changed definitions as the human gate sees them; only a sealed one counts."""

from typing import Final

from abilities_host.errors import CallError
from abilities_host.gate import Waiting
from abilities_host.pins import tables
from abilities_host.storage.base import Store, Transaction

NAME: Final = "definition"


class UnknownChange(CallError):
    """No change has this id."""

    code = "unknown_change"

    def __init__(self) -> None:
        super().__init__(
            "No changed definitions have the id that was given; they may have changed "
            "again. 'abilities queue list' shows what waits."
        )


class ChangeSettled(CallError):
    """A change is not in the state that a decision needs."""

    code = "change_settled"

    def __init__(self, id_: str, state: str) -> None:
        super().__init__(
            f"The change {id_} is {state}, so nothing was decided.", id=id_, state=state
        )


class DefinitionKind:
    """What the gate is told of changed definitions.

    Args:
        store: with the tables of pins.

    Attributes:
        is_ready: the tables are there; until then nothing waits.
    """

    name = NAME

    def __init__(self, store: Store) -> None:
        self._store: Final = store
        self.is_ready = False

    def canonical(self, changing: Transaction, id_: str) -> bytes:
        """Give what an approval is about; raises UnknownChange without it."""
        return self._find(changing, id_)[0]

    def approve(
        self, changing: Transaction, id_: str, *, by: str, at: int
    ) -> tuple[str, ...]:
        """Note that the definitions may be served, whatever was decided before.

        Args:
            changing: in which the seal is stored too.
            id_: of the change.
            by: name of the account.
            at: microseconds since 1970.

        Returns:
            Nothing: what was accepted before stays accepted.

        Raises:
            UnknownChange: when there is none of this id.
        """
        # A row that somebody set to approved can be approved all the same.
        self._find(changing, id_)
        self._settle(changing, id_, "approved", by, at)
        return ()

    def withdraw(self, changing: Transaction, id_: str, *, by: str, at: int) -> None:
        """Note that the definitions may not be served any more.

        Args:
            changing: in which the withdrawal is stored too.
            id_: of the change.
            by: name of the account.
            at: microseconds since 1970.

        Raises:
            UnknownChange: when there is none of this id.
            ChangeSettled: when it is not approved.
        """
        if (state := self._find(changing, id_)[1]) != "approved":
            raise ChangeSettled(id_, state)
        self._settle(changing, id_, "withdrawn", by, at)

    def reject(self, changing: Transaction, id_: str, *, by: str, at: int) -> None:
        """Note that the definitions are not wanted; see `withdraw`."""
        if (state := self._find(changing, id_)[1]) != "waiting":
            raise ChangeSettled(id_, state)
        self._settle(changing, id_, "rejected", by, at)

    def binds(self, canonical: bytes) -> bool:  # noqa: ARG002 - the same for all
        """Say no: an approval lets definitions in, and its loss holds them again."""
        return False

    async def waiting(self) -> list[Waiting]:
        """Give the changes that wait, oldest first, at most 200; raises StoreError."""
        rows = await self._store.read(tables.WAITING) if self.is_ready else []
        return [Waiting(*row) for row in rows]

    async def effective(self) -> list[tuple[str, bytes]]:
        """Give every change that says it is approved, whoever set it so.

        Returns:
            Ids with what they say, in the order in which they were decided.

        Raises:
            StoreError: when they cannot be read.
        """
        rows = await self._store.read(tables.EFFECTIVE) if self.is_ready else []
        return [(id_, _bytes(canonical)) for id_, canonical in rows]

    def _find(self, changing: Transaction, id_: str) -> tuple[bytes, str]:
        rows = changing.execute(tables.GET, {"id": id_}) if self.is_ready else []
        for canonical, status in rows:
            return _bytes(canonical), status
        raise UnknownChange

    def _settle(
        self, changing: Transaction, id_: str, status: str, by: str, at: int
    ) -> None:
        values = {"id": id_, "status": status, "by": by, "at": at}
        changing.execute(tables.SETTLE, values)


def _bytes(kept: object) -> bytes:
    """A row that somebody damaged hides no other; no seal fits what it says."""
    return kept if isinstance(kept, bytes) else str(kept).encode(errors="replace")
