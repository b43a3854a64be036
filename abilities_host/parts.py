"""Parts: what the envelope is given, so that it knows neither plugins nor surfaces."""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from abilities_host.ability import Ability
from abilities_host.calls import (
    Ask,
    Call,
    Limits,
    Outcome,
    ProposedWrite,
    Recorder,
    Request,
    Surroundings,
    Veto,
)
from abilities_host.domain import Domain
from abilities_host.locks import TargetLocks
from abilities_host.questions import Questions
from abilities_host.repairs import Repairs
from abilities_host.settlements import Settlements
from abilities_host.slots import Slots
from abilities_host.wrapped import Wrapped


@dataclass(slots=True, kw_only=True)
class Parts:
    """What the envelope is given.

    Attributes:
        new_id: gives an id that no other run has, of any process.
        find: gives the ability if this request may see it now, reading the store's
            generation first; raises AbilityNotFound.
        get_wrapped: gives a registered ability even if it is switched off, or None.
        is_write: whether policy is asked; the operator may harden it.
        get_domain: gives a registered domain by name; raises LookupError.
        veto: asks every `before_write` hook; never raises.
        finished: tells every `after_execute` hook, None when there is none; never
            raises.
        recorder: keeps the record of writes; None while there is no ledger. The host
            sets it once its packs are open.
        needs_record: whether no write may run without a record.
        surroundings: what a running ability may ask of the host.
        locks: one lock for each target.
        slots: places for calls from outside.
        settlements: who waits for the ends of cancelled runs.
        questions: what persons were asked.
        abandoned: pack to number of threads that never returned.
        limits: seconds, sizes and counts.
        repairs: counts and tells what clients garbled.
    """

    new_id: Callable[[], str]
    find: Callable[[Request], Awaitable[Wrapped]]
    get_wrapped: Callable[[str], Wrapped | None]
    is_write: Callable[[Ability], bool]
    get_domain: Callable[[str], Domain]
    veto: Callable[[ProposedWrite], Awaitable[Veto | Ask | None]]
    finished: Callable[[Call, Outcome], Awaitable[None] | None]
    recorder: Recorder | None
    needs_record: Callable[[], bool]
    surroundings: Surroundings
    locks: TargetLocks
    slots: Slots
    settlements: Settlements
    questions: Questions
    abandoned: Counter[str]
    limits: Limits
    repairs: Repairs = field(default_factory=Repairs)
