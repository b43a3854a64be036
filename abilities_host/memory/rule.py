"""Rule: what an approved guardrail forbids, as it is written and as it is decided."""

__all__ = ("Covering", "Rule", "RuleBroken", "covering_of", "parse_rule")

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

import orjson

from abilities_host.calls import ProposedWrite
from abilities_host.domain import Target
from abilities_host.errors import listed, nearest
from abilities_host.ledger import Entry
from abilities_host.memory.broken import RuleBroken
from abilities_host.memory.covering import (
    Covering,
    covering_of,
    read_domain,
    read_texts,
)
from abilities_host.memory.narrowing import Narrowing, Value
from abilities_host.memory.patterns import Patterns
from abilities_host.memory.seen import ACTIONS, Actions, Seen, Side
from abilities_host.schema.fitness import find_flaw
from abilities_host.schema.pointer import printable

Effect = Literal["deny", "approve", "confirm"]

EFFECTS: Final[tuple[Effect, ...]] = get_args(Effect)
"""The strictest first."""

RULE_CHARACTERS: Final = 16_000
MESSAGE_CHARACTERS: Final = 300
KEYS: Final = (
    "domain",
    "targets",
    "abilities",
    "actions",
    "arguments",
    "target",
    "before",
    "effect",
    "message",
)
_ABILITY_PATTERN: Final = re.compile(r"[a-z0-9*?-]+(/[a-z0-9*?-]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule that can be enforced; `parse_rule` makes one.

    Attributes:
        covering: domain and targets that it is about.
        effect: what becomes of a write that it stops.
        message: more for whoever is stopped; may be empty.
        abilities: names it is narrowed to, None for every ability.
        actions: what it is narrowed to, None for all three.
        arguments: schema it is narrowed to, None for any.
        target: schema of a target's name, None for any.
        before: schema of the state before, None for any.
    """

    covering: Covering
    effect: Effect
    message: str
    abilities: Patterns | None
    actions: Actions | None
    arguments: Narrowing | None
    target: Narrowing | None
    before: Narrowing | None

    @property
    def domain(self) -> str:
        """The one domain that it is about."""
        return self.covering.domain

    def respelt(self, canonical: Callable[[str], str]) -> "Rule":
        """Take in the patterns as the domain would spell them; see `Covering`."""
        return replace(self, covering=self.covering.respelt(canonical))

    def covers(self, target: Target) -> bool:
        """Answer whether it is about a target, whatever narrows it.

        Args:
            target: in its canonical spelling.

        Returns:
            True when domain and a pattern match.
        """
        return self.covering.covers(target)

    async def stops(self, write: ProposedWrite | Seen) -> bool:
        """Answer whether it is about a write; what nobody can tell counts as yes.

        An undo is looked at twice: as the write that it is, and as the one it undoes.

        Args:
            write: before it happens; as `Seen` where many rules look at it.

        Returns:
            True when everything in the rule fits one of the targets.
        """
        seen = write if isinstance(write, Seen) else Seen(write)
        sides = [side for side in seen.sides if self._fits(side)]
        if not sides:
            return False
        targets = [target for target in seen.targets if self._names(target)]
        if self.actions is None and self.before is None:
            return bool(targets)
        for side in sides:
            for target in targets:
                if await self._meets(side, target):
                    return True
        return False

    def would_stop(self, entry: Entry) -> bool:
        """Answer whether it covers a change of the record.

        Domain, target, ability and action are looked at; arguments and the state
        before are not there any more, so it may say yes to more than it would stop.

        Args:
            entry: a change.

        Returns:
            True when all that is known fits.
        """
        return (
            self._names(Target(entry.domain, entry.target))
            and self._allows_ability(entry.ability)
            and (self.actions is None or entry.action in self.actions)
        )

    def _names(self, target: Target) -> bool:
        if not self.covers(target):
            return False
        return self.target is None or self.target.may_fit(Value(target.name))

    def _allows_ability(self, name: str) -> bool:
        return self.abilities is None or self.abilities.match(name)

    def _fits(self, side: Side) -> bool:
        if not self._allows_ability(side.ability):
            return False
        if self.arguments is None or side.arguments is None:
            return True
        return self.arguments.may_fit(side.arguments)

    async def _meets(self, side: Side, target: Target) -> bool:
        if self.actions is not None:
            possible = await side.actions(target)
            if self.actions.isdisjoint(possible):
                return False
        if self.before is None:
            return True
        state = await side.state(target)
        return state is not None and self.before.may_fit(state)


def parse_rule(rule: Any) -> Rule:
    """Read and compile a rule.

    Args:
        rule: JSON values, in at most 16,000 characters.

    Returns:
        The rule.

    Raises:
        RuleBroken: when it cannot be enforced exactly as it is written.
    """
    if not isinstance(rule, Mapping):
        raise RuleBroken("it is no object.")
    _check_size(rule)
    _check_keys(rule)
    return Rule(
        covering=Covering(read_domain(rule), read_texts(rule, "targets")),
        effect=_effect(rule),
        message=_message(rule),
        abilities=_abilities(rule),
        actions=_actions(rule),
        arguments=_narrowing(rule, "arguments"),
        target=_narrowing(rule, "target"),
        before=_narrowing(rule, "before"),
    )


def _check_size(rule: Mapping[str, Any]) -> None:
    flaw = find_flaw(rule, count=RULE_CHARACTERS)
    if flaw:
        raise RuleBroken(f"it {flaw.problem}.")
    if len(orjson.dumps(rule, default=dict).decode()) > RULE_CHARACTERS:
        raise RuleBroken(f"it is longer than {RULE_CHARACTERS:,} characters.")


def _check_keys(rule: Mapping[str, Any]) -> None:
    for key in rule:
        if key not in KEYS:
            hint = nearest(key[:64], KEYS) or f" There are: {listed(KEYS, len(KEYS))}."
            raise RuleBroken(f"'{printable(key)}' is no field of a rule.{hint}")


def _effect(rule: Mapping[str, Any]) -> Effect:
    found = rule.get("effect")
    for effect in EFFECTS:
        if found == effect:
            return effect
    hint = nearest(found[:64], EFFECTS) if isinstance(found, str) else ""
    raise RuleBroken(f"it must be one of {listed(EFFECTS)}.{hint}", "effect")


def _message(rule: Mapping[str, Any]) -> str:
    found = rule.get("message", "")
    if not isinstance(found, str) or len(found) > MESSAGE_CHARACTERS:
        problem = f"it must be a text of at most {MESSAGE_CHARACTERS} characters."
        raise RuleBroken(problem, "message")
    return found


def _abilities(rule: Mapping[str, Any]) -> Patterns | None:
    if "abilities" not in rule:
        return None
    texts = read_texts(rule, "abilities")
    for text in texts:
        if not _ABILITY_PATTERN.fullmatch(text):
            problem = "an ability is named in small letters, such as 'files/*'."
            shown = printable(text)
            raise RuleBroken(f"'{shown}' matches none: {problem}", "abilities")
    return Patterns(texts, "abilities")


def _actions(rule: Mapping[str, Any]) -> Actions | None:
    if "actions" not in rule:
        return None
    texts = read_texts(rule, "actions")
    for text in texts:
        if text not in ACTIONS:
            hint = nearest(text[:64], ACTIONS)
            problem = f"they are {listed(ACTIONS)}.{hint}"
            raise RuleBroken(problem, "actions")
    return frozenset(texts)


def _narrowing(rule: Mapping[str, Any], field: str) -> Narrowing | None:
    return Narrowing(field, rule[field]) if field in rule else None
