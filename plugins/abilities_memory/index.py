"""Index: the words and places of all guidance, laid out once for many searches."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from typing import Final

from abilities_host.memory import Guidance, Scope, Topic, Type
from abilities_memory.matching import Phrase, Phrases, telling_of, words_of
from abilities_memory.ranking import level_of, rank_of
from abilities_memory.rows import (
    Collected,
    Rows,
    first_of,
    joined,
    layers_of,
    ranked,
    rows_of,
)

_WILD: Final = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for; see `recall.recall`."""

    hint: str = ""
    scope: Scope | None = None
    domain: str = ""
    types: Collection[Type] = ()


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found.

    Attributes:
        numbers: of entries, best first.
        matches: how many words of each the hint holds, in the same order.
        count: how many there are in all.
        by_type: the same by type.
    """

    numbers: tuple[int, ...]
    matches: tuple[int, ...]
    count: int
    by_type: Mapping[Type, int]


class Index:
    """All approved guidance of active topics in its order, and where what is.

    Args:
        guidance: what is not approved is left out.
        topics: by name; one that is missing is active and has no words.
    """

    def __init__(
        self, guidance: Iterable[Guidance], topics: Mapping[str, Topic]
    ) -> None:
        known = {name.casefold(): topic for name, topic in topics.items()}
        kept = (each for each in guidance if _is_recalled(each, known))
        self.guidance: Final = tuple(sorted(kept, key=rank_of))
        self._topics: Final = [_topic_of(each, known) for each in self.guidance]
        self._levels: Final = tuple(map(level_of, self.guidance))
        size = len(self.guidance)
        self._all: Final = (1 << size) - 1
        numbers = (n for n, topic in enumerate(self._topics) if topic.always_on)
        self._always_on: Final = rows_of(numbers, size)
        self._collect(size)
        self._places: Final = _Places(self.guidance)

    def _collect(self, size: int) -> None:
        words, excluded = Collected[Phrase](), Collected[Phrase]()
        types, domains = Collected[Type](), Collected[str]()
        entries = zip(self.guidance, self._topics, strict=True)
        for number, (each, topic) in enumerate(entries):
            words.add(_words(each, topic), number)
            excluded.add(_phrases(topic.exclude), number)
            types.add([each.type], number)
            domains.add([each.topic.casefold()], number)
        self._words, self._excluded = words.sets(size), excluded.sets(size)
        self._types, self._domains = types.sets(size), domains.sets(size)
        self._phrases = Phrases([*words.numbers, *excluded.numbers])

    def __len__(self) -> int:
        return len(self.guidance)

    def is_always_on(self, number: int) -> bool:
        """Whether an entry comes up without any word."""
        return bool(self._always_on >> number & 1)

    def always_on_first(self, count: int) -> list[int]:
        """Give the first entries, before all others those that are always on."""
        found = first_of(self._always_on, count)
        return found + first_of(self._all & ~self._always_on, count - len(found))

    def search(self, wanted: Wanted, limit: int) -> Hits:
        """Find entries.

        Args:
            wanted: what is looked for.
            limit: how many entries are given; all are counted.

        Returns:
            The best, and how many there are.
        """
        words = words_of(wanted.hint)
        phrases = self._phrases.found_in(words)
        layers = layers_of(map(self._words.get, phrases))
        rows = self._hinted(phrases, layers[0]) if words else self._all
        rows &= self._narrowed(wanted)
        numbers = tuple(ranked(rows, layers, self._level, limit))
        return Hits(
            numbers,
            tuple(sum(layer >> number & 1 for layer in layers) for number in numbers),
            rows.bit_count(),
            {type_: (rows & self._types.get(type_)).bit_count() for type_ in _TYPES},
        )

    def _hinted(self, phrases: Iterable[Phrase], found: Rows) -> Rows:
        # An agent writes the hint: no word of it may keep out what is always on.
        return found & ~joined(map(self._excluded.get, phrases)) | self._always_on

    def _narrowed(self, wanted: Wanted) -> Rows:
        rows = self._all
        if wanted.domain:
            domain = self._domains.get(wanted.domain.strip().casefold())
            rows &= domain | self._always_on
        if wanted.types:
            rows &= joined(map(self._types.get, wanted.types))
        if wanted.scope is not None:
            rows &= self._places.within(wanted.scope, self._all)
        return rows

    def _level(self, number: int) -> Rows:
        level = self._levels[number]
        start = bisect_left(self._levels, level)
        end = bisect_right(self._levels, level)
        return (1 << end) - (1 << start)


class _Places:
    """Which entries are about which post or target."""

    def __init__(self, guidance: Sequence[Guidance]) -> None:
        size = len(guidance)
        posts, exact, patterns = Collected[int](), Collected[str](), Collected[str]()
        everywhere = []
        for number, each in enumerate(guidance):
            scope, target = each.scope, each.scope.target.casefold()
            everywhere += [number] if _is_everywhere(scope) else []
            posts.add([] if scope.post_id is None else [scope.post_id], number)
            if target:
                (patterns if _WILD & set(target) else exact).add([target], number)
        self._everywhere: Final = rows_of(everywhere, size)
        self._posts, self._exact = posts.sets(size), exact.sets(size)
        self._patterns: Final = patterns.sets(size)
        self._wild: Final = tuple(patterns.numbers)

    def within(self, scope: Scope, everything: Rows) -> Rows:
        if scope.post_id is None and not scope.target:
            return self._everywhere if scope.site_wide else everything
        rows = self._everywhere
        if scope.post_id is not None:
            rows |= self._posts.get(scope.post_id)
        if scope.target:
            target = scope.target.casefold()
            fitting = filter(partial(fnmatchcase, target), self._wild)
            rows |= self._exact.get(target) | self._patterns.get(target)
            rows |= joined(map(self._patterns.get, fitting))
        return rows


_TYPES: Final[tuple[Type, ...]] = ("guardrail", "fact", "convention", "instruction")


def _is_recalled(guidance: Guidance, topics: Mapping[str, Topic]) -> bool:
    is_active = _topic_of(guidance, topics).state == "active"
    return guidance.status == "approved" and is_active


def _topic_of(guidance: Guidance, topics: Mapping[str, Topic]) -> Topic:
    name = guidance.topic.casefold()
    return topics.get(name) or Topic(name=name)


def _is_everywhere(scope: Scope) -> bool:
    return scope.site_wide or (scope.post_id is None and not scope.target)


def _words(guidance: Guidance, topic: Topic) -> set[Phrase]:
    chosen = set(_phrases((*guidance.recall, *topic.recall)))
    found = chosen or telling_of(guidance.text)
    return found | set(_phrases([guidance.topic]))


def _phrases(words: Iterable[str]) -> Iterator[Phrase]:
    return filter(None, map(words_of, dict.fromkeys(words)))
