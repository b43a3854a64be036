"""Store: the one interface between those who keep rows and the database."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from abilities_host.frozen import FrozenDict
from abilities_host.storage.migrations import Migration

NO_PARAMETERS: Final[Mapping[str, Any]] = FrozenDict()


class Statement(NamedTuple):
    """One portable SQL statement with named parameters, written ``:name``."""

    sql: str
    parameters: Mapping[str, Any] = NO_PARAMETERS


class Store(Protocol):
    """A database that several processes share; every method may be called at once."""

    async def read(
        self, sql: str, parameters: Mapping[str, Any] = NO_PARAMETERS
    ) -> list[tuple[Any, ...]]:
        """Read rows as they were committed at one moment.

        Args:
            sql: one SELECT; it bounds its own number of rows.
            parameters: values by name.

        Returns:
            Every row.

        Raises:
            StoreError: when the store cannot be read; says what to do.
        """
        ...

    async def write(
        self, statements: Sequence[Statement], *, bump: bool = False
    ) -> list[int]:
        """Run statements in one transaction; when it returns they are durable.

        If the caller is cancelled meanwhile the transaction may still be committed.

        Args:
            statements: run in their order, all or none.
            bump: also count the generation up, so that every process looks again.

        Returns:
            How many rows each statement changed.

        Raises:
            StoreError: when nothing could be stored; says what to do.
        """
        ...

    def generation(self) -> int:
        """Give the generation of the last commit by any process; does not suspend.

        Returns:
            A number that grows with each `write` that bumps.

        Raises:
            StoreError: when the store cannot be read.
        """
        ...

    async def migrate(self, owner: str, migrations: Sequence[Migration]) -> None:
        """Bring one owner's tables up to date; exactly one process does it.

        Args:
            owner: whose tables, such as ``toggles`` or a pack's identity.
            migrations: all of them since the first, in their order.

        Raises:
            StoreNewer: when a later version of the owner was here.
            StoreError: when it could not be done; nothing was changed.
        """
        ...
