"""Unenforced: approved rules still stop what they cover when nobody enforces them."""

from collections.abc import Callable, Iterator
from typing import Final

from abilities_host import ProposedWrite, Veto, run_in_thread
from abilities_host.memory import (
    Covering,
    InForce,
    LostRule,
    RuleEnforcer,
    StandingRule,
    covering_of,
)
from abilities_memory.recalling import memory_of

CODE: Final = "policy_missing"


async def stop_unenforced(write: ProposedWrite) -> Veto | None:
    """Stop a write that a rule covers, if no healthy pack enforces rules.

    Args:
        write: what is proposed.

    Returns:
        A veto, by domain and targets alone: what narrows a rule is not looked at.
    """
    try:
        write.call.service(RuleEnforcer)
    except LookupError:
        memory = memory_of(write.call)
        rules = await memory.standing.in_force()
        respelt = memory.respelt
        # Spelling a path may have to look at the disk.
        return await run_in_thread(lambda: next(_vetoes(write, rules, respelt), None))
    return None


def _vetoes(
    write: ProposedWrite, rules: InForce, respelt: Callable[[Covering], Covering]
) -> Iterator[Veto]:
    domains = {target.domain for target in write.targets}
    found: tuple[StandingRule | LostRule, ...] = (*rules.rules, *rules.lost)
    for each in found:
        covering = covering_of(each.rule)
        if covering.domain in domains:
            covering = respelt(covering)
        if covering.is_total or any(map(covering.covers, write.targets)):
            reason = f"{each.id} is approved, and no healthy pack enforces rules"
            yield Veto(reason, code=CODE, rule=each.id)
