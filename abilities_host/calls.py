"""Who calls, what is running, what would be written, and how it ended."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from abilities_host.ability import Ability
from abilities_host.domain import MISSING, State, Target
from abilities_host.errors import CallError
from abilities_host.frozen import freeze

ActorKind = Literal["human", "agent", "local", "host"]
Status = Literal["ok", "refused", "failed", "unknown", "input_required"]
Progress = Callable[[float, float | None, str | None], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who calls.

    Attributes:
        id: stable name, such as a token's name or ``cli``.
        kind: a person, an agent, this machine, or the host itself.
        scopes: what it may do, such as ``read``, ``write`` or ``notes:write``; ``*``
            stands for one whole part.
    """

    id: str
    kind: ActorKind = "agent"
    scopes: frozenset[str] = frozenset({"read", "write"})

    def may(self, required: str) -> bool:
        """Answer whether one of the scopes covers the required one.

        Args:
            required: ``word`` or ``word:word``.

        Returns:
            True on an exact match, part by part, ``*`` matching any part.
        """
        return required in self.scopes or any(
            _covers(granted, required) for granted in self.scopes if "*" in granted
        )


def _covers(granted: str, required: str) -> bool:
    mine, wanted = granted.split(":"), required.split(":")
    return len(mine) == len(wanted) and all(
        part in ("*", want) for part, want in zip(mine, wanted, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Denied:
    """What a permission callback returns to say no with a reason.

    Attributes:
        reason: for the log.
        public: what the caller may read; empty for the usual sentence.
    """

    reason: str
    public: str = ""


@dataclass(frozen=True, slots=True)
class Veto:
    """What a `before_write` hook returns to stop the write.

    Attributes:
        reason: what the caller reads.
        rule: id of the rule that decided, for the record.
        plugin: who decided; the host fills it in.
        code: ``write_vetoed``, or ``hook_failed`` and ``hook_timeout`` by the host.
    """

    reason: str
    rule: str = ""
    plugin: str = ""
    code: str = "write_vetoed"


@dataclass(frozen=True, slots=True)
class Ask:
    """What a `before_write` hook returns to have a person asked first.

    Attributes:
        question: what the person reads.
        rule: id of the rule that asks, for the record.
        plugin: who asks; the host fills it in.
    """

    question: str
    rule: str = ""
    plugin: str = ""


class NeedsInput(Exception):
    """Raised by an ability, before its first change, to have a person asked.

    Args:
        question: what the person reads.
    """

    def __init__(self, question: str) -> None:
        self.question = question
        super().__init__(question)


@dataclass(frozen=True, slots=True)
class Change:
    """What really changed: two facts about one target.

    Attributes:
        target: the thing.
        before: its state when the lock was taken, or MISSING.
        after: its state when the ability had ended, or MISSING.
    """

    target: Target
    before: State
    after: State

    @property
    def is_real(self) -> bool:
        """Whether anything is different; equal states claim nothing."""
        return bool(self.before is not self.after and self.before != self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one run ended.

    Attributes:
        status: ok, refused before anything changed, failed, unknown or
            input_required.
        ability: name of the ability that ran, also behind ``call-tool``.
        call: id of the run.
        result: the normalised JSON value; None unless the ability returned.
        verified: what `verify_callback` read, None when there is none.
        error: why it did not end well, None when it did.
        changes: what really changed, in the order of the targets.
        question: what a person must be asked, for input_required.
        state: what must come back with the person's answer; good for one use.
        wire: the result as JSON bytes, so that no surface has to write it again.
        flags: ``output_invalid``, ``verify_failed``, ``capture_failed``,
            ``cancelled``, ``settled_late``.
    """

    status: Status
    ability: str
    call: str
    result: Any = None
    verified: Any = None
    error: CallError | None = None
    changes: tuple[Change, ...] = ()
    question: str = ""
    state: str = ""
    wire: bytes = b"null"
    flags: frozenset[str] = frozenset()

    @property
    def is_ok(self) -> bool:
        """Whether the ability ran to a good end."""
        return self.status == "ok"

    @property
    def code(self) -> str:
        """The error's code, empty when there is none."""
        return self.error.code if self.error else ""

    def unwrap(self) -> Any:
        """Give the result, or raise the reason there is none.

        Returns:
            The normalised result.

        Raises:
            CallError: the outcome's error.
        """
        if self.error is not None:
            raise self.error
        return self.result


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a surface hands to the envelope; every surface hands over the same.

    Attributes:
        name: the ability's name.
        arguments: any JSON value; None for none.
        actor: who calls.
        session: host-minted session id.
        server: id of the exposing server; None for calls inside the process.
        client: the client's name, for the record.
        via: ``call-tool`` or another route, else empty.
        parent: the running call this one is nested in.
        progress: where progress goes, None for nowhere.
        answer: a person's answer to the question of an earlier outcome.
    """

    name: str
    arguments: Any = None
    actor: Actor
    session: str = ""
    server: str | None = None
    client: str = ""
    via: str = ""
    parent: "Call | None" = None
    progress: Progress | None = None
    answer: "Answer | None" = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's answer, with the state that says which question it answers.

    Attributes:
        state: the outcome's `state`, unchanged.
        is_accepted: whether the person agreed.
        content: what else the person said, JSON values.
    """

    state: str
    is_accepted: bool
    content: Any = None


class Running(Protocol):
    """The run behind a call, as far as the ability may use it."""

    async def touch(self, domain: str, target: str) -> None:
        """Lock, capture, ask policy and record, before the ability changes it."""
        ...

    async def created(self, domain: str, target: str) -> None:
        """Note that the ability made this target, so it was MISSING before."""
        ...


class Surroundings(Protocol):
    """What the host answers for a running ability."""

    async def execute(self, request: Request) -> Outcome:
        """Run another ability."""
        ...

    async def list_abilities(self, call: "Call") -> tuple[Ability, ...]:
        """Give what this call's actor and server can see now."""
        ...

    async def rerank(self, query: str, names: tuple[str, ...]) -> tuple[str, ...]:
        """Let plugins reorder or drop ranked names."""
        ...

    def describe(self, call: "Call") -> Mapping[str, Any]:
        """Give facts about the host, JSON values only."""
        ...


class Call:
    """One run, as the ability and the hooks see it.

    Attributes:
        id: unique id of the run.
        ability: what runs.
        actor: who calls.
        arguments: the validated arguments; hooks get them frozen.
        session: host-minted session id.
        server: id of the exposing server, None inside the process.
        client: the client's name.
        via: the route it came by, such as ``call-tool``, else empty.
        answer: what the person said to this call's question, None before.
        parent: the call it is nested in.
        depth: 1 for a call from outside.
        deadline: loop time by which it must have ended.
    """

    __slots__ = (
        "_progress",
        "_running",
        "_surroundings",
        "ability",
        "actor",
        "answer",
        "arguments",
        "client",
        "deadline",
        "depth",
        "id",
        "parent",
        "server",
        "session",
        "via",
    )

    def __init__(
        self,
        id_: str,
        ability: Ability,
        request: Request,
        running: Running,
        surroundings: Surroundings,
    ) -> None:
        self.id: Final = id_
        self.ability: Final = ability
        self.actor: Final = request.actor
        self.arguments: Any = request.arguments
        self.answer: Any = None
        self.session: Final = request.session
        self.server: Final = request.server
        self.client: Final = request.client
        self.via: Final = request.via
        self.parent: Final = request.parent
        self.depth: Final[int] = request.parent.depth + 1 if request.parent else 1
        self.deadline = float("inf")
        self._progress = request.progress
        self._running = running
        self._surroundings = surroundings

    def __repr__(self) -> str:
        return f"Call({self.id}, {self.ability.name!r}, actor={self.actor.id!r})"

    @property
    def root(self) -> "Call":
        """The call from outside that this one belongs to."""
        call = self
        while call.parent is not None:
            call = call.parent
        return call

    async def touch(self, domain: str, target: str) -> None:
        """Announce a change of something that could not be named earlier.

        The target's state is captured, policy is asked and the record is durable
        before this returns.

        Args:
            domain: name of a registered domain.
            target: any spelling of the target.

        Raises:
            CallError: when it is refused; let it end the ability.
        """
        await self._running.touch(domain, target)

    async def created(self, domain: str, target: str) -> None:
        """Announce something just made, while its transaction is still open.

        Args:
            domain: name of a registered domain.
            target: any spelling of the target; its state before is MISSING.

        Raises:
            CallError: when it is refused; roll the transaction back.
        """
        await self._running.created(domain, target)

    async def execute(
        self, name: str, arguments: Any = None, *, via: str = ""
    ) -> Outcome:
        """Run another ability as the same actor, with at most this call's rights.

        Args:
            name: the ability's name.
            arguments: any JSON value.
            via: the route's name, for the record.

        Returns:
            Its outcome; it never raises for a refusal.
        """
        return await self._surroundings.execute(
            Request(
                name=name,
                arguments=arguments,
                actor=self.actor,
                session=self.session,
                server=self.server,
                client=self.client,
                via=via or self.via,
                parent=self,
                progress=self._progress,
            )
        )

    async def report_progress(
        self, done: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tell the caller how far this call is; nothing happens if it did not ask.

        Args:
            done: amount done, growing.
            total: amount in all, if known.
            message: one line.
        """
        if self._progress is not None:
            await self._progress(done, total, message)

    async def list_abilities(self) -> tuple[Ability, ...]:
        """Give the abilities that this call's actor and server can see now."""
        return await self._surroundings.list_abilities(self)

    async def rerank(self, query: str, names: tuple[str, ...]) -> tuple[str, ...]:
        """Let plugins reorder or drop ranked names.

        Args:
            query: what was searched.
            names: ability names, best first.

        Returns:
            Some of the same names, in the order to show.
        """
        return await self._surroundings.rerank(query, names)

    def describe_host(self) -> Mapping[str, Any]:
        """Give facts about the host that this actor may know, JSON values only."""
        return self._surroundings.describe(self)


class ProposedWrite:
    """What a `before_write` hook sees: the write before it happens.

    Attributes:
        ability: what would run.
        actor: who calls.
        call: the whole call.
        targets: what it would change, canonical.
        original: for an undo, the ability that made the change.
        states: for an undo, target to (expected, restored) state.
    """

    __slots__ = ("_before", "_frozen", "call", "original", "states", "targets")

    def __init__(
        self,
        call: Call,
        before: Mapping[Target, State],
        *,
        original: Ability | None = None,
        states: Mapping[Target, tuple[State, State]] | None = None,
    ) -> None:
        self.call: Final = call
        self.targets: Final = tuple(before)
        self.original: Final = original
        self.states: Final = states or {}
        self._before = before
        self._frozen: Any = self  # not yet made; None is a legal value

    @property
    def ability(self) -> Ability:
        """What would run."""
        return self.call.ability

    @property
    def actor(self) -> Actor:
        """Who calls."""
        return self.call.actor

    @property
    def arguments(self) -> Any:
        """The validated arguments, frozen; made when first read."""
        if self._frozen is self:
            self._frozen = freeze(self.call.arguments)
        return self._frozen

    async def before(self, target: Target) -> State:
        """Give the state before the write.

        Args:
            target: one of `targets`.

        Returns:
            A frozen JSON value, bytes, or MISSING.

        Raises:
            KeyError: when the write does not name this target.
        """
        state = self._before[target]
        return state if state is MISSING else freeze(state)


class Recorder(Protocol):
    """Who keeps the durable record of writes.

    Every method returns only when its row is durable. An exception from `intent` or
    `before` stops the write; one from `outcome` makes the call unknown.
    """

    async def intent(self, call: Call, before: Mapping[Target, State]) -> None:
        """Record that a write is about to run, with the states before."""
        ...

    async def before(self, call: Call, target: Target, state: State) -> None:
        """Record the state of one more target, touched while running."""
        ...

    async def outcome(self, call: Call, outcome: Outcome) -> None:
        """Record how a write ended; a second one corrects an unknown one."""
        ...

    async def refusal(self, call: Call, outcome: Outcome) -> None:
        """Record a denial or veto."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may take; the defaults are the host's.

    Attributes:
        call_seconds: one run.
        hook_seconds: one pass over the hooks.
        capture_seconds: reading all states of one call.
        lock_seconds: waiting for targets.
        settle_seconds: the shielded end of a run.
        input_bytes: arguments as JSON.
        result_bytes: result as JSON.
        value_depth: nesting of arguments and results.
        nesting: calls inside calls.
        calls: calls at once.
        calls_per_actor: calls at once by one actor.
        queue: calls waiting for a slot.
        targets: targets of one call.
        abandoned_threads: threads of one pack that never returned.
    """

    call_seconds: float = 60.0
    hook_seconds: float = 5.0
    capture_seconds: float = 10.0
    lock_seconds: float = 10.0
    settle_seconds: float = 15.0
    input_bytes: int = 1 << 20
    result_bytes: int = 1 << 20
    value_depth: int = 64
    nesting: int = 8
    calls: int = 64
    calls_per_actor: int = 16
    queue: int = 256
    targets: int = 1000
    abandoned_threads: int = 8


@dataclass(slots=True)
class Facts:
    """What a write has captured so far.

    Attributes:
        before: target to state before, in the order of the locks.
        created: targets the ability made itself.
    """

    before: dict[Target, State] = field(default_factory=dict)
    created: set[Target] = field(default_factory=set)
