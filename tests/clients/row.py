"""Row: how one client got on with a host, as it stands in the table."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from clients.catalogue import Meeting
from clients.drivers.job import Report
from clients.zoo_pack import PREFIX


class Shown(NamedTuple):
    """What a host shows.

    Attributes:
        own: tools of the packs of this repository.
        zoo: tools of the zoo.
    """

    own: frozenset[str]
    zoo: frozenset[str]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes:
        title: of the client.
        version: of the client.
        meeting: how it was met.
        revision: of the protocol that was agreed on.
        own: how many tools of our packs it takes, and how many there are.
        zoo: the same of the zoo.
        lost: tools that it did not get at all, without a fault of theirs.
        faults: tools that it does not take, and why.
        notes: what else was told, and how often: of our packs and of the zoo.
        error: why all of it went wrong; empty when it did not.
    """

    title: str
    version: str
    meeting: Meeting
    revision: str
    own: tuple[int, int]
    zoo: tuple[int, int]
    lost: tuple[str, ...]
    faults: Mapping[str, str]
    notes: tuple[str, ...]
    error: str

    @property
    def is_good(self) -> bool:
        """Whether our packs pass, and no schema cost the client another tool."""
        return self.own[0] == self.own[1] > 0 and not self.lost and not self.error


class Met(NamedTuple):
    """One host that a client met.

    Attributes:
        report: of the client.
        shown: what that host shows.
    """

    report: Report
    shown: Shown

    @property
    def lost(self) -> frozenset[str]:
        """What the client did not get at all."""
        got = {*self.report.taken, *self.report.failed}
        return (self.shown.own | self.shown.zoo) - got


def make_row(title: str, meeting: Meeting, met: Sequence[Met], animals: int) -> Row:
    """Put together how a client got on with each host that it met.

    Args:
        title: of the client.
        meeting: how it was met.
        met: the hosts; what it takes it takes of each that shows it.
        animals: how many there are in the zoo.

    Returns:
        The row.
    """
    reports = [each.report for each in met]
    lost = frozenset[str]().union(*(each.lost for each in met))
    faults = {name: why for each in reports for name, why in each.failed.items()}
    missed = lost | faults.keys()
    own = frozenset[str]().union(*(each.shown.own for each in met))
    zoo = frozenset[str]().union(*(each.shown.zoo for each in met))
    return Row(
        title,
        version=_of(report.version for report in reports),
        meeting=meeting,
        revision=_of(report.revision for report in reports),
        own=(len(own - missed), len(own)),
        zoo=(len(zoo - missed), animals),
        lost=tuple(sorted(lost)),
        faults=faults,
        notes=counted(note for report in reports for note in report.notes),
        error=_of(report.error for report in reports),
    )


def _of(words: Iterable[str]) -> str:
    """Give what all say, each once, in one text."""
    return "; ".join(dict.fromkeys(word for word in words if word))


def counted(notes: Iterable[str]) -> tuple[str, ...]:
    """Count notes of one kind.

    Args:
        notes: each a word and the name of a tool.

    Returns:
        A text for each word: how often of our packs, and how often of the zoo.
    """
    own, zoo = Counter[str](), Counter[str]()
    for note in notes:
        word, _, name = note.partition(" ")
        (zoo if name.startswith(PREFIX) else own)[word] += 1
    words = dict.fromkeys([*own, *zoo])
    return tuple(f"{word} {own[word]} + {zoo[word]}" for word in words)
