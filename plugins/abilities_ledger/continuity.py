"""Continuity: whether the record goes on from what an anchor saw."""

from collections.abc import Mapping
from typing import Any, Final

from abilities_ledger.anchor import Anchored, Course
from abilities_ledger.book import Book
from abilities_ledger.tables import IS_MARK

_HASH: Final = "SELECT hash FROM ledger_entry WHERE seq = :seq"
_FIRST: Final = "SELECT min(seq) FROM ledger_entry"
_MARKS: Final = (
    f"WHERE {IS_MARK} AND kind = 'restore' AND seq > :after ORDER BY seq LIMIT 1000"
)


class Continuity:
    """Compares an anchor with the record.

    Args:
        book: the entries.
        record: id of the record.
    """

    def __init__(self, book: Book, record: str) -> None:
        self._book: Final = book
        self._record: Final = record

    async def course(self, anchored: Anchored) -> Course:
        """Say how the record goes on from what the anchor saw.

        Args:
            anchored: what the anchor says.

        Returns:
            Whether it does, and how.
        """
        if anchored.record == self._record:
            rows = await self._book.store.read(_HASH, {"seq": anchored.seq})
            if rows and rows[0][0] == anchored.hash:
                return Course.SAME
            if not rows and await self._was_pruned(anchored.seq):
                return Course.SAME
        is_replaced = await self.restored_from(anchored) is not None
        return Course.REPLACED if is_replaced else Course.BROKEN

    async def restored_from(self, anchored: Anchored) -> int | None:
        """Give the number of the entry that says this head was replaced, or None."""
        after = 0
        while True:
            marks = await self._book.select(_MARKS, {"after": after})
            for mark in marks:
                if _replaced(mark.details, anchored):
                    return mark.seq
            if not marks:
                return None
            after = marks[-1].seq

    async def _was_pruned(self, seq: int) -> bool:
        [(first,)] = await self._book.store.read(_FIRST)
        return first is not None and seq < first


def _replaced(details: Mapping[str, Any], anchored: Anchored) -> bool:
    """The anchor may lag behind the head that was replaced, or be all that is left."""
    heads = (details.get("old"), details.get("anchor"))
    seen = (anchored.record, anchored.seq, anchored.hash.hex())
    return any(
        (head.get("record"), head.get("seq"), head.get("hash")) == seen
        for head in heads
        if isinstance(head, Mapping)
    )
