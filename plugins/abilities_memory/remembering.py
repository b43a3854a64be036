"""Remembering: what `memory/remember` does; it never approves anything."""

from collections.abc import Mapping
from typing import Any, Final

from abilities_host import Call
from abilities_host.memory import Proposal, Scope, parse_rule
from abilities_memory.recalling import asked, memory_of

GENERAL: Final = "general"
"""The topic of what names none."""

NOTE: Final = (
    "It has no effect until a human approves it: abilities memory review. You cannot "
    "approve it, and asking again only adds another proposal."
)


async def remember(arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """Keep a proposal for a human.

    Args:
        arguments: see the schema.
        call: the running call.

    Returns:
        Its id, and what is to be done now.

    Raises:
        RuleBroken: when its rule cannot be enforced; nothing is kept.
        CallError: when a part of it cannot be taken, or too many wait.
    """
    memory = memory_of(call)
    kept = await memory.propose(
        _proposal(arguments), by=call.actor.id, source="agent_proposal"
    )
    return {
        "id": kept.id,
        "status": kept.status,
        "duplicate_of": kept.duplicate_of or None,
        "supersedes": kept.supersedes or None,
        "pending": (await memory.counts())["pending"],
        "note": NOTE,
    }


def _proposal(arguments: Mapping[str, Any]) -> Proposal:
    rule = arguments.get("rule")
    if rule is not None:
        parse_rule(rule)  # said to the agent now rather than to a human later
    scope = arguments.get("scope")
    return Proposal(
        type=arguments["type"],
        topic=arguments.get("domain", GENERAL),
        text=arguments["text"],
        rationale=arguments["rationale"],
        recall=tuple(arguments.get("recall", ())),
        scope=Scope() if scope is None else asked(scope),
        rule=rule,
        supersedes=arguments.get("supersedes", ""),
    )
