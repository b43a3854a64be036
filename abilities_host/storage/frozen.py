"""FrozenStore: a store that is only read, also from where nothing can be written."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from abilities_host.errors import StoreError, listed
from abilities_host.storage.base import NO_PARAMETERS, Statement, Transaction
from abilities_host.storage.create import ensure_store
from abilities_host.storage.faults import CLOSED
from abilities_host.storage.migrations import APPLIED, Migration, pending
from abilities_host.storage.readers import Readers, opened_readers
from abilities_host.storage.stillness import Stillness
from abilities_host.storage.usage import take_shared
from abilities_host.threads import run_in_thread

T = TypeVar("T")
A = TypeVar("A")

_GENERATION: Final = "SELECT value FROM generation"
_READ_ONLY: Final = "this host only reads it. To write, start one without --read-only."


class FrozenStore:
    """One store opened to be read only, made by `open_frozen`.

    Args:
        path: the database file, resolved.
        readers: connections that take the file for immutable.
        stillness: whether it is.
        generation: of its last commit.

    Attributes:
        path: the database file, resolved.
    """

    def __init__(
        self, path: Path, readers: Readers, stillness: Stillness, *, generation: int
    ) -> None:
        self.path: Final = path
        self._readers: Final = readers
        self._stillness: Final = stillness
        self._generation: Final = generation
        self._is_closed = False

    async def read(
        self, sql: str, parameters: Mapping[str, Any] = NO_PARAMETERS
    ) -> list[tuple[Any, ...]]:
        """Read rows; see `Store.read`."""
        rows = await self._readers.read(
            lambda db: db.execute(sql, parameters).fetchall()
        )
        # Looked at afterwards: SQLite itself does not see changes of this file.
        self._stillness.check()
        return rows

    async def write(
        self,
        statements: Sequence[Statement],  # noqa: ARG002 - the protocol names it
        *,
        bump: bool = False,  # noqa: ARG002 - the protocol names it
    ) -> list[int]:
        """Refuse; see `Store.write`."""
        raise self._refused(_READ_ONLY)

    async def transact(
        self,
        work: Callable[[Transaction], T],  # noqa: ARG002 - the protocol names it
        *,
        bump: bool = False,  # noqa: ARG002 - the protocol names it
    ) -> T:
        """Refuse; see `Store.transact`."""
        raise self._refused(_READ_ONLY)

    async def combine(
        self,
        work: Callable[[Transaction, Sequence[A]], Sequence[T]],  # noqa: ARG002 - the protocol names it
        item: A,  # noqa: ARG002 - the protocol names it
    ) -> T:
        """Refuse; see `Store.combine`."""
        raise self._refused(_READ_ONLY)

    def generation(self) -> int:
        """Give the generation, which stays what it is; see `Store.generation`."""
        if self._is_closed:
            raise self._refused(_READ_ONLY)
        self._stillness.check()
        return self._generation

    async def migrate(self, owner: str, migrations: Sequence[Migration]) -> None:
        """Refuse if anything is to be done; see `Store.migrate`."""
        rows = await self.read(APPLIED, {"owner": owner})
        left = pending(self.path, owner, [name for (name,) in rows], migrations)
        if left:
            raise StoreError(
                self.path,
                f"the tables of {owner!r} must be brought up to date first (migrations "
                f"{listed([each.name for each in left])}). Start and stop a host "
                "without --read-only once.",
            )

    def close(self) -> None:
        """Refuse everything from now on; `open_frozen` does it at the end."""
        self._is_closed = True

    def _refused(self, problem: str) -> StoreError:
        return StoreError(self.path, CLOSED if self._is_closed else problem)


@asynccontextmanager
async def open_frozen(path: Path) -> AsyncIterator[FrozenStore]:
    """Open a store to be read only; nothing beside it is made or locked.

    Args:
        path: the database file; it and its folder may be read-only.

    Yields:
        The store.

    Raises:
        StoreMissing: when it is not there.
        StoreUnsafe: when a log beside it holds what the file does not, others may write
            there, or it is on a network file system.
        StoreForeign: when something else is there.
        StoreNewer: when a newer version of the host made it.
        StoreCorrupt: when it is damaged.
        StoreBusy: when it is being restored.
        StoreError: when it cannot be read.
    """
    path = await run_in_thread(path.resolve)
    await run_in_thread(partial(ensure_store, path, create=False))
    usage = await run_in_thread(partial(take_shared, path, read_only=True))
    with closing(usage):
        stillness = await run_in_thread(partial(Stillness, path))
        async with opened_readers(path, "immutable", seconds=0) as readers:
            [(generation,)] = await readers.read(
                lambda db: db.execute(_GENERATION).fetchall()
            )
            store = FrozenStore(path, readers, stillness, generation=generation)
            try:
                yield store
            finally:
                store.close()
