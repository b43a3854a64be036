"""Recall: the approved guidance that something to be done needs, in a fixed order."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from abilities_host.memory import Guidance, Scope, Topic, Type
from abilities_memory.index import Index, Wanted
from abilities_memory.ranking import reordered

LIMIT: Final = 200
DEFAULT_LIMIT: Final = 50
EVERYWHERE: Final = 1000
"""Entries that the instructions of a server are chosen from."""


@dataclass(frozen=True, slots=True)
class Found:
    """Guidance that was found, and why.

    Attributes:
        guidance: approved and sealed.
        matches: how many of its words the hint holds, 8 at most.
        is_always_on: it comes up without any word.
    """

    guidance: Guidance
    matches: int
    is_always_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What a search found.

    Attributes:
        entries: best first.
        count: how many there are, also where fewer are given.
        by_type: the same, by type.
        at: when it was asked, microseconds since 1970.
    """

    entries: tuple[Found, ...] = ()
    count: int = 0
    by_type: Mapping[Type, int]
    at: int

    @property
    def is_truncated(self) -> bool:
        """Whether there is more than was given."""
        return len(self.entries) < self.count

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the entries, in their order."""
        return tuple(found.guidance.id for found in self.entries)

    def in_order(self, answer: Iterable[str]) -> "Recalled":
        """Give the same in another order, or less of it; nothing comes in.

        Args:
            answer: ids, as a plugin ranked them.

        Returns:
            What the answer names; what it drops still counts.
        """
        entries = reordered(self.entries, self.ids, tuple(answer))
        return replace(self, entries=tuple(entries))


class Memory:
    """All approved guidance, to be searched; made anew whenever it changes.

    Args:
        guidance: approved, with a seal that verifies; what is not approved is left out.
        topics: by name; one that is missing is active and has no words.
    """

    def __init__(
        self, guidance: Iterable[Guidance], topics: Mapping[str, Topic]
    ) -> None:
        self._index: Final = Index(guidance, topics)

    def __len__(self) -> int:
        return len(self._index)

    def recall(
        self,
        *,
        hint: str = "",
        scope: Scope | None = None,
        domain: str = "",
        types: Collection[Type] = (),
        limit: int = DEFAULT_LIMIT,
        at: int,
    ) -> Recalled:
        """Find guidance; see `recall`."""
        wanted = Wanted(hint=hint, scope=scope, domain=domain, types=types)
        result = self._index.search(wanted, min(max(limit, 1), LIMIT))
        return Recalled(
            entries=tuple(map(self._found, result.numbers, result.matches)),
            count=result.count,
            by_type=result.by_type,
            at=at,
        )

    def always_on_first(self, *, at: int) -> Recalled:
        """Give all guidance for the instructions of a server.

        Args:
            at: now, microseconds since 1970.

        Returns:
            At most 1,000 entries: those that are always on, then the others.
        """
        everything = self._index.search(Wanted(), 0)
        numbers = self._index.always_on_first(EVERYWHERE)
        return Recalled(
            entries=tuple(self._found(number, 0) for number in numbers),
            count=everything.count,
            by_type=everything.by_type,
            at=at,
        )

    def _found(self, number: int, matches: int) -> Found:
        guidance = self._index.guidance[number]
        return Found(guidance, matches, self._index.is_always_on(number))


def recall(
    guidance: Iterable[Guidance],
    topics: Mapping[str, Topic],
    *,
    hint: str = "",
    scope: Scope | None = None,
    domain: str = "",
    types: Collection[Type] = (),
    limit: int = DEFAULT_LIMIT,
    at: int,
) -> Recalled:
    """Find guidance without any store; keep a `Memory` to search more than once.

    Args:
        guidance: approved, with a seal that verifies.
        topics: by name.
        hint: what is to be done. Guidance with a word of its own or of its topic in it
            is found, unless the topic excludes a word of it; without words there, a
            word of its text is enough. Empty finds all.
        scope: finds what is about that post or target, and all that holds everywhere;
            one that names neither finds only the latter. None finds all.
        domain: finds that topic.
        types: finds those, empty all.
        limit: 1 to 200.
        at: now, microseconds since 1970.

    Returns:
        What was found. Guidance of always-on topics is added whatever the hint and the
        domain; that of inactive topics is never found.
    """
    memory = Memory(guidance, topics)
    return memory.recall(
        hint=hint, scope=scope, domain=domain, types=types, limit=limit, at=at
    )
