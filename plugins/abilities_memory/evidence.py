"""Evidence: what the record shows to have gone wrong, entry by entry."""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from abilities_host import Site
from abilities_host.ledger import Entry, Ledger, Listed
from abilities_memory.patterns import Happened, Seen
from abilities_memory.target_kinds import kind_of

LOOK_BACK: Final = 500
"""How many entries before the end of a run its beginning is looked for."""

KINDS: Final = 10
"""How many kinds of target of one run count."""

CHANGES: Final = 50
"""How many changes of a run that was judged later are looked at."""

_ENDS: Final[tuple[Happened, ...]] = ("vetoed", "failed", "divergent")
_UNDOING: Final = "ledger/"
_BEGINNINGS: Final = ("intent", "touch")

DomainOf = Callable[[str], str | None]
"""From the name of an ability to its domain; empty where that differs from run to run,
None when it is gone or has none."""

Found = Mapping[tuple[int, Happened], tuple[Seen, ...]]
"""What an entry shows of a thing; nothing takes back what an earlier one showed."""

_Row = Mapping[str, Any]


class Place(NamedTuple):
    """A kind of target.

    Attributes:
        domain: empty for none.
        kind: of its target, empty when nobody knows.
    """

    domain: str
    kind: str


@dataclass(frozen=True, slots=True)
class Part:
    """What was read at once.

    Attributes:
        last: number of the last entry.
        found: what its entries show.
        is_end: there were no more.
    """

    last: int
    found: Found
    is_end: bool


@dataclass(slots=True)
class _Run:
    """A run whose end was not read yet.

    Attributes:
        last: number of the last entry that says what it is about.
        places: what it is about, each with the number of that entry.
    """

    last: int
    places: dict[Place, int]


class Evidence:
    """Reads the record once, in order.

    Args:
        ledger: the record.
        domain_of: tells the domain where the record does not.
    """

    def __init__(self, ledger: Ledger, domain_of: DomainOf) -> None:
        self._ledger: Final = ledger
        self._domain_of: Final = domain_of
        self._runs: Final[dict[str, _Run]] = {}

    async def read(self, after: int, most: int) -> Part:
        """Read some entries.

        Args:
            after: only those with a greater number.
            most: how many.

        Returns:
            What they show, with what is true of older ones by now.

        Raises:
            StoreError: when the record cannot be read.
        """
        rows = await _rows(self._ledger, after, most)
        found: dict[tuple[int, Happened], tuple[Seen, ...]] = {}
        for row in rows:
            found.update(await self._look(row))
        return Part(rows[-1]["seq"] if rows else after, found, len(rows) < most)

    async def _look(self, row: _Row) -> Found:
        match row["kind"]:
            case "intent" | "touch":
                self._begin(row)
            case "veto":
                return {(row["seq"], "vetoed"): self._vetoed(row)}
            case "change" | "outcome" if row["listed"]:
                return await self._ended(_listed(row))
            case "rollback":
                return await self._rolled_back(row["about"])
            case "evaluation":
                return await self._judged(row["about"])
        return {}

    # --- beginnings -----------------------------------------------------------

    def _begin(self, row: _Row) -> None:
        """Keep what it is about; those that said so longest ago come first."""
        for call, run in tuple(self._runs.items()):
            if run.last >= row["seq"] - LOOK_BACK:
                break
            del self._runs[call]
        known = self._runs.pop(row["call"], None)
        run = _Run(row["seq"], known.places if known else {})
        self._runs[row["call"]] = run
        _add_places(run.places, row)

    async def _places(self, entry: Entry) -> Iterable[Place]:
        """Say what a run was about, by how it began; its end does not tell."""
        domain = self._domain_of(entry.ability)
        run = self._runs.get(entry.call)
        places = run.places if run else {}
        since = entry.seq - LOOK_BACK
        if run is None and domain is not None:
            for row in await _rows(self._ledger, max(since - 1, 0), LOOK_BACK):
                if row["call"] == entry.call and row["kind"] in _BEGINNINGS:
                    _add_places(places, row)
        near = [place for place, seq in places.items() if seq >= since]
        return near or [Place(domain or "", "")]

    # --- endings --------------------------------------------------------------

    def _vetoed(self, row: _Row) -> tuple[Seen, ...]:
        """The record does not say of what; that was not looked at."""
        domain = self._domain_of(row["ability"]) or ""
        seen = Seen(
            entry=row["seq"],
            at=row["at_us"],
            session=row["session"],
            domain=domain,
            action=row["ability"],
            kind="",
            happened="vetoed",
            count=row["details"].get("count", 1),
        )
        return (seen,)

    async def _ended(self, listed: Listed) -> Found:
        happened = _came_of(listed)
        if happened is None:
            return {}
        return {(listed.entry.seq, happened): await self._seen(listed, happened)}

    async def _judged(self, outcome: int | None) -> Found:
        """What a pack says later replaces what was known at the end."""
        found: dict[tuple[int, Happened], tuple[Seen, ...]] = {}
        for listed in await self._changes_of(outcome):
            found.update({(listed.entry.seq, happened): () for happened in _ENDS})
            found.update(await self._ended(listed))
        return found

    async def _changes_of(self, outcome: int | None) -> list[Listed]:
        """Give what stands for a run: its changes come just before its outcome."""
        entry = await self._ledger.get_entry(outcome) if outcome else None
        if entry is None:
            return []
        count = min(entry.details.get("changes", 0), CHANGES)
        numbers = range(max(entry.seq - count, 1), entry.seq + 1)
        found = [await self._ledger.get_change(number) for number in numbers]
        return [each for each in found if each and each.entry.call == entry.call]

    async def _rolled_back(self, change: int | None) -> Found:
        """An undo may have been undone since: what counts is what is true now."""
        listed = await self._ledger.get_change(change) if change else None
        if listed is None or listed.entry.ability.startswith(_UNDOING):
            return {}
        key: tuple[int, Happened] = (listed.entry.seq, "rolled back")
        if not listed.is_rolled_back:
            return {key: ()}
        return {key: await self._seen(listed, "rolled back")}

    async def _seen(self, listed: Listed, happened: Happened) -> tuple[Seen, ...]:
        entry = listed.entry
        is_change = entry.kind == "change"
        known = [Place(entry.domain, kind_of(entry.target))]
        return tuple(
            Seen(
                entry=entry.seq,
                at=entry.at,
                session=entry.session,
                domain=place.domain,
                action=entry.action if is_change else entry.ability,
                kind=place.kind,
                happened=happened,
            )
            for place in (known if is_change else await self._places(entry))
        )


def domain_of(site: Site, ability: str) -> str | None:
    """Give the domain that an ability changes.

    Args:
        site: the host.
        ability: its name.

    Returns:
        Empty for an undo, which has that of the change it undoes; None for an ability
        that is gone, or changes nothing that the host can read.
    """
    found = site.find_ability(ability)
    return found.changes.domain if found and found.changes else None


def _came_of(listed: Listed) -> Happened | None:
    entry = listed.entry
    if entry.partial == "foreign":
        return None
    if entry.details.get("code") == "write_vetoed":
        return "vetoed"
    if listed.is_divergent:
        return "divergent"
    return "failed" if listed.effective == "failed" else None


def _listed(row: _Row) -> Listed:
    """Take an entry as it was written; what was said later comes later."""
    given = ("seq", "kind", "call", "session", "ability", "domain", "target", "action")
    ended = ("result", "real", "partial", "details")
    entry = Entry(at=row["at_us"], **{name: row[name] for name in (*given, *ended)})
    return Listed(entry, entry.real, is_rolled_back=False, is_reversible=False)


def _add_places(places: dict[Place, int], row: _Row) -> None:
    targets: Sequence[Sequence[Any]] = row["details"].get("targets", ())
    if row["kind"] == "touch":
        targets = [(row["domain"], row["target"])]
    for domain, name, *_ in targets:
        place = Place(domain, kind_of(name))
        if place in places or len(places) < KINDS:
            places[place] = row["seq"]


async def _rows(ledger: Ledger, after: int, most: int) -> list[_Row]:
    rows: list[_Row] = []
    exported = ledger.export(after)
    async for row in exported:
        rows.append(row)
        if len(rows) == most:
            break
    if isinstance(exported, AsyncGenerator):
        await exported.aclose()
    return rows
