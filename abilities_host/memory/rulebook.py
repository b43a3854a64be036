"""Rulebook: the approved rules of a host, for whoever enforces them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from abilities_host.calls import Ask, ProposedWrite, Veto


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRule:
    """One rule that a person approved and nobody withdrew.

    Attributes:
        id: of the guidance, such as ``gm-007``.
        text: what it says, to be told to whoever is stopped.
        rule: as it was approved, JSON values; see `abilities_host.memory.rule`.
        reviewed_by: name of the account.
        reviewed_at: microseconds since 1970.
        hash: of what was approved.
    """

    id: str
    text: str
    rule: Mapping[str, Any]
    reviewed_by: str
    reviewed_at: int
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LostRule:
    """A rule that was approved and is not as a person left it.

    Attributes:
        id: of the guidance.
        sentence: what is wrong with it.
        rule: what was approved, by the seal; None where that is gone too, and then
            nobody knows which writes it covered.
    """

    id: str
    sentence: str
    rule: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """All rules at one moment.

    Attributes:
        version: another number whenever anything here is different.
        rules: by id; topics and the memory kill switch have no say here.
        lost: the writes that they covered are stopped.
    """

    version: int
    rules: tuple[StandingRule, ...] = ()
    lost: tuple[LostRule, ...] = ()


class RuleEnforcer(Protocol):
    """What a pack offers that holds every write against the rulebook."""

    async def judge(self, write: ProposedWrite) -> Veto | Ask | None:
        """Decide on a write; see the hook `before_write`."""
        ...


class Rulebook(Protocol):
    """What a pack that keeps guidance offers to one that enforces it."""

    async def in_force(self) -> InForce:
        """Give the rules; cheap, and the same object, while nothing was decided.

        A decision of any process is seen from the next call on.

        Returns:
            All of them.

        Raises:
            StoreError: when they cannot be read; nothing may be written then.
        """
        ...
