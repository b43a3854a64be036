"""Host: the running object, which knows everyone."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, TypeVar

from abilities_host.ability import Ability
from abilities_host.accounts import Accounts
from abilities_host.adjustments import Adjustments, adjusted
from abilities_host.calls import (
    Actor,
    Answer,
    Outcome,
    Progress,
    Recorder,
    Request,
)
from abilities_host.config import HostConfig, LoadedConfig, ServerSettings
from abilities_host.denylist import (
    Decision,
    DenyList,
    ReadHolds,
    ServerView,
    hold_nothing,
)
from abilities_host.describing import Versions
from abilities_host.envelope import Envelope
from abilities_host.errors import (
    AbilityNotFound,
    HostStopping,
    StoreError,
    StoreUnreadable,
)
from abilities_host.frozen import FrozenDict
from abilities_host.hooks.manager import HookManager
from abilities_host.hooks.packs import Pack
from abilities_host.jobs import Jobs
from abilities_host.leases import Lease, NoLease
from abilities_host.modules import Modules
from abilities_host.pages import Page
from abilities_host.registry import Registry
from abilities_host.schema.profiles import PROFILES, Profile
from abilities_host.services import Services
from abilities_host.settlements import Settlements
from abilities_host.site import Site
from abilities_host.storage.base import Store
from abilities_host.surroundings import follow_limits, make_parts
from abilities_host.toggles import Toggles, ToggleState
from abilities_host.tokens import TokenBook, Tokens
from abilities_host.wrapped import Wrapped

log = logging.getLogger(__name__)

T = TypeVar("T")

_NOTHING_CHOSEN = ToggleState({}, frozenset(), -1)


class Host:
    """Packs, abilities and policy, running; made by `open_host`.

    Attributes:
        loaded: the configuration and where it came from.
        versions: of the host and of the protocol library.
        profiles: of client families, built in and of packs, by name.
        admin_pages: that packs add to those for people, by identity of the pack.
        registry: categories, domains and abilities.
        hooks: the packs' hooks.
        packs: what was found, with its state.
        denylist: what is active now.
        toggles: run-time choices in the store.
        adjustments: settings in the store.
        modules: optional parts of packs.
        services: what packs offer each other.
        tokens: whose the tokens of clients are.
        accounts: of people; set once the store is open.
        lease: this host's sign of life.
        jobs: background work.
        session: id of this process's session.
        events: what was started and stopped, in order.
        revision: grows with every change of what can be seen.
        is_stopping: no further call is taken.
    """

    accounts: Accounts
    is_stopping = False
    packs: tuple[Pack, ...] = ()
    revision = 0
    profiles: Mapping[str, Profile] = PROFILES
    admin_pages: Mapping[str, tuple[Page, ...]] = FrozenDict()
    _is_unreadable = False

    def __init__(
        self,
        loaded: LoadedConfig,
        *,
        registry: Registry,
        hooks: HookManager,
        store: Store,
        recorder: Recorder | None,
        lease: Lease,
        versions: Versions,
    ) -> None:
        self.loaded = loaded
        self.versions: Final = versions
        self.registry: Final = registry
        self.hooks: Final = hooks
        self.denylist = DenyList(loaded.config.switches)
        self.toggles: Final = Toggles(store)
        self.adjustments: Final = Adjustments(store)
        self.session: Final = secrets.token_hex(8)
        self.events: list[str] = []
        self.settlements: Final = Settlements()
        self.services: Final = Services()
        self.tokens: Final = TokenBook(Tokens(store), store)
        self.lease: Final = lease
        self.jobs: Final = Jobs(store, loaded.store_path.parent / "locks")
        self._store: Final = store
        self._generation = _NOTHING_CHOSEN.generation
        self._read_holds: ReadHolds = hold_nothing
        self._reading: Final = asyncio.Lock()
        self._servers: Final[dict[str, ServerView]] = {}
        self._listeners: Final[list[Callable[[], None]]] = []
        self.modules: Final = self._make_modules(store)
        self._parts: Final = make_parts(self, self._find, recorder)
        self._envelope: Final = Envelope(self._parts)
        registry.on_change(self._tell)

    def __repr__(self) -> str:
        return f"Host({self.config.title!r}, {self.registry!r})"

    @property
    def config(self) -> HostConfig:
        """The effective configuration."""
        return self.loaded.config

    @property
    def store(self) -> Store:
        """The store, for what a surface keeps of its own."""
        return self._store

    @property
    def is_frozen(self) -> bool:
        """Whether the store can only be read."""
        return isinstance(self.lease, NoLease)

    @property
    def has_recorder(self) -> bool:
        """Whether writes are recorded."""
        return self._parts.recorder is not None

    @property
    def is_settled(self) -> bool:
        """Whether every run has ended, those in abandoned threads too."""
        return not (len(self.settlements) or any(self._parts.abandoned.values()))

    def set_recorder(self, recorder: Recorder) -> None:
        """Have writes recorded from now on."""
        self._parts.recorder = recorder

    def site_of(self, pack: Pack, owner: str = "") -> Site:
        """Make what a pack is given for as long as the host runs."""
        return Site(
            pack=pack.identity,
            config=lambda: self.config,
            folder=self.loaded.folder,
            store_path=self.loaded.store_path,
            anchor_path=self.loaded.anchor_path,
            store=self._store,
            registry=self.registry,
            evaluate=self.hooks.evaluate_write,
            announce=self.hooks.on_proposal,
            locks=self._parts.locks,
            lease=self.lease,
            is_frozen=self.is_frozen,
            jobs=self.jobs,
            services=self.services,
            owner=owner,
        )

    # --- calls ----------------------------------------------------------------

    async def execute(
        self,
        name: str,
        arguments: Any = None,
        *,
        actor: Actor,
        server: str | None = None,
        session: str = "",
        client: str = "",
        progress: Progress | None = None,
        answer: Answer | None = None,
    ) -> Outcome:
        """Run an ability through the envelope.

        Args:
            name: the ability's name.
            arguments: any JSON value.
            actor: who calls; no call has implicit rights.
            server: id of the exposing server, None inside the process.
            session: the caller's session, by default this process's.
            client: the client's name.
            progress: where progress goes.
            answer: a person's answer to an earlier outcome's question.

        Returns:
            How it ended; refusals and failures are outcomes.
        """
        return await self.run(
            Request(
                name=name,
                arguments=arguments,
                actor=actor,
                session=session or self.session,
                server=server,
                client=client,
                progress=progress,
                answer=answer,
            )
        )

    async def run(self, request: Request) -> Outcome:
        """Run what a surface hands over; see `execute`."""
        if self.modules.is_empty:
            return await self._envelope.execute(request)
        self.modules.begin(request.name)
        try:
            return await self._envelope.execute(request)
        finally:
            self.modules.end(request.name)

    def actor(self, surface: Literal["stdio", "cli"]) -> Actor:
        """Give the actor of a surface of this machine, with its configured scopes."""
        if surface == "stdio":
            return self.config.actors.stdio.actor("agent")
        return self.config.actors.cli.actor("local")

    # --- what can be seen -----------------------------------------------------

    async def list_abilities(
        self, actor: Actor, server: str | None = None
    ) -> tuple[Ability, ...]:
        """Give what an actor can see now.

        Args:
            actor: who asks.
            server: id of the exposing server, None inside the process.

        Returns:
            Active abilities whose scope the actor has, in the order of registration.

        Raises:
            StoreUnreadable: when what is switched off cannot be read.
        """
        await self.refresh()
        view = self._view(server)
        if view is not None and not _lets_in(view, actor):
            return ()
        active = self.denylist.filter_active(self.registry.list_abilities(), view)
        return tuple(ability for ability in active if actor.may(ability.requires))

    def decide(self, ability: Ability, server: str | None = None) -> Decision:
        """Say whether an ability is active and why; for the operator only."""
        return self.denylist.decide(ability, self._view(server))

    def set_servers(self, servers: Iterable[ServerSettings]) -> None:
        """Say which servers there are; one that is there no more exposes nothing.

        Args:
            servers: all of them.
        """
        gone = {known: ServerView(known, enabled=False) for known in self._servers}
        self._servers.clear()
        self._servers.update(gone | {each.id: each.view for each in servers})

    def server_view(self, server: str) -> ServerView:
        """Give what is known of a server; an unknown one exposes nothing."""
        return self._servers.get(server) or ServerView(server, enabled=False)

    def _view(self, server: str | None) -> ServerView | None:
        return None if server is None else self.server_view(server)

    def on_change(self, listener: Callable[[], None]) -> None:
        """Have a function called after each change of what can be seen."""
        self._listeners.append(listener)

    def off_change(self, listener: Callable[[], None]) -> None:
        """Stop calling a function that `on_change` was given."""
        self._listeners.remove(listener)

    def adopt(self, loaded: LoadedConfig) -> None:
        """Put a changed configuration in force, as far as it may take effect now.

        Args:
            loaded: from `config.adopt`.
        """
        before, self.loaded = self.loaded, loaded
        if loaded.config == before.config:
            return  # only where it comes from has changed
        follow_limits(self, self._parts)
        self.denylist = self.denylist.with_switches(loaded.config.switches)
        self.set_servers(loaded.config.all_servers)
        self._tell()

    async def hold(self, read: ReadHolds) -> None:
        """Have held back what `read` says, now and after every refresh."""
        async with self._reading:
            self._read_holds = read
            holds = await read()
            self.denylist = self.denylist.with_holds(holds)
        self._tell()

    async def refresh(self) -> None:
        """Look at the store's generation; read the toggles again if it has moved.

        Raises:
            StoreUnreadable: when it cannot be read.
        """
        if self._is_current():
            return
        try:
            await self._read_toggles()
        except StoreError as error:
            log.exception("the store cannot be read")
            raise StoreUnreadable from error

    def _is_current(self) -> bool:
        try:
            is_current = self._store.generation() == self._generation
        except StoreError as error:
            if not self._is_unreadable:  # said once, not at every call and look
                log.exception("the store cannot be read")
            self._is_unreadable = True
            raise StoreUnreadable from error
        self._is_unreadable = False
        return is_current

    async def _read_toggles(self) -> None:
        async with self._reading:
            if self._store.generation() == self._generation:
                return  # another call has read it meanwhile
            state = await self.toggles.load()
            stored = await self.adjustments.load()
            holds = await self._read_holds()
            await self.modules.refresh()
            denylist = self.denylist.with_state(state.toggles, state.defaults_off)
            denylist = denylist.with_holds(holds)
            self.denylist = denylist.with_modules(self.modules.off())
            self._generation = state.generation
            self.adopt(adjusted(self.loaded, stored))
        self._tell()

    def _modules_changed(self) -> None:
        self.denylist = self.denylist.with_modules(self.modules.off())
        self._tell()

    def _tell(self) -> None:
        self.revision += 1
        for listener in tuple(self._listeners):
            listener()

    def _make_modules(self, store: Store) -> Modules:
        limits = self.config.limits
        return Modules(
            store,
            self.registry,
            seconds=limits.hook_seconds,
            call_seconds=limits.call_seconds,
            is_frozen=self.is_frozen,
            sites_of=self.site_of,
            changed=self._modules_changed,
        )

    # --- what the envelope is given -------------------------------------------

    async def _find(self, request: Request) -> Wrapped:
        if self.is_stopping:
            raise HostStopping
        if not self._is_current():
            await self.refresh()
        wrapped = self.registry._get_wrapped(request.name)  # noqa: SLF001 - for the envelope
        view = self._view(request.server)
        if wrapped is None or not self.denylist.is_active(wrapped.ability, view):
            raise AbilityNotFound(request.name)
        if view is not None and not _lets_in(view, request.actor):
            raise AbilityNotFound(request.name)
        return wrapped


def _lets_in(server: ServerView, actor: Actor) -> bool:
    return not server.requires or actor.may(server.requires)
