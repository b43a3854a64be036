"""Opening: a host's life, from configuration to watchers and back."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Final

import anyio

from abilities_host.accounts import Accounts, keys_beside
from abilities_host.adjustments import Adjustments, adjusted
from abilities_host.calls import Recorder
from abilities_host.config import LoadedConfig, protected_paths_of
from abilities_host.config.unknown import unknown_profiles
from abilities_host.describing import read_versions
from abilities_host.gate import Gate, journal_beside
from abilities_host.hooks.finder import find_packs
from abilities_host.hooks.manager import HookManager
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.installed import look_for_misfits
from abilities_host.leases import Lease, NoLease
from abilities_host.ledger import Ledger
from abilities_host.loading import DISTRIBUTION, Loader
from abilities_host.pins import PinFile, Pins, pins_beside
from abilities_host.registry import Registry
from abilities_host.schema.check import SchemaLimits
from abilities_host.storage.base import Store
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.threads import run_in_thread
from abilities_host.tokens import Tokens
from abilities_host.watching import watch

log = logging.getLogger(__name__)

DRAIN_SECONDS = 0.8


@asynccontextmanager
async def open_host(
    loaded: LoadedConfig,
    *,
    packs: Sequence[Pack] = (),
    finds_packs: bool = True,
    recorder: Recorder | None = None,
    is_traced: bool | None = None,
) -> AsyncIterator[Host]:
    """Start a host, and stop it in the reverse order.

    Args:
        loaded: the configuration.
        packs: further packs, already imported.
        finds_packs: look for installed packs and those of `plugins_dir`.
        recorder: keeps the record of writes.
        is_traced: print hook calls; by default when ``ABILITIES_TRACE`` is 1.

    Yields:
        The running host.

    Raises:
        StoreError: when the store cannot be used; says which file and what to do.
    """
    if is_traced is None:
        is_traced = os.environ.get("ABILITIES_TRACE") == "1"
    async with AsyncExitStack() as stack:
        opening = _Opening(stack, loaded, packs, recorder, is_traced=is_traced)
        yield await opening.start(finds_packs=finds_packs)


class _Opening:
    """The steps of a start; each leaves on the stack how it is undone."""

    def __init__(
        self,
        stack: AsyncExitStack,
        loaded: LoadedConfig,
        packs: Sequence[Pack],
        recorder: Recorder | None,
        *,
        is_traced: bool,
    ) -> None:
        self._stack: Final = stack
        self._loaded = loaded
        self._given: Final = packs
        self._recorder: Final = recorder
        self._finds_packs = True
        config = loaded.config
        seconds = config.limits.hook_seconds
        self._hooks: Final = HookManager(seconds=seconds, is_traced=is_traced)
        self._events: Final[list[str]] = []
        self._store: Store
        self._registry: Registry
        self._lease: Lease
        self._is_frozen = False
        self._host: Host
        self._is_settled: Callable[[], bool] = lambda: True
        self._loader: Loader
        self._pins: Pins

    async def start(self, *, finds_packs: bool) -> Host:
        self._finds_packs = finds_packs
        steps: tuple[tuple[str, Callable[[], Awaitable[None]]], ...] = (
            ("configuration", self._check_configuration),
            ("store", self._open_store),
            ("migrations", self._migrate),
            ("packs found", self._find_packs),
            ("categories", self._register_categories),
            ("args filter", self._set_filter),
            ("abilities", self._register_abilities),
            ("packs open", self._open_packs),
            ("default steps", self._apply_steps),
            ("modules", self._start_modules),
            ("servers", self._add_servers),
            ("watchers", self._watch),
        )
        for name, step in steps:
            await step()
            self._events.append(f"start {name}")
            self._stack.callback(self._events.append, f"stop {name}")
        return self._host

    async def _check_configuration(self) -> None:
        for warning in self._loaded.warnings:
            log.warning("%s", warning)
        for misfit in await run_in_thread(look_for_misfits):
            log.warning("%s", misfit.sentence)

    async def _open_store(self) -> None:
        path = self._loaded.store_path
        self._is_frozen = await run_in_thread(lambda: only_reads(self._loaded))
        store = open_sqlite(path, read_only=self._is_frozen)
        self._store = await self._stack.enter_async_context(store)
        self._lease = await run_in_thread(self._take_lease)
        self._stack.push_async_callback(self._end_lease)

    def _take_lease(self) -> Lease:
        if self._is_frozen:
            return NoLease()
        return Lease(self._loaded.store_path.parent / "leases")

    async def _end_lease(self) -> None:
        is_settled = self._is_settled()
        await run_in_thread(lambda: self._lease.end(is_settled=is_settled))

    async def _adjust(self) -> None:
        """Before anything is made that keeps to a setting."""
        adjustments = Adjustments(self._store)
        await adjustments.migrate()
        self._loaded = adjusted(self._loaded, await adjustments.load())
        self._hooks.seconds = self._loaded.config.limits.hook_seconds

    async def _migrate(self) -> None:
        await self._adjust()
        limits = self._loaded.config.limits
        self._registry = Registry(
            schema_limits=SchemaLimits(
                depth=limits.schema_depth, size=limits.schema_bytes
            ),
            limit=limits.abilities,
        )
        self._host = Host(
            self._loaded,
            registry=self._registry,
            hooks=self._hooks,
            store=self._store,
            recorder=self._recorder,
            lease=self._lease,
            versions=await run_in_thread(read_versions),
        )
        self._host.events = self._events
        self._is_settled = lambda: self._host.is_settled
        await self._host.toggles.migrate()
        await Tokens(self._store).migrate()
        await self._host.jobs.migrate()

    async def _drain(self) -> None:
        self._host.is_stopping = True
        # Whoever stops the host, and however: the ends of runs are waited for.
        with anyio.CancelScope(shield=True):
            left = await self._host.settlements.drain(DRAIN_SECONDS)
        if left:
            log.warning("%d runs had not ended when the host stopped", left)

    async def _find_packs(self) -> None:
        found: list[Pack] = []
        if self._finds_packs:
            found = await run_in_thread(lambda: find_packs(self._loaded.plugins_path))
        protected = await run_in_thread(lambda: protected_paths_of(self._loaded))
        self._loader = Loader(
            [*found, *self._given],
            registry=self._registry,
            manager=self._hooks,
            config=self._loaded.config,
            folder=self._loaded.folder,
            protected=protected,
        )
        self._host.packs = self._loader.packs
        await self._loader.load()

    async def _register_categories(self) -> None:
        await self._loader.register_categories()

    async def _set_filter(self) -> None:
        """The filters are the hooks taken in above; from here on they are asked."""
        self._registry.set_args_filter(
            self._hooks.filter_ability_args, self._hooks.has_args_filter
        )

    async def _register_abilities(self) -> None:
        await self._loader.register_abilities()
        self._hooks.missing_policy = self._loader.missing_policy()
        for plugin in self._hooks.missing_policy:
            log.warning("required plugin %s is not healthy: reads only", plugin)

    async def _open_packs(self) -> None:
        """In the order they were found; left in the reverse one, before the store."""
        anchor = self._loaded.anchor_path
        accounts = Accounts(self._store, keys=keys_beside(anchor) if anchor else None)
        # No service: packs find those, and no pack may ask who has a secret.
        self._host.accounts = accounts
        gate = self._gate(accounts)
        self._host.services.offer(Gate, gate, pack=DISTRIBUTION)
        self._pins = self._make_pins(gate)
        self._host.services.offer(Pins, self._pins, pack=DISTRIBUTION)
        await self._loader.open_packs(self._host.site_of, self._stack)
        with suppress(LookupError):
            self._host.set_recorder(self._host.services.find(Recorder))
        self._tell_of_record()
        self._stack.push_async_callback(self._host.modules.close)
        # What still runs when the host stops may need what the packs have open.
        self._stack.push_async_callback(self._drain)

    def _gate(self, accounts: Accounts) -> Gate:
        """What only a person may let through; its tables are made when a pack asks."""
        anchor = self._loaded.anchor_path
        return Gate(
            self._store,
            accounts,
            find_ledger=lambda: self._host.services.find(Ledger),
            journal=journal_beside(anchor) if anchor else None,
        )

    def _make_pins(self, gate: Gate) -> Pins:
        anchor = self._loaded.anchor_path
        return Pins(
            self._store,
            gate,
            self._registry,
            file=PinFile(pins_beside(anchor) if anchor else None),
            holds=self._loaded.config.plugins.changed_definitions == "hold",
            is_frozen=self._is_frozen,
        )

    def _tell_of_record(self) -> None:
        if self._host.has_recorder:
            return
        if self._loaded.config.ledger.required:
            log.warning("nothing keeps the record of writes: reads only")
        else:
            log.info("there is no ledger: writes are not recorded")

    async def _apply_steps(self) -> None:
        """Before anything is exposed: new defaults once, old names carried over."""
        await self._pins.open(p for p in self._loader.packs if not p.is_copy)
        await self._hold()
        toggles = self._host.toggles
        for pack, steps in (await self._loader.default_steps()).items():
            own = frozenset(self._loader.namespaces_of(pack))
            for problem in await toggles.apply_steps(pack, steps, own):
                log.warning("%s", problem)
        for ability in self._registry.list_abilities():
            for old in ability.renamed_from:
                await toggles.rename(old, ability.name)
        self._hooks.missing_policy = self._loader.missing_policy()
        await self._host.refresh()

    async def _start_modules(self) -> None:
        """Torn down after the last runs, before what the packs have open."""
        await self._host.modules.open(self._loader.packs)

    async def _hold(self) -> None:
        if self._pins.holds:
            await self._host.hold(self._pins.holding)

    async def _add_servers(self) -> None:
        self._host.admin_pages = await self._loader.admin_pages()
        self._host.profiles = await self._loader.client_profiles()
        self._hooks.missing_policy = self._loader.missing_policy()
        # Not as it was read first: another process may have set something since.
        config = self._host.config
        for unknown in unknown_profiles(config, self._host.profiles):
            log.warning("%s", unknown.sentence)
        self._host.set_servers(config.all_servers)

    async def _watch(self) -> None:
        # A task group would wrap whatever the user of the host raises.
        for name, work in (
            ("watch", watch(self._host)),
            ("jobs", self._host.jobs.run()),
            ("definitions", self._pins.follow(self._hold)),
        ):
            task = asyncio.create_task(work, name=name)
            self._stack.push_async_callback(_end, task)


def only_reads(loaded: LoadedConfig) -> bool:
    """Answer whether a store is to be read only, as nobody else writes it either.

    Args:
        loaded: the configuration.

    Returns:
        True for one that is there and cannot be written, where no write is to run.
    """
    path = loaded.store_path
    if not loaded.config.read_only or not path.exists():
        return False
    # Not everywhere can it be asked for the rights that count.
    effective = os.access in os.supports_effective_ids
    places = (path, path.parent)
    return not all(os.access(p, os.W_OK, effective_ids=effective) for p in places)


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
