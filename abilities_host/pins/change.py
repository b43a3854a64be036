"""Change: what a pack says otherwise than when it was first seen, for one decision."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from abilities_host.gate import hash_of
from abilities_host.pins.definition import Difference, differences, encoded
from abilities_host.pins.trust import Trusted

COUNT_LIMIT: Final = 100
SIZE_LIMIT: Final = 1 << 20

Status = Literal["waiting", "approved", "rejected", "withdrawn"]
_ID_DIGITS: Final = 12


class Pair(NamedTuple):
    """What one ability said and says.

    Attributes:
        ability: its name.
        old: the definition that was trusted; None when none was, or nobody knows it.
        new: the one it has now.
    """

    ability: str
    old: bytes | None
    new: bytes

    @property
    def hash(self) -> str:
        """Hash of the definition that it has now."""
        return hash_of(self.new)

    @property
    def is_new(self) -> bool:
        """Whether nothing was trusted that could be shown."""
        return self.old is None

    @property
    def differences(self) -> list[Difference]:
        """Where the two differ; none for a new ability."""
        return [] if self.old is None else differences(self.old, self.new)


@dataclass(frozen=True, slots=True)
class Change:
    """Abilities of one pack that a person decides on together.

    Attributes:
        pack: identity of the pack.
        was: version of the pack whose definitions were trusted, empty for a file.
        now: version that was found.
        pairs: what the abilities said and say.
        canonical: what a person is shown and approves.
        status: what a person decided, as the store says; only a seal makes it count.
    """

    pack: str
    was: str
    now: str
    pairs: tuple[Pair, ...]
    canonical: bytes
    status: Status = "waiting"

    @property
    def id(self) -> str:
        """The same in every process that finds the same, and only then."""
        return hash_of(self.canonical)[:_ID_DIGITS]

    @property
    def names(self) -> frozenset[str]:
        """Of the abilities."""
        return frozenset(pair.ability for pair in self.pairs)

    @property
    def title(self) -> str:
        """What it is, in one line."""
        kinds = Counter("new" if pair.is_new else "changed" for pair in self.pairs)
        counts = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
        first = self.pairs[0].ability
        more = " …" if len(self.pairs) > 1 else ""
        return f"{self.subject}: {counts} ({first}{more})"

    @property
    def subject(self) -> str:
        """The pack, from which version to which, as far as there are any."""
        is_same = not self.was or self.was == self.now
        versions = self.now if is_same else f"{self.was} to {self.now}"
        return f"{self.pack} {versions}".rstrip()


class Accepted(NamedTuple):
    """What one approval let in.

    Attributes:
        pack: identity of the pack.
        version: of the pack.
        definitions: by ability.
    """

    pack: str
    version: str
    definitions: Mapping[str, bytes]

    @property
    def trusted(self) -> Trusted:
        """What may be served; the hashes are those of the definitions as shown."""
        return frozenset(
            (self.pack, a, hash_of(d)) for a, d in self.definitions.items()
        )


def changes_of(pack: str, was: str, now: str, pairs: Iterable[Pair]) -> list[Change]:
    """Put what changed in a pack together, for as few decisions as can be read.

    Args:
        pack: identity of the pack.
        was: version whose definitions were trusted.
        now: version that was found.
        pairs: of abilities that changed or are new.

    Returns:
        Changes of at most 100 abilities and, with more than one, 1 MiB each.
    """
    return [change_of(pack, was, now, part) for part in _parts(sorted(pairs))]


def change_of(pack: str, was: str, now: str, pairs: Iterable[Pair]) -> Change:
    """Make one change; see `changes_of`."""
    those = tuple(pairs)
    shown = {
        "pack": pack,
        "version_was": was,
        "version": now,
        "abilities": [_shown(pair) for pair in those],
    }
    return Change(pack, was, now, those, encoded(shown))


def accepted_in(canonical: bytes) -> Accepted:
    """Read from an approved text which definitions it lets in.

    Args:
        canonical: of a `Change`, sealed.

    Returns:
        The definitions as they were shown; none of a text that holds none.
    """
    try:
        said = json.loads(canonical)
        shown = {each["ability"]: encoded(each["new"]) for each in said["abilities"]}
        return Accepted(said["pack"], said["version"], shown)
    except (ValueError, KeyError, TypeError):
        return Accepted("", "", {})


def _shown(pair: Pair) -> dict[str, Any]:
    shown: dict[str, Any] = {"ability": pair.ability, "new": json.loads(pair.new)}
    shown["old"] = None if pair.old is None else json.loads(pair.old)
    shown["differences"] = [each.as_json() for each in pair.differences]
    return shown


def _parts(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    part: list[Pair] = []
    size = 0
    for pair in pairs:
        more = len(pair.new) + len(pair.old or b"")
        if part and (len(part) == COUNT_LIMIT or size + more > SIZE_LIMIT):
            yield part
            part, size = [], 0
        part.append(pair)
        size += more
    if part:
        yield part
