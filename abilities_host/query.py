"""Query: which abilities somebody asks for."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from abilities_host.ability import Ability
from abilities_host.folding import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Conditions that must all hold; none means every ability.

    Attributes:
        namespace: exact namespace; a trailing slash is allowed.
        category: exact category slug.
        meta: nested meta values that must be equal, also in type; a missing key
            excludes. The rule is WordPress's.
        search: words that must all appear in name, label or description, without
            case and accents.
        include: a last word on each ability.
    """

    namespace: str | None = None
    category: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    search: str = ""
    include: Callable[[Ability], bool] | None = None

    def select(self, abilities: Iterable[Ability]) -> tuple[Ability, ...]:
        """Give the abilities that match, in the order they came.

        Args:
            abilities: where to look.

        Returns:
            Those for which every condition holds.
        """
        return tuple(ability for ability in abilities if self._matches(ability))

    def _matches(self, ability: Ability) -> bool:
        return (
            (self.namespace is None or ability.namespace == self.namespace.rstrip("/"))
            and (self.category is None or ability.category == self.category)
            and _contains(ability.meta, self.meta)
            and self._mentions(ability)
            and (self.include is None or self.include(ability))
        )

    def _mentions(self, ability: Ability) -> bool:
        if not self.search:
            return True
        text = fold(f"{ability.name} {ability.label} {ability.description}")
        return all(word in text for word in fold(self.search).split())


def _contains(have: Any, want: Any) -> bool:
    if isinstance(want, Mapping):
        return isinstance(have, Mapping) and all(
            key in have and _contains(have[key], value) for key, value in want.items()
        )
    if isinstance(want, list | tuple):
        return (
            isinstance(have, list | tuple)
            and len(have) == len(want)
            and all(_contains(a, b) for a, b in zip(have, want, strict=True))
        )
    return type(have) is type(want) and bool(have == want)
