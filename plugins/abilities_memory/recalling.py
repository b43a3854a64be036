"""Recalling: what `memory/recall` does."""

from collections.abc import Mapping
from typing import Any, Final, cast

from abilities_host import Call
from abilities_host.memory import ProjectMemory, Scope
from abilities_memory.answer import answer
from abilities_memory.service import MemoryService
from abilities_memory.shelf import now_micros

READ_ALL: Final = "memory:read-all"
"""Who has it reads the summaries of others too."""


async def recall(arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """Give what was approved and what was done lately.

    Args:
        arguments: see the schema.
        call: the running call.

    Returns:
        Guidance and summaries; nothing found is a success.
    """
    memory = memory_of(call)
    actor = None if call.actor.may(READ_ALL) else call.actor.id
    hint = arguments.get("intent_hint", "")
    scope = arguments.get("scope")
    held = await memory.standing.current()
    found = held.memory.recall(
        hint=hint,
        scope=None if scope is None else memory.spelt(asked(scope)),
        domain=arguments.get("domain", ""),
        types=arguments.get("types", ()),
        limit=arguments["limit"],
        at=now_micros(),
    )
    ranked = found.in_order(await call.rerank(hint, found.ids))
    recent = await memory.summaries.recent(actor, arguments["summaries"])
    count = await memory.summaries.count(actor)
    return answer(ranked, recent, summaries_count=count)


def memory_of(call: Call) -> MemoryService:
    """Give the service; our own pack offers it, with more than the protocol has."""
    return cast("MemoryService", call.service(ProjectMemory))


def asked(scope: Mapping[str, Any]) -> Scope:
    """Read a scope: who names a post or a target means that, unless told otherwise."""
    named = {name: scope[name] for name in ("post_id", "target") if name in scope}
    return Scope(site_wide=scope.get("site_wide", not named), **named)
