"""Call: one run, as the ability and the hooks see it."""

from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeVar

from abilities_host.ability import Ability
from abilities_host.calls.limits import Limits
from abilities_host.calls.outcome import Outcome
from abilities_host.calls.request import Answer, Request
from abilities_host.calls.undo import Undo
from abilities_host.domain import State

T = TypeVar("T")


class Running(Protocol):
    """The run behind a call, as far as the ability may use it."""

    @property
    def limits(self) -> Limits:
        """What it may take, as that was when it began."""
        ...

    async def touch(self, domain: str, target: str) -> None:
        """Lock, capture, ask policy and record, before the ability changes it."""
        ...

    async def created(self, domain: str, target: str) -> None:
        """Note that the ability made this target, so it was MISSING before."""
        ...

    def made(self, domain: str, target: str, state: State) -> None:
        """Note the state in which the ability left a target."""
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

    def find_service(self, protocol: type[T]) -> T:
        """Give what a pack offers under a protocol; raises LookupError."""
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
        undo: what it undoes, for a write that is an undo; None otherwise.
    """

    __slots__ = (
        "_request",
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
        "undo",
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
        self.answer: Answer | None = None
        self.session: Final = request.session
        self.server: Final = request.server
        self.client: Final = request.client
        self.via: Final = request.via
        self.parent: Call | None = request.parent
        self.depth: Final[int] = request.parent.depth + 1 if request.parent else 1
        self.deadline = float("inf")
        self.undo: Undo | None = None
        self._request = request
        self._running = running
        self._surroundings = surroundings

    def __repr__(self) -> str:
        return f"Call({self.id}, {self.ability.name!r}, actor={self.actor.id!r})"

    @property
    def is_nested(self) -> bool:
        """Whether another ability, not only a route, called this one."""
        parent = self.parent
        while parent is not None and parent.ability.is_route:
            parent = parent.parent
        return parent is not None

    @property
    def limits(self) -> Limits:
        """What the run may take; those inside it keep to the same."""
        return self._running.limits

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

    def made(self, domain: str, target: str, state: State) -> None:
        """Say in which state this ability left a target, if it knows.

        What is found there afterwards and differs is then recorded as somebody else's.

        Args:
            domain: name of a registered domain.
            target: any spelling of a target that was named or touched before.
            state: as the domain would capture it.

        Raises:
            CallError: when the target was never announced.
        """
        self._running.made(domain, target, state)

    async def execute(
        self,
        name: str,
        arguments: Any = None,
        *,
        via: str = "",
        repaired: tuple[str, ...] = (),
    ) -> Outcome:
        """Run another ability as the same actor, with at most this call's rights.

        Args:
            name: the ability's name.
            arguments: any JSON value.
            via: the route's name, for the record.
            repaired: what a route has mended in the arguments, such as ``/ decoded``.

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
                progress=self._request.progress,
                answer=self._request.answer if self.ability.is_route else None,
                numbers_in_strings=self._request.numbers_in_strings,
                repaired=repaired,
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
        progress = self._request.progress
        if progress is not None:
            await progress(done, total, message)

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

    def service(self, protocol: type[T]) -> T:
        """Give what another pack offers while the host runs.

        Args:
            protocol: the class or protocol under which it is offered.

        Returns:
            The service.

        Raises:
            LookupError: when no healthy pack offers it.
        """
        return self._surroundings.find_service(protocol)
