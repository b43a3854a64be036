"""Run: the steps of a run up to the end of the ability's own work."""

import asyncio
from collections.abc import Awaitable, Coroutine
from inspect import isawaitable
from types import CoroutineType
from typing import Any, Final

from abilities_host.ability import Ability
from abilities_host.calls import Answer, Call, Request
from abilities_host.deadline import finish, start
from abilities_host.domain import State
from abilities_host.errors import (
    AbilityNotFound,
    AbilityTimeout,
    InvalidInput,
    MissingInputSchema,
    NestingTooDeep,
    PackAbandoned,
    WriteInReadonly,
)
from abilities_host.parts import Parts
from abilities_host.permission import check_permission
from abilities_host.schema.arguments import repair_arguments
from abilities_host.schema.validate import Validator
from abilities_host.wrapped import Wrapped
from abilities_host.write import Write


class Run:
    """One run on its way from request to result.

    Args:
        parts: what the envelope was given.
        request: what the surface handed over.
    """

    __slots__ = (
        "call",
        "error",
        "has_place",
        "has_started",
        "id",
        "is_found",
        "limits",
        "parts",
        "repaired",
        "request",
        "thread",
        "value",
        "wrapped",
        "write",
    )

    def __init__(self, parts: Parts, request: Request) -> None:
        self.parts: Final = parts
        self.request: Final = request
        self.id: Final = parts.new_id()
        parent = request.parent
        self.limits: Final = parts.limits if parent is None else parent.limits
        self.wrapped: Wrapped
        self.call: Call
        self.is_found = False
        self.repaired: tuple[str, ...] = request.repaired
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
        if self.repaired:
            parts.repairs.note(ability.name, request.client, self.repaired)
        if parts.is_write(ability):
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
        if parent.depth >= self.limits.nesting:
            raise NestingTooDeep(ability.name, self.limits.nesting)
        is_write = self.parts.is_write
        while parent is not None and self.write is not None:
            around = parent.ability
            # A route is never a write itself; what it says of itself counts.
            if not (around.is_write if around.is_route else is_write(around)):
                raise WriteInReadonly(around.name, f"the write {ability.name!r}")
            parent = parent.parent

    def repair_arguments(self) -> None:
        """Step 3: none, null, ``{}`` and ``[]`` are one; defaults are filled in."""
        check, given = self.wrapped.check_input, self.call.arguments
        if check is None:
            self.call.arguments = None if given in ({}, []) else given
            return
        if given and not check.has_defaults:
            return  # as most calls: nothing is missing
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
        if check is None:
            if given is not None:
                raise MissingInputSchema(self.wrapped.ability.name)
            return
        problems = check.problems(given, self.limits.input_bytes)
        if problems and not self._is_mended(check):
            raise InvalidInput(self.wrapped.ability.name, problems)

    def _is_mended(self, check: Validator) -> bool:
        """Repair what a client garbled, if it can mean one thing only and fits then.

        What a pack's own code passes on is refused as it is.
        """
        call, request = self.call, self.request
        if call.server is None or call.is_nested:
            return False
        mended = repair_arguments(
            call.ability.input_schema or {},
            call.arguments,
            numbers_in_strings=request.numbers_in_strings,
        )
        filled = check.fill(mended.arguments)
        limit = self.limits.input_bytes
        if not mended.count or check.problems(filled, limit):
            return False
        self.repaired += mended.told
        self.parts.repairs.note(call.ability.name, request.client, mended.told)
        call.arguments = filled
        return True

    def check_permission(self) -> Awaitable[None]:
        """Step 5: the ability's own permission, once, with validated arguments.

        Raises:
            PermissionDenied: unless it answers exactly True.
        """
        seconds = self.limits.hook_seconds
        return check_permission(self.wrapped, self.call.arguments, self.call, seconds)

    # --- 6 to 8: what a write must have before it runs ------------------------

    async def take_place(self) -> None:
        """Take a place among the running calls; a nested call has its parent's.

        Raises:
            HostBusy: when too many run and wait.
            PackAbandoned: when too many of the pack's threads never returned.
        """
        if self.write is not None:
            self._refuse_abandoned(self.wrapped.ability.pack)
        if self.request.parent is not None:
            return
        slots, actor = self.parts.slots, self.request.actor.id
        if not slots.try_take(actor):
            await slots.wait(actor)
        self.has_place = True

    def _refuse_abandoned(self, pack: str) -> None:
        lost = self.parts.abandoned.get(pack, 0)
        if lost >= self.limits.abandoned_threads:
            raise PackAbandoned(pack, lost)

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
        call = self.call
        seconds = call.ability.time_limit or self.limits.call_seconds
        call.deadline = asyncio.get_running_loop().time() + seconds
        if call.parent is not None:
            call.deadline = min(call.deadline, call.parent.deadline)
        if self.request.answer is not None:
            self._take_answer(self.request.answer)
        self.has_started = True
        try:
            work = self._begin()
            is_over, value = start(work)
            self.value = value if is_over else await finish(call.deadline, work, value)
        except TimeoutError:
            if asyncio.get_running_loop().time() < call.deadline:
                raise  # the ability's own
            raise AbilityTimeout(call.ability.name, seconds) from None
        if self.write is not None and self.write.stopped is not None:
            raise self.write.stopped

    async def touch(self, domain: str, target: str) -> None:
        """Announce a change, for `Call.touch`."""
        await self._announced(domain).announce(domain, target, is_new=False)

    async def created(self, domain: str, target: str) -> None:
        """Announce something just made, for `Call.created`."""
        await self._announced(domain).announce(domain, target, is_new=True)

    def made(self, domain: str, target: str, state: State) -> None:
        """Note a state the ability made, for `Call.made`."""
        self._announced(domain).note_made(domain, target, state)

    def _announced(self, domain: str) -> Write:
        if self.write is None:
            self.error = WriteInReadonly(
                self.wrapped.ability.name, f"a change in {domain!r}"
            )
            raise self.error
        return self.write

    def _begin(self) -> Coroutine[Any, Any, Any]:
        work = self.wrapped.execute.begin(self.call.arguments, self.call)
        if isinstance(work, CoroutineType):
            return work
        if isinstance(work, asyncio.Future):
            self.thread = work
            work = asyncio.shield(work)
        return _wait_for(work)

    def _take_answer(self, answer: Answer) -> None:
        if self.call.ability.is_route:
            return  # it belongs to the route's target
        if self.parts.questions.take(answer.state, self.binding()):
            self.call.answer = answer

    def binding(self) -> bytes:
        """Digest what a person would agree to when the ability itself asks."""
        write = self.write or Write(self.parts, self.call, None)
        return write.binding()


def _takes_object(ability: Ability) -> bool:
    schema = ability.input_schema or {}
    return schema.get("type") == "object" or "properties" in schema


async def _wait_for(future: Awaitable[Any]) -> Any:
    answer = await future
    return await answer if isawaitable(answer) else answer
