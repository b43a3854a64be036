"""Trust: which packs are watched, and which of their definitions may be served."""

from collections.abc import Callable
from dataclasses import dataclass

from abilities_host.ability import Ability
from abilities_host.loading import DISTRIBUTION

Trusted = frozenset[tuple[str, str, str]]
"""Pack, ability and hash of a definition."""


def is_foreign(pack: str) -> bool:
    """Answer whether a pack comes from elsewhere than the host itself.

    Args:
        pack: identity of a pack; empty for what the embedding program registered.

    Returns:
        True for other distributions, files of `plugins_dir` and packs that an embedding
        program gives.
    """
    return bool(pack) and pack.partition("/")[0] != DISTRIBUTION


@dataclass(frozen=True, slots=True)
class Holding:
    """Says which abilities wait for a person, as it was known at one moment.

    Attributes:
        trusted: definitions that may be served.
        hash_of: gives the hash of an ability's definition.
    """

    trusted: Trusted
    hash_of: Callable[[Ability], str]

    def __call__(self, ability: Ability) -> bool:
        """Answer whether an ability is not to be served."""
        if not is_foreign(ability.pack):
            return False
        return (ability.pack, ability.name, self.hash_of(ability)) not in self.trusted
