"""Site: what a pack is given for the time the host runs."""

from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from abilities_host.ability import Ability
from abilities_host.calls import Evaluation, RecordedWrite
from abilities_host.domain import Domain, Target
from abilities_host.locks import Held, TargetLocks
from abilities_host.registry import Registry
from abilities_host.services import Services

if TYPE_CHECKING:  # every pack imports this module, few need these
    from abilities_host.config import HostConfig
    from abilities_host.jobs import Jobs, Work
    from abilities_host.leases import Lease
    from abilities_host.storage.base import Store

T = TypeVar("T")
Evaluate = Callable[[RecordedWrite], Awaitable[list[tuple[str, Evaluation]]]]
Announce = Callable[[tuple[str, ...], int], Awaitable[None]]


class Site:
    """The host's store, locks, leases and jobs, as one pack may use them.

    Args:
        pack: identity of the pack.
        config: gives the configuration that is in force.
        folder: of the configuration file; relative paths of settings start there.
        store_path: the store's file.
        anchor_path: the file that shows a changed record, None for none.
        store: the store.
        registry: categories, domains and abilities.
        evaluate: asks the `evaluate_write` hooks.
        announce: tells the `on_proposal` hooks.
        locks: one lock for each target.
        lease: this host's sign of life.
        is_frozen: the store can only be read.
        jobs: background work.
        services: what packs offer each other.
        owner: whose what it offers is, when it is not the whole pack's.

    Attributes:
        pack: identity of the pack.
        folder: of the configuration file.
        store_path: the store's file.
        anchor_path: the file that shows a changed record, None for none.
        store: every pack has tables of its own in it.
        lease: names this host in a record, and tells which hosts are dead.
        is_frozen: the store can only be read, so nothing is to be tidied.
    """

    def __init__(
        self,
        *,
        pack: str,
        config: "Callable[[], HostConfig]",
        folder: Path,
        store_path: Path,
        anchor_path: Path | None,
        store: "Store",
        registry: Registry,
        evaluate: Evaluate,
        announce: Announce,
        locks: TargetLocks,
        lease: "Lease",
        is_frozen: bool,
        jobs: "Jobs",
        services: Services,
        owner: str = "",
    ) -> None:
        self.pack: Final = pack
        self._config: Final = config
        self.folder: Final = folder
        self.store_path: Final = store_path
        self.anchor_path: Final = anchor_path
        self.store: Final = store
        self.lease: Final = lease
        self.is_frozen: Final = is_frozen
        self._registry: Final = registry
        self._evaluate: Final = evaluate
        self._announce: Final = announce
        self._locks: Final = locks
        self._jobs: Final = jobs
        self._services: Final = services
        self._owner: Final = owner or pack
        self._own_jobs: Final[list[str]] = []

    @property
    def config(self) -> "HostConfig":
        """The configuration in force; much of it changes while the host runs."""
        return self._config()

    def offer(self, protocol: type[T], service: T) -> None:
        """Offer a service to abilities and other packs while the host runs.

        Args:
            protocol: the class or protocol under which it is found.
            service: what whoever asks is given. Under `Recorder` it becomes the
                host's record of writes.

        Raises:
            ServiceTaken: when another pack offers it.
        """
        self._services.offer(protocol, service, pack=self._owner)

    def find(self, protocol: type[T]) -> T:
        """Give a service of another pack; raises LookupError without one."""
        return self._services.find(protocol)

    def withdraw(self) -> None:
        """Take back everything that was offered here, and its jobs."""
        self._services.withdraw(self._owner)
        for name in self._own_jobs:
            self._jobs.forget(name)

    def every(self, name: str, seconds: float, work: "Work") -> None:
        """Have work done by one host of the store at a time; see `Jobs.every`.

        Args:
            name: unique in the host, such as ``ledger-sweep``.
            seconds: between two runs, of whatever host.
            work: an async function; it is stopped after 60 s.
        """
        self._jobs.every(name, seconds, work)
        self._own_jobs.append(name)

    def get_domain(self, name: str) -> Domain:
        """Give a domain of any pack; raises LookupFailed without one."""
        return self._registry.get_domain(name)

    def list_domains(self) -> tuple[Domain, ...]:
        """Give the domains of every pack."""
        return self._registry.list_domains()

    def find_ability(self, name: str) -> Ability | None:
        """Give a registered ability, switched off or not; None when it is gone."""
        wrapped = self._registry._get_wrapped(name)  # noqa: SLF001 - its record only
        return wrapped.ability if wrapped else None

    async def lock(self, targets: Iterable[Target], owner: str) -> Held:
        """Lock targets as a call would; see `TargetLocks.acquire`."""
        return await self._locks.acquire(targets, owner)

    async def evaluate(self, write: RecordedWrite) -> list[tuple[str, Evaluation]]:
        """Ask every pack's `evaluate_write` hook what really came of a write.

        Args:
            write: from the record.

        Returns:
            Identity of the pack and its answer, for those that gave one.
        """
        return await self._evaluate(write)

    async def announce(self, ids: tuple[str, ...], waiting: int) -> None:
        """Tell every pack's `on_proposal` hook that something waits for a human.

        Args:
            ids: of what is new.
            waiting: how many there are in all.
        """
        await self._announce(ids, waiting)
