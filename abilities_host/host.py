"""Host: the running object, which knows everyone."""

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, Final, Literal, TypeVar

from abilities_host.ability import Ability
from abilities_host.calls import (
    Actor,
    Answer,
    Call,
    Limits,
    Outcome,
    Progress,
    Recorder,
    Request,
)
from abilities_host.config import HostConfig, LoadedConfig
from abilities_host.denylist import (
    Decision,
    DenyList,
    ReadHolds,
    ServerView,
    hold_nothing,
)
from abilities_host.describing import Versions, describe_host
from abilities_host.envelope import Envelope
from abilities_host.errors import (
    AbilityNotFound,
    HostStopping,
    StoreError,
    StoreUnreadable,
)
from abilities_host.hooks.manager import HookManager
from abilities_host.hooks.packs import Pack
from abilities_host.jobs import Jobs
from abilities_host.leases import Lease, NoLease
from abilities_host.locks import TargetLocks
from abilities_host.parts import Parts
from abilities_host.questions import Questions
from abilities_host.registry import Registry
from abilities_host.services import Services
from abilities_host.settlements import Settlements
from abilities_host.site import Site
from abilities_host.slots import Slots
from abilities_host.storage.base import Store
from abilities_host.toggles import Toggles, ToggleState
from abilities_host.wrapped import Wrapped

log = logging.getLogger(__name__)

T = TypeVar("T")

_NOTHING_CHOSEN = ToggleState({}, frozenset(), -1)


class Host:
    """Packs, abilities and policy, running; made by `open_host`.

    Attributes:
        loaded: the configuration and where it came from.
        versions: of the host and of the protocol library.
        registry: categories, domains and abilities.
        hooks: the packs' hooks.
        packs: what was found, with its state.
        denylist: what is active now.
        toggles: run-time choices in the store.
        services: what packs offer each other.
        lease: this host's sign of life.
        jobs: background work.
        session: id of this process's session.
        events: what was started and stopped, in order.
        revision: grows with every change of what can be seen.
        is_stopping: no further call is taken.
    """

    is_stopping = False

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
        self.packs: tuple[Pack, ...] = ()
        self.denylist = DenyList(loaded.config.switches)
        self.toggles: Final = Toggles(store)
        self.session: Final = secrets.token_hex(8)
        self.events: list[str] = []
        self.revision = 0
        self.settlements: Final = Settlements()
        self.services: Final = Services()
        self.lease: Final = lease
        self.jobs: Final = Jobs(store, loaded.store_path.parent / "locks")
        self._store: Final = store
        self._generation = _NOTHING_CHOSEN.generation
        self._is_unreadable = False
        self._read_holds: ReadHolds = hold_nothing
        self._reading: Final = asyncio.Lock()
        self._servers: Final[dict[str, ServerView]] = {}
        self._listeners: Final[list[Callable[[], None]]] = []
        self._parts: Final = self._make_parts(loaded, recorder)
        self._envelope: Final = Envelope(self._parts)
        registry.on_change(self._tell)

    def __repr__(self) -> str:
        return f"Host({self.config.title!r}, {self.registry!r})"

    @property
    def config(self) -> HostConfig:
        """The effective configuration."""
        return self.loaded.config

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

    def site_of(self, pack: Pack) -> Site:
        """Make what a pack is given for as long as the host runs."""
        return Site(
            pack=pack.identity,
            config=self.config,
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
        return await self._envelope.execute(
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
        return await self._envelope.execute(request)

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
        view = self._servers.get(server) if server else None
        active = self.denylist.filter_active(self.registry.list_abilities(), view)
        return tuple(ability for ability in active if actor.may(ability.requires))

    def decide(self, ability: Ability, server: str | None = None) -> Decision:
        """Say whether an ability is active and why; for the operator only."""
        view = self._servers.get(server) if server else None
        return self.denylist.decide(ability, view)

    def add_server(self, view: ServerView) -> None:
        """Make a server known to the deny-list."""
        self._servers[view.id] = view

    def server_view(self, server: str) -> ServerView:
        """Give what is known of a server."""
        return self._servers[server]

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
        self.loaded = loaded
        self.denylist = self.denylist.with_switches(loaded.config.switches)
        self.add_server(loaded.config.server.view)
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
            holds = await self._read_holds()
            denylist = self.denylist.with_state(state.toggles, state.defaults_off)
            self.denylist = denylist.with_holds(holds)
            self._generation = state.generation
        self._tell()

    def _tell(self) -> None:
        self.revision += 1
        for listener in tuple(self._listeners):
            listener()

    # --- what the envelope is given -------------------------------------------

    def _make_parts(self, loaded: LoadedConfig, recorder: Recorder | None) -> Parts:
        limits = loaded.config.limits.of_a_run
        folder = loaded.store_path.parent / "locks"
        return Parts(
            new_id=_id_maker(),
            find=self._find,
            get_wrapped=self.registry._get_wrapped,  # noqa: SLF001 - for the envelope
            is_write=self._is_write,
            get_domain=self.registry.get_domain,
            veto=self.hooks.before_write,
            finished=self.hooks.after_execute,
            recorder=recorder,
            needs_record=lambda: self.config.ledger.required,
            surroundings=_Surroundings(self),
            locks=TargetLocks(folder, seconds=limits.lock_seconds),
            slots=_slots(limits),
            settlements=self.settlements,
            questions=Questions(seconds=loaded.config.limits.question_seconds),
            abandoned=Counter(),
            limits=limits,
        )

    def _is_write(self, ability: Ability) -> bool:
        return self.denylist.is_write(ability)

    async def _find(self, request: Request) -> Wrapped:
        if self.is_stopping:
            raise HostStopping
        if not self._is_current():
            await self.refresh()
        wrapped = self.registry._get_wrapped(request.name)  # noqa: SLF001 - for the envelope
        view = self._servers.get(request.server) if request.server else None
        if wrapped is None or not self.denylist.is_active(wrapped.ability, view):
            raise AbilityNotFound(request.name)
        return wrapped


def _id_maker() -> Callable[[], str]:
    """Ids that are unique, not secret: a counter behind what only this host has."""
    prefix, numbers = secrets.token_hex(6), count(1)
    return lambda: f"{prefix}{next(numbers):04x}"


class _Surroundings:
    """What the host answers for a running ability."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def execute(self, request: Request) -> Outcome:
        return await self._host.run(request)

    async def list_abilities(self, call: Call) -> tuple[Ability, ...]:
        return await self._host.list_abilities(call.actor, call.server)

    async def rerank(self, query: str, names: tuple[str, ...]) -> tuple[str, ...]:
        return await self._host.hooks.rerank(query, names)

    def describe(self, call: Call) -> Mapping[str, Any]:
        return describe_host(self._host, call.actor, call.server)

    def find_service(self, protocol: type[T]) -> T:
        return self._host.services.find(protocol)


def _slots(limits: Limits) -> Slots:
    return Slots(
        calls=limits.calls,
        per_actor=limits.calls_per_actor,
        queue=limits.queue,
        seconds=limits.call_seconds,
    )
