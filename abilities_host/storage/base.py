"""Store: the one interface between those who keep rows and the database."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from abilities_host.frozen import FrozenDict
from abilities_host.storage.migrations import Migration

T = TypeVar("T")
A = TypeVar("A")

NO_PARAMETERS: Final[Mapping[str, Any]] = FrozenDict()


class Statement(NamedTuple):
    """One portable SQL statement with named parameters, written ``:name``."""

    sql: str
    parameters: Mapping[str, Any] = NO_PARAMETERS


class Transaction(Protocol):
    """What a work of `Store.transact` may do; of no use once the work has ended.

    Attributes:
        memo: what works of one transaction may leave each other, such as the last row;
            empty at the beginning of each, and whenever a part was undone.
    """

    memo: dict[str, Any]

    def execute(
        self, sql: str, parameters: Mapping[str, Any] = NO_PARAMETERS
    ) -> list[tuple[Any, ...]]:
        """Run one statement.

        Args:
            sql: one statement; not one that begins or ends a transaction.
            parameters: values by name.

        Returns:
            Every row it gave; it bounds its own number of rows.

        Raises:
            StoreError: when it cannot be run; says what to do.
        """
        ...

    def execute_many(self, sql: str, parameters: Sequence[Mapping[str, Any]]) -> None:
        """Run one statement that gives no rows, once for each set of values.

        Args:
            sql: one statement that changes rows.
            parameters: the values by name, each time.

        Raises:
            StoreError: when it cannot be run; says what to do.
        """
        ...

    def insert(
        self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> None:
        """Insert rows, with as few steps as the database allows.

        Args:
            table: its name.
            columns: the names of those that get values.
            rows: values in the order of the columns.

        Raises:
            StoreError: when they cannot be inserted; says what to do.
        """
        ...

    def changes(self) -> int:
        """Say how many rows the last statement changed, or the last `insert` made.

        Returns:
            Their number, 0 for a statement that changes none.
        """
        ...


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

    async def transact(
        self, work: Callable[[Transaction], T], *, bump: bool = False
    ) -> T:
        """Run a work in a transaction; when it returns it is durable.

        What it reads nobody changes before it is committed, so it may, for example,
        read the last row and add the next. Works that wait are committed together; an
        exception undoes its own work only. A caller cancelled while its work still
        waits leaves nothing; later it may still be committed.

        Args:
            work: touches nothing but the transaction and ends soon: everybody waits for
                it. It runs in another thread, and anew after any of those committed
                with it has failed: it keeps nothing of an earlier run.
            bump: also count the generation up, so that every process looks again.

        Returns:
            What `work` returned.

        Raises:
            StoreError: when nothing could be stored; says what to do.
            Exception: what `work` raised; nothing of it is stored.
        """
        ...

    async def combine(
        self, work: Callable[[Transaction, Sequence[A]], Sequence[T]], item: A
    ) -> T:
        """Run a work once for all who ask for the same one at the same time.

        What is promised is what `transact` promises, to each for his own item: where
        the work fails for several together it runs anew for each of them alone.

        Args:
            work: as for `transact`; gets the items in the order in which they came, and
                returns an answer for each. Equal works are the same.
            item: the caller's.

        Returns:
            The answer for this item.

        Raises:
            StoreError: when nothing could be stored; says what to do.
            Exception: what `work` raised for this item; nothing of it is stored.
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
