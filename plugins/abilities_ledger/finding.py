"""Finding: what reading the whole record has shown so far."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final

from abilities_host.ledger import Entry
from abilities_ledger.book import Book
from abilities_ledger.tables import IS_MARK

MARKS: Final = 5000


class Broken(Exception):
    """The record is not as it was written.

    Attributes:
        seq: of the entry where it shows, None when no entry has to do with it.
        sentence: what is wrong.
    """

    def __init__(self, seq: int | None, sentence: str) -> None:
        self.seq = seq
        self.sentence = sentence
        super().__init__(sentence)


@dataclass(slots=True)
class Found:
    """What was read so far.

    Attributes:
        first: number of the oldest entry, 0 for none.
        head: number of the newest one that was read.
        entries: how many were read.
        hash: of the newest one that was read.
        doubted: first and last of the ranges whose states may be gone.
        removed: digest of content that a person removed, to who it was.
        restored: number of the last entry that says a copy was put in place, or 0.
        notes: sentences, each for itself.
    """

    first: int = 0
    head: int = 0
    entries: int = 0
    hash: bytes = b""
    doubted: list[tuple[int, int]] = field(default_factory=list)
    removed: dict[bytes, str] = field(default_factory=dict)
    restored: int = 0
    notes: list[str] = field(default_factory=list)


async def read_marks(book: Book, found: Found) -> None:
    """Keep what entries say of others; the chain was checked before.

    Args:
        book: the entries.
        found: its `removed`, `restored` and `notes` are made anew.
    """
    found.removed, found.restored, found.notes = {}, 0, []
    pruned = None
    async for entry in _every(book, "kind = 'prune'"):
        if entry.action == "forgot":
            _note_forgotten(entry, found)
        else:
            pruned = entry
    if pruned is not None:
        through = pruned.details["through"]
        found.notes.append(f"Entries up to {through} were pruned by {pruned.actor}.")
    async for entry in _every(book, "kind = 'restore'"):
        found.restored = entry.seq
        found.notes.append(f"Entry {entry.seq}: {entry.actor} put a copy in place.")


def _note_forgotten(entry: Entry, found: Found) -> None:
    for digest in entry.details["digests"]:
        found.removed[bytes.fromhex(digest)] = entry.actor
    found.notes.append(f"Content of entry {entry.about} was removed by {entry.actor}.")


async def _every(book: Book, which: str) -> AsyncIterator[Entry]:
    where = f"WHERE {IS_MARK} AND {which} AND seq > :after ORDER BY seq LIMIT {MARKS}"
    after = 0
    while entries := await book.select(where, {"after": after}):
        for entry in entries:
            yield entry
        after = entries[-1].seq
