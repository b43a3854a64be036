"""Covering: which targets a rule is about, known even when the rest is broken."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from abilities_host.domain import Target
from abilities_host.memory.broken import RuleBroken
from abilities_host.memory.patterns import COUNT, Patterns

DOMAIN_CHARACTERS: Final = 100
_ALL: Final = ("**",)


class Covering:
    """Which targets a rule is about.

    Args:
        domain: name of a domain, empty for every write, also one without a target.
        targets: patterns of canonical names.

    Attributes:
        domain: name of a domain, empty for every write.
        targets: the patterns.
        patterns: the same, to be matched.

    Raises:
        RuleBroken: when one of them is no pattern.
    """

    __slots__ = ("domain", "patterns", "targets")

    def __init__(self, domain: str, targets: tuple[str, ...]) -> None:
        self.domain: Final = domain
        self.targets: Final = targets
        self.patterns: Final = Patterns(targets, "targets")

    @property
    def is_total(self) -> bool:
        """Whether nobody knows what it is about, so that it is every write."""
        return not self.domain

    def covers(self, target: Target) -> bool:
        """Answer whether a target is one of those.

        Args:
            target: in its canonical spelling.

        Returns:
            True when a pattern matches it or something it lies below.
        """
        if self.domain and self.domain != target.domain:
            return False
        return not self.domain or self.patterns.match(target.name)

    def respelt(self, canonical: Callable[[str], str]) -> "Covering":
        """Take in patterns as the domain would spell them, so none is too strict.

        Args:
            canonical: of the domain; it may raise for what is no name.

        Returns:
            What covers the same, and more where a pattern was spelt otherwise.
        """
        more = {spelt for text in self.targets if (spelt := _spelt(text, canonical))}
        new = sorted(more.difference(self.targets))
        return Covering(self.domain, (*self.targets, *new)) if new else self


EVERYTHING: Final = ""


def covering_of(rule: Any) -> Covering:
    """Find out what a rule is about, whatever else is wrong with it.

    Args:
        rule: anything that was taken for a rule.

    Returns:
        Its domain and patterns; all of the domain when the patterns cannot be read,
        and every write when the domain cannot.
    """
    try:
        domain = read_domain(rule)
    except RuleBroken:
        return Covering(EVERYTHING, _ALL)
    try:
        return Covering(domain, read_texts(rule, "targets"))
    except RuleBroken:
        return Covering(domain, _ALL)


def read_domain(rule: Any) -> str:
    """Read which domain a rule names.

    Args:
        rule: a mapping, or anything.

    Returns:
        Name of a domain, which need not be registered.

    Raises:
        RuleBroken: when it names none.
    """
    if not isinstance(rule, Mapping):
        raise RuleBroken("it is no object.")
    domain = rule.get("domain")
    if not isinstance(domain, str) or not 0 < len(domain) <= DOMAIN_CHARACTERS:
        raise RuleBroken("it must name a domain, such as 'files'.", "domain")
    if not domain.isprintable() or not domain.isascii() or "*" in domain:
        raise RuleBroken("a domain is named in full, without wildcards.", "domain")
    return domain


def read_texts(rule: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """Read a list of texts.

    Args:
        rule: the rule.
        field: which one.

    Returns:
        The texts, at least one.

    Raises:
        RuleBroken: when it is something else, empty or too long.
    """
    found = rule.get(field)
    if not isinstance(found, list | tuple) or not 0 < len(found) <= COUNT:
        raise RuleBroken(f"it must be a list of 1 to {COUNT} texts.", field)
    if not all(isinstance(text, str) for text in found):
        raise RuleBroken("it must be a list of texts.", field)
    return tuple(found)


def _spelt(text: str, canonical: Callable[[str], str]) -> str:
    """Spell a pattern; the wildcards are characters of a name like others there."""
    try:
        spelt = canonical(text.removesuffix("/"))
        Patterns([spelt], "targets")
    except Exception:  # noqa: BLE001 - a pack's code; the pattern as written is kept
        return ""
    return spelt
