"""Undoing: an undo needs everything that the write it performs would need."""

from abilities_host.ability import Ability
from abilities_host.calls import Call, Request, Undo
from abilities_host.errors import AbilityNotFound
from abilities_host.parts import Parts
from abilities_host.permission import check_permission
from abilities_host.wrapped import Wrapped


async def judge_undo(parts: Parts, call: Call, undo: Undo) -> Ability:
    """Check that the actor could have made the change that is undone.

    Args:
        parts: what the envelope was given.
        call: the undo's run.
        undo: what it would do.

    Returns:
        The ability whose change is undone.

    Raises:
        AbilityNotFound: when that ability is gone or needs a scope the actor lacks; for
            an agent also when it is switched off.
        PermissionDenied: when its own permission says no.
    """
    wrapped = await _find(parts, call, undo.original)
    if not call.actor.may(wrapped.ability.requires):
        raise AbilityNotFound(undo.original)
    seconds = call.limits.hook_seconds
    await check_permission(wrapped, undo.arguments, call, seconds)
    return wrapped.ability


async def _find(parts: Parts, call: Call, name: str) -> Wrapped:
    """A person may undo what was switched off since; an agent may not."""
    if call.actor.kind == "agent":
        request = Request(name=name, actor=call.actor, server=call.server)
        return await parts.find(request)
    wrapped = parts.get_wrapped(name)
    if wrapped is None:
        raise AbilityNotFound(name)
    return wrapped
