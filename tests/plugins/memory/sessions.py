"""A real store with the record and the summaries, and a clock that the test moves."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

from plugins.ledger.shelf import Shelf, change, open_shelf

from abilities_host.ledger import Ledger, Window
from abilities_host.memory import Summary
from abilities_ledger.book import Book
from abilities_ledger.history import History
from abilities_ledger.window import Windows
from abilities_memory.digesting import Compare, Recorded, Told
from abilities_memory.summaries import Summaries

NOON = 1_800_000_000_000_000
MINUTE = 60_000_000


def differ(told: Told, recorded: Recorded) -> Sequence[Mapping[str, Any]]:
    """Find claims that no entry has, by nothing but the name of the target."""
    done = {each.entry.target for each in recorded.entries}
    claimed = [claim["target"] for claim in told.claims]
    return [
        {"kind": "not_recorded", "target": name} for name in claimed if name not in done
    ]


class Record:
    """As much of the record as is asked of it; its service needs a whole host.

    Args:
        book: the entries.
    """

    def __init__(self, book: Book) -> None:
        self.changes_in_window = Windows(book).changes_in_window
        self.list_changes = History(book).list_changes


class Clock:
    """Microseconds since 1970, as a test says."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> int:
        return self.now


class Study(NamedTuple):
    """What a test of summaries works with."""

    shelf: Shelf
    clock: Clock
    summaries: Summaries

    @property
    def ledger(self) -> Ledger:
        return cast("Ledger", Record(self.shelf.book))

    async def change(self, minute: int, target: str = "a", **parts: Any) -> None:
        """Record a change at so many minutes after noon."""
        [seq] = await self.shelf.book.append([change(target=target, **parts)])
        await self.shelf.set_time(seq, NOON + minute * MINUTE)

    async def save(self, minute: int, narrative: str = "Done.", **told: Any) -> Summary:
        """Save a summary at so many minutes after noon."""
        self.clock.now = NOON + minute * MINUTE
        given = {"actor": "ann", "session": "s1", **told}
        return await self.summaries.save(
            Told(narrative=narrative, **given), self.ledger
        )


class Crowded(Record):
    """A record that is read while another host saves summaries of the same actor.

    Args:
        study: whose record it is.
        other: of the other host.
        times: how often that saves.
    """

    def __init__(self, study: Study, other: Summaries, times: int) -> None:
        super().__init__(study.shelf.book)
        self._study = study
        self._other = other
        self._times = times
        self.changes_in_window = self._overtaken

    async def _overtaken(self, *span: Any, **asked: Any) -> Window:
        if self._times:
            self._times -= 1
            self._study.clock.now += 1
            told = Told(narrative="Meanwhile.", actor="ann", session="s1")
            await self._other.save(told, self._study.ledger)
        return await self._study.ledger.changes_in_window(*span, **asked)


@asynccontextmanager
async def open_study(folder: Path, compare: Compare = differ) -> AsyncIterator[Study]:
    clock = Clock()
    async with open_shelf(folder) as shelf:
        summaries = Summaries(shelf.store, compare=compare, clock=clock)
        await summaries.migrate()
        yield Study(shelf, clock, summaries)


def minutes(summary: Summary) -> tuple[float, float]:
    """Give from when to when a summary is, in minutes after noon."""
    return (summary.start - NOON) / MINUTE, (summary.end - NOON) / MINUTE
