"""Unenforced: approved rules still stop what they cover when nobody enforces them."""

from collections.abc import Iterator
from typing import Final

from abilities_host import ProposedWrite, Veto
from abilities_host.memory import (
    InForce,
    LostRule,
    Rulebook,
    RuleEnforcer,
    StandingRule,
    covering_of,
)

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
        rules = await write.call.service(Rulebook).in_force()
        return next(_vetoes(write, rules), None)
    return None


def _vetoes(write: ProposedWrite, rules: InForce) -> Iterator[Veto]:
    found: tuple[StandingRule | LostRule, ...] = (*rules.rules, *rules.lost)
    for each in found:
        covering = covering_of(each.rule)
        if covering.is_total or any(map(covering.covers, write.targets)):
            reason = f"{each.id} is approved, and no healthy pack enforces rules"
            yield Veto(reason, code=CODE, rule=each.id)
