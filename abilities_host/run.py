"""Run: the steps of a run up to the end of the ability's own work."""

import asyncio
import logging
from collections.abc import Awaitable
from inspect import isawaitable, iscoroutine
from typing import Any, Final

import orjson

from abilities_host.ability import Ability
from abilities_host.calls import Call, Denied, Request
from abilities_host.deadline import until
from abilities_host.errors import (
    AbilityNotFound,
    AbilityTimeout,
    InvalidInput,
    MissingInputSchema,
    NestingTooDeep,
    PackAbandoned,
    PermissionDenied,
    WriteInReadonly,
)
from abilities_host.parts import Parts
from abilities_host.wrapped import Wrapped
from abilities_host.write import Write

log = logging.getLogger(__name__)


class Run:
    """One run on its way from request to result.

    Args:
        parts: what the envelope was given.
        request: what the surface handed over.
    """

    def __init__(self, parts: Parts, request: Request) -> None:
        self.parts: Final = parts
        self.request: Final = request
        self.id: Final = parts.new_id()
        self.wrapped: Wrapped
        self.call: Call
        self.is_found = False
        self.write: Write | None = None
        self.has_place = False
        self.has_started = False
        self.thread: asyncio.Future[Any] | None = None
        self.value: Any = None
        self.error: BaseException | None = None

    # --- 1 to 5: nothing is held, nothing is changed --------------------------

    async def find(self) -> None:
        """Step 1: the ability, if it is active and visible here."""
        parts, request = self.parts, self.request
        self.wrapped = await parts.find(request)
        ability = self.wrapped.ability
        self.call = Call(self.id, ability, request, self, parts.surroundings)
        self.is_found = True
        if parts.is_write(ability) and not ability.is_route:
            self.write = Write(parts, self.call, request.answer)

    def check_scope(self) -> None:
        """Step 2: the actor's scopes, and what the calls around this one allow.

        Raises:
            AbilityNotFound: without the scope; it looks the same as unknown.
            NestingTooDeep: beyond the limit.
            WriteInReadonly: for a write inside a read-only ability.
        """
        ability, parent = self.wrapped.ability, self.request.parent
        if not self.request.actor.may(ability.requires):
            raise AbilityNotFound(ability.name)
        if parent is None:
            return
        if parent.depth >= self.parts.limits.nesting:
            raise NestingTooDeep(ability.name, self.parts.limits.nesting)
        while parent is not None and self.write is not None:
            around = parent.ability
            if not around.is_route and not self.parts.is_write(around):
                raise WriteInReadonly(around.name, f"the write {ability.name!r}")
            parent = parent.parent

    def repair_arguments(self) -> None:
        """Step 3: none, null, ``{}`` and ``[]`` are one; defaults are filled in."""
        check, given = self.wrapped.check_input, self.call.arguments
        if check is None:
            self.call.arguments = None if given in ({}, []) else given
            return
        filled = check.fill(given)
        if (filled is None or filled == []) and _takes_object(self.wrapped.ability):
            filled = check.fill({})
        self.call.arguments = filled

    def check_input(self) -> None:
        """Step 4: the author's schema.

        Raises:
            MissingInputSchema: for arguments where none are taken.
            InvalidInput: with path, expected and received type of each problem.
        """
        check, given = self.wrapped.check_input, self.call.arguments
        name = self.wrapped.ability.name
        if check is None:
            if given is not None:
                raise MissingInputSchema(name)
            return
        problems = check.problems(given)
        if problems:
            raise InvalidInput(name, problems)
        if len(orjson.dumps(given)) > self.parts.limits.input_bytes:
            raise InvalidInput(name, [_too_large(self.parts.limits.input_bytes)])

    async def check_permission(self) -> None:
        """Step 5: the ability's own permission, once, with validated arguments.

        Raises:
            PermissionDenied: unless it answers exactly True.
        """
        name = self.wrapped.ability.name
        try:
            answer = self.wrapped.permission.ask(self.call.arguments, self.call)
            if iscoroutine(answer):
                seconds = self.parts.limits.hook_seconds
                answer = await until(self._time() + seconds, answer)
        except Exception as error:  # a permission that cannot answer has not allowed
            log.exception("permission of %s failed, call %s", name, self.id)
            raise PermissionDenied(name, reference=self.id) from error
        if answer is True:
            return
        if isinstance(answer, Denied):
            log.info("%s denied: %s", name, answer.reason)
            raise PermissionDenied(name, answer.public)
        raise PermissionDenied(name)

    # --- 6 to 8: what a write must have before it runs ------------------------

    async def take_place(self) -> None:
        """Take a place among the running calls; a nested call has its parent's.

        Raises:
            HostBusy: when too many run and wait.
            PackAbandoned: when too many of the pack's threads never returned.
        """
        pack, actor = self.wrapped.ability.pack, self.request.actor.id
        lost = self.parts.abandoned.get(pack, 0)
        if self.write and lost >= self.parts.limits.abandoned_threads:
            raise PackAbandoned(pack, lost)
        if self.request.parent is not None:
            return
        if not self.parts.slots.try_take(actor):
            await self.parts.slots.wait(actor)
        self.has_place = True

    async def capture_before(self) -> None:
        """Step 6: canonical targets, their locks, and what is true now."""
        if self.write is not None:
            await self.write.capture_before()

    async def ask_policy(self) -> None:
        """Step 7: every `before_write` hook, after one more look at what is active.

        Raises:
            AbilityNotFound: when it was switched off while the call waited.
        """
        if self.write is None:
            return
        if await self.parts.find(self.request) is not self.wrapped:
            raise AbilityNotFound(self.request.name)
        await self.write.ask_policy()

    async def record_intent(self) -> None:
        """Step 8: the durable intent."""
        if self.write is not None:
            await self.write.record_intent()

    # --- 9: the ability's own work --------------------------------------------

    async def perform(self) -> None:
        """Step 9: the ability, within its time.

        Raises:
            AbilityTimeout: when it did not end in time; a thread goes on.
            CallError: a refusal that the ability was told and swallowed.
        """
        call, limits = self.call, self.parts.limits
        seconds = self.wrapped.ability.time_limit or limits.call_seconds
        around = call.parent.deadline if call.parent else float("inf")
        call.deadline = min(around, self._time() + seconds)
        self._take_answer()
        self.has_started = True
        work = self.wrapped.execute.begin(call.arguments, call)
        if isinstance(work, asyncio.Future):
            self.thread = work
            work = _wait_for(asyncio.shield(work))
        self.value = await self._within(call.deadline, work, seconds)
        if self.write is not None and self.write.stopped is not None:
            raise self.write.stopped

    async def touch(self, domain: str, target: str) -> None:
        """Announce a change, for `Call.touch`."""
        await self._announced(domain).announce(domain, target, is_new=False)

    async def created(self, domain: str, target: str) -> None:
        """Announce something just made, for `Call.created`."""
        await self._announced(domain).announce(domain, target, is_new=True)

    def _announced(self, domain: str) -> Write:
        if self.write is None:
            self.error = WriteInReadonly(
                self.wrapped.ability.name, f"a change in {domain!r}"
            )
            raise self.error
        return self.write

    async def _within(
        self, deadline: float, work: Awaitable[Any], seconds: float
    ) -> Any:
        try:
            if iscoroutine(work):
                return await until(deadline, work)
            async with asyncio.timeout_at(deadline):
                return await work
        except TimeoutError:
            if self._time() < deadline:
                raise  # the ability's own
            raise AbilityTimeout(self.wrapped.ability.name, seconds) from None

    def _take_answer(self) -> None:
        answer = self.request.answer
        if self.wrapped.ability.is_route:
            return  # it belongs to the route's target
        if answer and self.parts.questions.take(answer.state, self.binding()):
            self.call.answer = answer

    def binding(self) -> bytes:
        """Digest what a person would agree to when the ability itself asks."""
        write = self.write or Write(self.parts, self.call, None)
        return write.binding()

    def _time(self) -> float:
        return asyncio.get_running_loop().time()


def _takes_object(ability: Ability) -> bool:
    schema = ability.input_schema or {}
    return schema.get("type") == "object" or "properties" in schema


async def _wait_for(future: Awaitable[Any]) -> Any:
    answer = await future
    return await answer if isawaitable(answer) else answer


def _too_large(limit: int) -> dict[str, str]:
    return {
        "path": "",
        "message": f"the arguments are larger than {limit} bytes",
        "expected": f"at most {limit} bytes",
        "received": "more",
        "keyword": "size",
    }
