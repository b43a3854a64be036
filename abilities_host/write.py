"""Write: what a run does before it may change something."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from inspect import isawaitable
from typing import Final

from abilities_host.ability import Ability, PlanUndo
from abilities_host.calls import (
    Answer,
    Ask,
    Call,
    Change,
    ProposedWrite,
    Recorder,
    Undo,
)
from abilities_host.deadline import until
from abilities_host.domain import MISSING, State, Target
from abilities_host.errors import (
    CallError,
    CaptureFailed,
    LedgerMissing,
    NeedsAnswer,
    PolicyMissing,
    StoreError,
    StoreUnwritable,
    TargetInvalid,
    WriteVetoed,
)
from abilities_host.locks import Held
from abilities_host.parts import Parts
from abilities_host.questions import bind
from abilities_host.undoing import judge_undo

log = logging.getLogger(__name__)


class QuestionPending(Exception):
    """Raised inside a run when a person must answer first.

    Attributes:
        question: what the person reads.
        state: what must come back.
    """

    def __init__(self, question: str, state: str) -> None:
        self.question = question
        self.state = state
        super().__init__(question)


class Write:
    """The locks, facts and permissions of one write.

    Args:
        parts: what the envelope was given.
        call: the run.
        answer: a person's answer that came with the request.
    """

    def __init__(self, parts: Parts, call: Call, answer: Answer | None) -> None:
        self.before: Final[dict[Target, State]] = {}
        self.made: Final[dict[Target, State]] = {}
        self.intent: asyncio.Task[None] | None = None
        self.stopped: Exception | None = None
        self.original: Ability | None = None
        self._parts = parts
        self._call = call
        self._answer = answer
        self._held: Held | None = None

    async def capture_before(self) -> None:
        """Find the canonical targets, lock them and read what is true now.

        Raises:
            TargetInvalid: for what is no target, or too many.
            TargetBusy: when another call holds one too long.
            CaptureFailed: when a state cannot be read.
        """
        changes, arguments = self._call.ability.changes, self._call.arguments
        if changes is not None and changes.undo is not None:
            await self._prepare_undo(changes.undo)
            return
        if changes is None or changes.targets is None:
            return
        named = changes.targets(arguments)
        targets = self._targets(
            changes.domain, await named if isawaitable(named) else named
        )
        await self._lock(targets)
        self.before.update(await self.capture(targets))

    async def _prepare_undo(self, plan: PlanUndo) -> None:
        """An undo is judged as the write it performs, by what is there now."""
        undo: Undo = await plan(self._call.arguments, self._call)
        self.original = await judge_undo(self._parts, self._call, undo)
        self._call.undo = undo
        await self._lock(sorted(undo.states))
        self.before.update(await self.capture(sorted(undo.states)))
        await undo.check(self.before)

    async def ask_policy(self) -> None:
        """Ask every `before_write` hook about the targets known so far."""
        await self._ask(self.before)

    async def record_intent(self) -> None:
        """Store the intent; it is waited for even if the caller goes away.

        Raises:
            StoreUnwritable: when it cannot be stored.
        """
        if self._parts.recorder is not None:
            intent = self._record_intent(self._parts.recorder)
            self.intent = self._parts.settlements.hand_over(intent)
            await asyncio.shield(self.intent)
        elif self._parts.needs_record():
            raise LedgerMissing(self._call.ability.name)

    async def announce(self, domain: str, name: str, *, is_new: bool) -> None:
        """Bring one more target under lock, capture, policy and record.

        Args:
            domain: name of a registered domain.
            name: any spelling of the target.
            is_new: the ability made it, so it was MISSING.

        Raises:
            CallError: a refusal; it ends the call even if the ability swallows it.
        """
        try:
            (target,) = self._targets(domain, [name])
            if target not in self.before:
                await self._take_one_more(target, is_new=is_new)
        except Exception as error:
            self.stopped = self.stopped or error
            raise

    def note_made(self, domain: str, name: str, state: State) -> None:
        """Keep the state in which the ability says it left a target.

        Args:
            domain: name of a registered domain.
            name: any spelling of the target.
            state: as the domain would capture it.

        Raises:
            TargetInvalid: when the target was never announced.
        """
        (target,) = self._targets(domain, [name])
        if target not in self.before:
            reason = f"{target} was neither named nor touched before it was made"
            raise TargetInvalid(self._call.ability.name, reason)
        self.made[target] = state

    def changes(self, after: Mapping[Target, State]) -> tuple[Change, ...]:
        """Say what really changed, and what somebody else did meanwhile.

        Args:
            after: what is true now of every target.

        Returns:
            The changes of the ability first, then those of others.
        """
        own = [Change(t, b, self.made.get(t, after[t])) for t, b in self.before.items()]
        others = [
            Change(target, state, after[target], is_foreign=True)
            for target, state in self.made.items()
        ]
        return tuple(change for change in (*own, *others) if change.is_real)

    async def capture(self, targets: Iterable[Target]) -> dict[Target, State]:
        """Read what is true now, within the limit for one call.

        Args:
            targets: canonical.

        Returns:
            Target to state, in the same order.

        Raises:
            CaptureFailed: when a domain fails or takes too long.
        """
        asked, states = [*targets], dict[Target, State]()
        seconds = self._call.limits.capture_seconds
        deadline = asyncio.get_running_loop().time() + seconds
        try:
            await until(deadline, self._read(asked, states))
        except CallError:  # the domain said why, in words for the caller
            raise
        except Exception as error:
            target = asked[min(len(states), len(asked) - 1)]
            log.exception("capture of %s failed, call %s", target, self._call.id)
            raise CaptureFailed(str(target), _reason(error)) from error
        return states

    async def _read(self, targets: list[Target], states: dict[Target, State]) -> None:
        for target in targets:
            domain = self._parts.get_domain(target.domain)
            states[target] = await domain.capture(target.name)

    def release(self) -> None:
        """Give the locks back."""
        if self._held is not None:
            self._held.release()

    def binding(self, *more: str) -> bytes:
        """Digest what a person would agree to.

        Args:
            more: the question and who asks it.

        Returns:
            A digest of actor, ability, arguments, targets and states.
        """
        call = self._call
        states = [(str(target), repr(state)) for target, state in self.before.items()]
        return bind(call.actor.id, call.ability.name, call.arguments, states, more)

    async def _lock(self, targets: list[Target]) -> None:
        try:
            if self._held is None:
                owner, seconds = self._call.root.id, self._call.limits.lock_seconds
                locks = self._parts.locks
                self._held = await locks.acquire(targets, owner, seconds)
            else:
                await self._held.add(targets)
        except StoreError as error:  # no lock file can be made: nothing may be written
            log.exception("targets of call %s cannot be locked", self._call.id)
            raise StoreUnwritable(self._call.ability.name) from error

    async def _take_one_more(self, target: Target, *, is_new: bool) -> None:
        limit = self._call.limits.targets
        if len(self.before) >= limit:
            raise TargetInvalid(self._call.ability.name, f"more than {limit} targets")
        await self._lock([target])
        state = {target: MISSING} if is_new else await self.capture([target])
        await self._ask(state)
        if self._parts.recorder is not None:
            await self._record_before(self._parts.recorder, target, state[target])
        self.before.update(state)

    def _targets(self, domain: str, names: Iterable[str]) -> list[Target]:
        name, limit = self._call.ability.name, self._call.limits.targets
        found: set[Target] = set()
        try:
            canonical = self._parts.get_domain(domain).canonical
            for spelling in names:
                found.add(Target(domain, canonical(spelling)))
                if len(found) > limit:
                    raise TargetInvalid(name, f"more than {limit} targets")
        except CallError:
            raise
        except (ValueError, TypeError, LookupError) as error:
            raise TargetInvalid(name, str(error)) from error
        return sorted(found)

    async def _ask(self, before: Mapping[Target, State]) -> None:
        name = self._call.ability.name
        undo = self._call.undo
        proposed = ProposedWrite(
            self._call,
            dict(before),
            original=self.original,
            states=undo.states if undo else None,
        )
        answer = await self._parts.veto(proposed)
        if answer is None:
            return
        if isinstance(answer, Ask):
            self._ask_person(answer)
        elif answer.code == "policy_missing":
            raise PolicyMissing(name, answer.plugin, rule=answer.rule)
        else:
            raise WriteVetoed(
                name, answer.plugin, answer.reason, cause=answer.code, rule=answer.rule
            )

    def _ask_person(self, ask: Ask) -> None:
        """Let the write go on only with a person's answer to this very question."""
        name, questions = self._call.ability.name, self._parts.questions
        if self._call.is_nested or self.intent is not None:
            raise NeedsAnswer(name, ask.question)
        binding = self.binding(ask.question, ask.rule, ask.plugin)
        answer = self._answer
        if answer is None or not questions.take(answer.state, binding):
            raise QuestionPending(ask.question, questions.ask(binding))
        if not answer.is_accepted:
            raise WriteVetoed(name, ask.plugin, "a person said no")

    async def _record_intent(self, recorder: Recorder) -> None:
        try:
            await recorder.intent(self._call, dict(self.before))
        except CallError:  # the recorder said why, in words for the caller
            raise
        except Exception as error:
            log.exception("intent of call %s could not be stored", self._call.id)
            raise StoreUnwritable(self._call.ability.name) from error

    async def _record_before(
        self, recorder: Recorder, target: Target, state: State
    ) -> None:
        try:
            await recorder.before(self._call, target, state)
        except Exception as error:
            log.exception("a state could not be stored, call %s", self._call.id)
            raise StoreUnwritable(self._call.ability.name) from error


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "its domain did not answer in time"
    return "its domain failed; the host's log has the reason"
