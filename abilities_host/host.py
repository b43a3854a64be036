"""Host: the running object, which knows everyone."""

import asyncio
import logging
import platform
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from importlib.metadata import version
from itertools import count
from typing import Any, Final, Literal, NamedTuple

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
from abilities_host.denylist import Decision, DenyList, ServerView
from abilities_host.envelope import Envelope
from abilities_host.errors import (
    AbilityNotFound,
    HostStopping,
    StoreError,
    StoreUnreadable,
)
from abilities_host.hooks.manager import HookManager
from abilities_host.hooks.packs import Pack
from abilities_host.loading import DISTRIBUTION
from abilities_host.locks import TargetLocks
from abilities_host.parts import Parts
from abilities_host.questions import Questions
from abilities_host.registry import Registry
from abilities_host.settlements import Settlements
from abilities_host.slots import Slots
from abilities_host.storage.base import Store
from abilities_host.toggles import Toggles, ToggleState
from abilities_host.wrapped import Wrapped

log = logging.getLogger(__name__)

_NOTHING_CHOSEN = ToggleState({}, frozenset(), -1)


class Versions(NamedTuple):
    """What is installed; read once, since it is read from disk."""

    host: str
    mcp: str


def read_versions() -> Versions:
    """Read what is installed; call it in a thread."""
    return Versions(version(DISTRIBUTION), version("mcp"))


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
        session: id of this process's session.
        events: what was started and stopped, in order.
        revision: grows with every change of what can be seen.
    """

    def __init__(
        self,
        loaded: LoadedConfig,
        *,
        registry: Registry,
        hooks: HookManager,
        store: Store,
        recorder: Recorder | None,
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
        self.is_stopping = False
        self._store: Final = store
        self._recorder: Final = recorder
        self._generation = _NOTHING_CHOSEN.generation
        self._is_unreadable = False
        self._reading: Final = asyncio.Lock()
        self._servers: Final[dict[str, ServerView]] = {}
        self._listeners: Final[list[Callable[[], None]]] = []
        self._envelope: Final = Envelope(self._parts(loaded))
        registry.on_change(self._tell)

    def __repr__(self) -> str:
        return f"Host({self.config.title!r}, {self.registry!r})"

    @property
    def config(self) -> HostConfig:
        """The effective configuration."""
        return self.loaded.config

    @property
    def has_recorder(self) -> bool:
        """Whether writes are recorded."""
        return self._recorder is not None

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
            self.denylist = self.denylist.with_state(state.toggles, state.defaults_off)
            self._generation = state.generation
        self._tell()

    def _tell(self) -> None:
        self.revision += 1
        for listener in tuple(self._listeners):
            listener()

    # --- what the envelope is given -------------------------------------------

    def _parts(self, loaded: LoadedConfig) -> Parts:
        limits = loaded.config.limits.of_a_run
        folder = loaded.store_path.parent / "locks"
        return Parts(
            new_id=_Ids(),
            find=self._find,
            is_write=self._is_write,
            get_domain=self.registry.get_domain,
            veto=self.hooks.before_write,
            finished=self.hooks.after_execute,
            recorder=self._recorder,
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


class _Ids:
    """Ids that are unique, not secret: a counter behind what only this host has."""

    def __init__(self) -> None:
        self._prefix = secrets.token_hex(6)
        self._count = count(1)

    def __call__(self) -> str:
        return f"{self._prefix}{next(self._count):04x}"


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


def _slots(limits: Limits) -> Slots:
    return Slots(
        calls=limits.calls,
        per_actor=limits.calls_per_actor,
        queue=limits.queue,
        seconds=limits.call_seconds,
    )


def describe_host(host: Host, actor: Actor, server: str | None) -> Mapping[str, Any]:
    """Give facts about the host and the caller, JSON values only.

    Args:
        host: the running host.
        actor: who asks.
        server: id of the exposing server, None inside the process.

    Returns:
        ``site``, ``user`` and ``environment``; no path of this machine.
    """
    return {
        "site": _site(host, server),
        "user": {"id": actor.id, "kind": actor.kind, "scopes": sorted(actor.scopes)},
        "environment": _environment(host),
    }


def _site(host: Host, server: str | None) -> dict[str, Any]:
    config = host.config
    return {
        "title": config.title,
        "summary": config.summary,
        "context": config.context,
        "version": host.versions.host,
        "server": server,
        "ledger": "recording" if host.has_recorder else "none",
        "ledger_required": config.ledger.required,
        "read_only": config.read_only,
        "abilities": len(host.registry.list_abilities()),
        "categories": len(host.registry.list_categories()),
        "policy_missing": list(host.hooks.missing_policy),
    }


def _environment(host: Host) -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "host": host.versions.host,
        "mcp": host.versions.mcp,
        "packs": [
            {"name": pack.identity, "version": pack.version, "state": pack.state}
            for pack in host.packs
        ],
    }
