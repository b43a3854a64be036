"""Surroundings: what a host gives the envelope, and answers a running ability."""

import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from abilities_host.ability import Ability
from abilities_host.calls import Call, Limits, Outcome, Recorder, Request
from abilities_host.describing import describe_host
from abilities_host.locks import TargetLocks
from abilities_host.parts import Parts
from abilities_host.questions import Questions
from abilities_host.slots import Slots
from abilities_host.wrapped import Wrapped

if TYPE_CHECKING:
    from abilities_host.host import Host

T = TypeVar("T")


class HostSurroundings:
    """What a call may ask of its host.

    Args:
        host: the running host.
    """

    def __init__(self, host: "Host") -> None:
        self._host = host

    async def execute(self, request: Request) -> Outcome:
        """Run another ability through the envelope."""
        return await self._host.run(request)

    async def list_abilities(self, call: Call) -> tuple[Ability, ...]:
        """Give what the caller can see."""
        return await self._host.list_abilities(call.actor, call.server)

    async def rerank(self, query: str, names: tuple[str, ...]) -> tuple[str, ...]:
        """Let packs reorder or drop found names."""
        return await self._host.hooks.rerank(query, names)

    def describe(self, call: Call) -> Mapping[str, Any]:
        """Give facts about the host and the caller."""
        return describe_host(self._host, call.actor, call.server)

    def find_service(self, protocol: type[T]) -> T:
        """Give a service of a pack; raises LookupError without one."""
        return self._host.services.find(protocol)


def make_parts(
    host: "Host",
    find: Callable[[Request], Awaitable[Wrapped]],
    recorder: Recorder | None,
) -> Parts:
    """Make what the envelope of a host works with.

    Args:
        host: with its registry, hooks and settlements.
        find: gives what may be run, or raises.
        recorder: keeps the record of writes, None for none yet.

    Returns:
        The parts.
    """
    limits = host.config.limits.of_a_run
    return Parts(
        new_id=_id_maker(),
        find=find,
        get_wrapped=host.registry._get_wrapped,  # noqa: SLF001 - for the envelope
        is_write=lambda ability: host.denylist.is_write(ability),  # noqa: PLW0108 - of the deny-list as it is then
        get_domain=host.registry.get_domain,
        veto=host.hooks.before_write,
        finished=host.hooks.after_execute,
        recorder=recorder,
        needs_record=lambda: host.config.ledger.required,
        surroundings=HostSurroundings(host),
        locks=TargetLocks(
            host.loaded.store_path.parent / "locks", seconds=limits.lock_seconds
        ),
        slots=Slots(**_places(limits)),
        settlements=host.settlements,
        questions=Questions(seconds=host.config.limits.question_seconds),
        abandoned=Counter(),
        limits=limits,
    )


def follow_limits(host: "Host", parts: Parts) -> None:
    """Have what begins from now on keep to the limits that the configuration says.

    Args:
        host: with its configuration.
        parts: what its envelope works with; a run that began has taken its limits.
    """
    settings, modules = host.config.limits, host.modules
    limits = parts.limits = settings.of_a_run
    parts.locks.seconds = limits.lock_seconds
    parts.questions.seconds = settings.question_seconds
    parts.slots.resize(**_places(limits))
    host.hooks.seconds = modules.seconds = settings.hook_seconds
    # A call that began earlier may still take as long as was allowed then.
    modules.call_seconds = max(modules.call_seconds, settings.call_seconds)


def _id_maker() -> Callable[[], str]:
    """Ids that are unique, not secret: a counter behind what only this host has."""
    prefix, numbers = secrets.token_hex(6), count(1)
    return lambda: f"{prefix}{next(numbers):04x}"


class _Places(TypedDict):
    calls: int
    per_actor: int
    queue: int
    seconds: float


def _places(limits: Limits) -> _Places:
    return {
        "calls": limits.calls,
        "per_actor": limits.calls_per_actor,
        "queue": limits.queue,
        "seconds": limits.call_seconds,
    }
