"""Ending: the steps after the ability's work, which happen whatever becomes of it."""

import asyncio
import logging
from collections.abc import Awaitable
from contextlib import suppress
from typing import Final

from abilities_host.calls import Call, Change, NeedsInput, Outcome, Status
from abilities_host.deadline import until
from abilities_host.errors import (
    AbilityTimeout,
    CallbackFailed,
    CallCancelled,
    CallError,
    InvalidOutput,
    NeedsAnswer,
    RecordFailed,
)
from abilities_host.results import Normalised, NotJson, normalize_result
from abilities_host.run import Run
from abilities_host.write import QuestionPending

log = logging.getLogger(__name__)

LATE_SECONDS = 1.0  # between two tries to store an outcome that could not be stored
OWED = 256  # such outcomes at once; the next host settles what is beyond

_NOTHING = Normalised(None, b"null")
_NO_FLAGS: frozenset[str] = frozenset()

_DENIALS = frozenset(
    {
        "ability_invalid_permissions",
        "policy_missing",
        "write_in_readonly",
        "write_vetoed",
    }
)


class Ending:
    """How one run ends.

    Args:
        run: a run whose steps are over, well or not.
    """

    __slots__ = (
        "changes",
        "flags",
        "is_caller_gone",
        "outcome",
        "owed",
        "result",
        "run",
        "verified",
    )

    def __init__(self, run: Run) -> None:
        self.run: Final = run
        self.changes: tuple[Change, ...] = ()
        self.flags = _NO_FLAGS
        self.result = _NOTHING
        self.verified: object = None
        self.is_caller_gone = run.error is not None and _is_caller_gone(run.error)
        self.outcome: Outcome
        self.owed: Outcome | None = None

    def reach(self) -> Awaitable[Outcome]:
        """Steps 10 to 15, shielded from whatever happens to the caller.

        Returns:
            The outcome.

        Raises:
            asyncio.CancelledError: when the caller was cancelled; the ending goes on.
        """
        run, error = self.run, self.run.error
        if run.write is None and not self.is_caller_gone:
            # Nothing was changed and nobody has left, so nothing must be shielded.
            is_plain = run.is_found and run.thread is None
            return self._close() if is_plain else self._settle()
        ending = run.parts.settlements.hand_over(self._settle())
        if self.is_caller_gone and error is not None:
            raise error
        return asyncio.shield(ending)

    async def _settle(self) -> Outcome:
        run = self.run
        if not run.is_found:
            return self._conclude()
        await self._wait_for_intent()
        if run.thread is not None and not run.thread.done():
            return await self._leave_open()
        return await self._close()

    async def _wait_for_intent(self) -> None:
        """An intent under way when the caller left is stored all the same."""
        intent = self.run.write.intent if self.run.write is not None else None
        if intent is not None and not intent.done():
            await asyncio.wait([intent])

    async def _close(self) -> Outcome:
        run = self.run
        try:
            if run.write is not None:
                await self._capture_after()
            if run.wrapped.verify is not None:
                await self._verify()
            self._normalise_result()
            self._check_output()
            self.outcome = self._conclude()
            if run.parts.recorder is not None:
                await self._record_outcome()
        finally:
            self._release_place()
            if self.owed is not None:
                self._record_later(self.owed)
            elif run.write is not None:
                self._release_targets()
        if telling := self._tell_observers():
            await telling
        del run.call  # the two hold each other: let both go now
        return self.outcome

    # --- an outcome that could not be stored ----------------------------------

    def _record_later(self, owed: Outcome) -> None:
        """Unless too many wait already; then it is as if this host had died."""
        settlements = self.run.parts.settlements
        if len(settlements) > OWED:
            self._release_targets()
        else:
            settlements.hand_over(self._record_late(self.run.call, owed))

    async def _record_late(self, call: Call, owed: Outcome) -> None:
        """The facts are known and nobody can read them: the locks stay until then."""
        parts = self.run.parts
        owed = owed._replace(flags=owed.flags | {"settled_late"})
        try:
            is_last = False
            while not is_last and parts.recorder is not None:
                is_last = await parts.settlements.pause(LATE_SECONDS)
                with suppress(Exception):  # it is in the log already
                    await parts.recorder.outcome(call, owed)
                    return
        finally:
            self._release_targets()

    # --- a thread that did not return -----------------------------------------

    async def _leave_open(self) -> Outcome:
        """Say unknown now; the locks stay until the thread says what is true."""
        run = self.run
        run.parts.abandoned[run.wrapped.ability.pack] += 1
        self.flags |= {"thread_lost"}
        self.outcome = self._conclude()
        await self._record_outcome()
        self._release_place()
        if telling := self._tell_observers():
            await telling
        run.parts.settlements.hand_over(self._settle_late())
        return self.outcome

    async def _settle_late(self) -> None:
        run = self.run
        try:
            await self._wait_for_thread()
        finally:
            run.parts.abandoned[run.wrapped.ability.pack] -= 1
            self._release_if_ended()
        self.flags = frozenset({"settled_late"})
        self.is_caller_gone = False
        await self._close()

    async def _wait_for_thread(self) -> None:
        run = self.run
        if run.thread is None:
            return
        await asyncio.wait([run.thread])
        run.error = run.thread.exception()
        run.value = None if run.error else run.thread.result()

    def _release_if_ended(self) -> None:
        """The host stops before the thread has returned: the locks die with it."""
        if self.run.thread is None or not self.run.thread.done():
            self._release_targets()

    # --- 10: the facts --------------------------------------------------------

    async def _capture_after(self) -> None:
        """Step 10: what is true now, read from the domain."""
        write = self.run.write
        if write is None or not self.run.has_started:
            return
        try:
            after = await write.capture(write.before)
        except CallError as error:
            self.flags |= {"capture_failed"}
            self.run.error = self.run.error or error
            return
        self.changes = write.changes(after)

    async def _verify(self) -> None:
        run = self.run
        verify, call = run.wrapped.verify, run.call
        if verify is None or run.error is not None:
            return
        deadline = asyncio.get_running_loop().time() + run.limits.hook_seconds
        try:
            facts = await until(deadline, verify(call.arguments, call))
            self.verified = normalize_result(facts).value
        except Exception:
            log.exception("verification failed, call %s", run.id)
            self.flags |= {"verify_failed"}

    # --- 11 and 12: the result ------------------------------------------------

    def _normalise_result(self) -> None:
        """Step 11: a JSON value and its bytes."""
        run = self.run
        if run.error is not None or isinstance(run.value, Outcome):
            return
        try:
            self.result = normalize_result(run.value)
        except NotJson as problem:
            self._refuse_output(str(problem), "a JSON value")
            return
        limit = run.limits.result_bytes
        if len(self.result.wire) > limit:
            self.result = _NOTHING
            self._refuse_output(
                f"the result is larger than {limit} bytes", f"at most {limit} bytes"
            )

    def _check_output(self) -> None:
        """Step 12: the author's output schema."""
        run = self.run
        check = run.wrapped.check_output
        if check is None or run.error is not None or isinstance(run.value, Outcome):
            return
        problems = check.problems_of_json(self.result.value)
        if problems:
            self.flags |= {"output_invalid"}
            run.error = InvalidOutput(run.wrapped.ability.name, problems)

    def _refuse_output(self, message: str, expected: str) -> None:
        problem = {"path": "", "message": message, "expected": expected}
        self.flags |= {"output_invalid"}
        self.run.error = InvalidOutput(
            self.run.wrapped.ability.name,
            [problem | {"received": "something else", "keyword": "result"}],
        )

    # --- 13 to 15 -------------------------------------------------------------

    async def _record_outcome(self) -> None:
        """Step 13: the durable outcome, if an intent was stored; or the refusal."""
        run, recorder = self.run, self.run.parts.recorder
        if recorder is None:
            return
        has_intent = run.write is not None and _is_stored(run.write.intent)
        # What a route hands on was recorded by the run of its target.
        is_own = self.outcome.ability == run.wrapped.ability.name
        is_denial = self.outcome.code in _DENIALS and not has_intent and is_own
        if not has_intent and not is_denial:
            return
        store = recorder.outcome if has_intent else recorder.refusal
        try:
            async with asyncio.timeout(run.limits.settle_seconds):
                await store(run.call, self.outcome)
            self.owed = None
        except Exception:
            log.exception("the outcome of call %s could not be stored", run.id)
            if has_intent:
                self.owed = self.outcome
                error = RecordFailed(self.outcome.ability)
                self.outcome = self.outcome._replace(
                    status="unknown", error=error, retryable=False
                )

    def _release_place(self) -> None:
        if self.run.has_place:
            self.run.has_place = False
            self.run.parts.slots.leave(self.run.request.actor.id)

    def _release_targets(self) -> None:
        if self.run.write is not None:
            self.run.write.release()
            self.run.write = None  # they hold each other: let the states go now

    def _tell_observers(self) -> Awaitable[None] | None:
        """Step 14: every `after_execute` hook, always."""
        return self.run.parts.finished(self.run.call, self.outcome)

    def _conclude(self) -> Outcome:
        """Step 15: what is known, as one record."""
        run, result = self.run, self.result
        if run.error is not None:
            return self._conclude_badly()
        if isinstance(run.value, Outcome):
            return run.value  # a route hands on what its target's own run gave
        return Outcome(  # by position: half of what it costs by name
            "ok",
            run.wrapped.ability.name,
            run.id,
            result.value,
            result.wire,
            self.verified,
            self.changes,
            self.flags,
            run.repaired,
        )

    def _conclude_badly(self) -> Outcome:
        run = self.run
        question, state = self._question()
        form = run.error.form if isinstance(run.error, NeedsInput) and state else None
        error = None if question else self._reason()
        return Outcome(
            status="input_required" if question else self._status(error),
            ability=run.wrapped.ability.name if run.is_found else run.request.name,
            call=run.id,
            result=self.result.value,
            verified=self.verified,
            error=error,
            changes=self.changes,
            question=question,
            state=state,
            form=form,
            wire=self.result.wire,
            flags=self.flags,
            repaired=run.repaired,
            retryable=self._is_retryable(error),
        )

    def _question(self) -> tuple[str, str]:
        run, error = self.run, self.run.error
        if isinstance(error, QuestionPending):
            return error.question, error.state
        if not isinstance(error, NeedsInput) or self.changes:
            return "", ""
        if run.call.is_nested:
            return "", ""
        return error.question, run.parts.questions.ask(run.binding())

    def _reason(self) -> CallError | None:
        run, error = self.run, self.run.error
        if error is None or isinstance(error, CallError):
            return error
        name = run.wrapped.ability.name if run.is_found else run.request.name
        if isinstance(error, NeedsInput):
            return NeedsAnswer(name, error.question)
        if self.is_caller_gone:
            self.flags |= {"cancelled"}
            return CallCancelled(name)
        log.error("ability %s failed, call %s", name, run.id, exc_info=error)
        return CallbackFailed(name, run.id)

    def _is_retryable(self, error: CallError | None) -> bool:
        """A write that has begun may have changed more than its targets."""
        is_safe = self.run.write is None or not self.run.has_started
        return error is not None and error.retryable and is_safe

    def _status(self, error: CallError | None) -> Status:
        """Say no more than is known: only read facts turn unknown into failed."""
        if error is None:
            return "ok"
        if "thread_lost" in self.flags or "capture_failed" in self.flags:
            return "unknown"
        if isinstance(error, AbilityTimeout | CallCancelled):
            return self._status_of_stopped()
        if error.fault == "failed" and not self.run.has_started:
            return "refused"
        if error.fault == "refused" and self.changes:
            return "failed"
        return error.fault

    def _status_of_stopped(self) -> Status:
        run = self.run
        if not run.has_started:
            return "refused"
        is_known = run.write is None or bool(run.write.before)
        return "failed" if is_known else "unknown"


def _is_caller_gone(error: BaseException) -> bool:
    """Tell the caller's cancellation from one the ability raised by itself."""
    if isinstance(error, KeyboardInterrupt | GeneratorExit):
        return True
    if not isinstance(error, asyncio.CancelledError):
        return False
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _is_stored(intent: "asyncio.Task[None] | None") -> bool:
    return intent is not None and intent.done() and intent.exception() is None
