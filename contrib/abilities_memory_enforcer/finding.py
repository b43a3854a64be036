"""Finding: what the rules say of one write, before anything comes of it."""

from dataclasses import dataclass

from abilities_host.memory import Effect
from abilities_memory_enforcer.rules import Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is to become of a write that some rule is about.

    Attributes:
        effect: the strictest of those rules.
        rule: ids of the guidance that decided, empty when nobody knows the rules.
        reason: why, for whoever is stopped.
        standing: the rules of this effect; for ``deny`` nobody looks further than one.
    """

    effect: Effect
    rule: str
    reason: str
    standing: tuple[Standing, ...] = ()
