"""Rules: everything in force, compiled once and sorted by domain."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from abilities_host import Target
from abilities_host.memory import (
    EFFECTS,
    Covering,
    InForce,
    LostRule,
    Rule,
    RuleBroken,
    StandingRule,
    covering_of,
    parse_rule,
)
from abilities_memory_enforcer import wording

Canonical = Callable[[str], str]
FindCanonical = Callable[[str], Canonical | None]
"""From the name of a domain to how it spells its targets, None while it is unknown."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One rule in force that can be enforced.

    Attributes:
        id: of the guidance.
        text: what it says.
        hash: of what was approved.
        rule: compiled.
    """

    id: str
    text: str
    hash: str
    rule: Rule


@dataclass(frozen=True, slots=True)
class Blocked:
    """One rule that nobody can follow exactly, so it stops all that it is about.

    Attributes:
        id: of the guidance.
        reason: what whoever is stopped is told.
        covering: what it is about.
    """

    id: str
    reason: str
    covering: Covering


class _Placed(NamedTuple):
    """A rule that may be about a name that holds the needle; the strictest first."""

    needle: str
    place: int
    each: Standing


class Rules:
    """All rules at one moment.

    Args:
        version: of the rulebook.
        standing: those that can be enforced.
        blocked: those that cannot.
        unspelt: domains that were not registered, so their spelling is not known.

    Attributes:
        version: of the rulebook.
        unspelt: domains of which patterns are taken as they are written.
    """

    def __init__(
        self,
        version: int,
        standing: Iterable[Standing],
        blocked: Iterable[Blocked],
        unspelt: Iterable[str] = (),
    ) -> None:
        self.version: Final = version
        self.unspelt: Final = frozenset(unspelt)
        # By domain and first part of the name, and by domain alone.
        self._headed: Final[dict[tuple[str, str], list[_Placed]]] = {}
        self._others: Final[dict[str, list[_Placed]]] = {}
        self._blocked: Final[dict[str, list[Blocked]]] = {}
        for place, each in enumerate(sorted(standing, key=_strictest_first)):
            self._sort_in(place, each)
        for one in blocked:
            self._blocked.setdefault(one.covering.domain, []).append(one)

    def find_blocked(self, targets: Iterable[Target]) -> Blocked | None:
        """Give a broken or lost rule that is about a write, None without one.

        Args:
            targets: of the write.

        Returns:
            The first; what nobody knows to be about anything is about every write.
        """
        for one in self._blocked.get("", ()):
            return one
        for target in targets:
            for one in self._blocked.get(target.domain, ()):
                if one.covering.covers(target):
                    return one
        return None

    def covering(self, targets: Iterable[Target]) -> list[Standing]:
        """Give the rules about any of some targets.

        Args:
            targets: of a write.

        Returns:
            Each once, the strictest effect first.
        """
        found = {
            place: each
            for target in targets
            for needle, place, each in self._candidates(target)
            if needle in target.name and each.rule.covers(target)
        }
        return [found[place] for place in sorted(found)]

    def _sort_in(self, place: int, each: Standing) -> None:
        domain, patterns = each.rule.domain, each.rule.covering.patterns
        if patterns.heads is None:
            placed = [_Placed(needle, place, each) for needle in patterns.needles]
            self._others.setdefault(domain, []).extend(placed)
            return
        for head in patterns.heads:
            placed = self._headed.setdefault((domain, head), [])
            placed.append(_Placed("", place, each))

    def _candidates(self, target: Target) -> Iterable[_Placed]:
        head = target.name.partition("/")[0]
        headed = self._headed.get((target.domain, head), ())
        return chain(headed, self._others.get(target.domain, ()))


class Compiler:
    """Compiles rules, and keeps those that are still in force.

    Args:
        find_canonical: gives how a domain spells its targets.
    """

    def __init__(self, find_canonical: FindCanonical) -> None:
        self._find_canonical: Final = find_canonical
        self._kept: dict[tuple[str, str], Rule | RuleBroken] = {}

    def compile(self, in_force: InForce) -> Rules:
        """Compile what is in force; it takes a while and belongs in a thread.

        Args:
            in_force: from the rulebook.

        Returns:
            All of it; what cannot be compiled blocks what it covers.
        """
        kept = {(each.id, each.hash): self._parse(each) for each in in_force.rules}
        self._kept = kept
        spelling = _Spelling(self._find_canonical)
        standing, blocked = [], []
        for each in in_force.rules:
            rule = kept[each.id, each.hash]
            if isinstance(rule, RuleBroken):
                blocked.append(_broken(each, rule, spelling))
            else:
                respelt = spelling.respell_rule(rule)
                standing.append(Standing(each.id, each.text, each.hash, respelt))
        blocked += [_lost(each, spelling) for each in in_force.lost]
        return Rules(in_force.version, standing, blocked, spelling.unknown)

    def _parse(self, each: StandingRule) -> Rule | RuleBroken:
        kept = self._kept.get((each.id, each.hash))
        if kept is not None:
            return kept
        try:
            return parse_rule(each.rule)
        except RuleBroken as error:
            return error


class _Spelling:
    """How domains spell their targets; those that are not registered are noted."""

    def __init__(self, find_canonical: FindCanonical) -> None:
        self._find: Final = find_canonical
        self._found: Final[dict[str, Canonical | None]] = {}
        self.unknown: Final[set[str]] = set()

    def respell_rule(self, rule: Rule) -> Rule:
        canonical = self._canonical(rule.domain)
        return rule.respelt(canonical) if canonical else rule

    def respell(self, covering: Covering) -> Covering:
        canonical = self._canonical(covering.domain)
        return covering.respelt(canonical) if canonical else covering

    def _canonical(self, domain: str) -> Canonical | None:
        if domain not in self._found:
            self._found[domain] = self._find(domain) if domain else None
            if domain and self._found[domain] is None:
                self.unknown.add(domain)
        return self._found[domain]


def _strictest_first(each: Standing) -> int:
    return EFFECTS.index(each.rule.effect)


def _broken(each: StandingRule, error: RuleBroken, spelling: _Spelling) -> Blocked:
    covering = spelling.respell(covering_of(each.rule))
    return Blocked(each.id, wording.unenforceable(each.id, error.sentence), covering)


def _lost(each: LostRule, spelling: _Spelling) -> Blocked:
    covering = spelling.respell(covering_of(each.rule))
    return Blocked(each.id, wording.lost(each.id, each.sentence), covering)
