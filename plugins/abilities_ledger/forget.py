"""Forget: a person removes content for good; digests, chain and a mark stay."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from abilities_host.ledger import Entry, Forgotten
from abilities_host.storage import Transaction
from abilities_ledger.book import Book
from abilities_ledger.draft import Draft, Whose
from abilities_ledger.keeping import remove_content

_SHARED: Final = (
    "SELECT seq FROM ledger_entry WHERE (before = :digest OR after = :digest) "
    "AND call <> :call ORDER BY seq LIMIT 100"
)
_INTENTS: Final = (
    "WHERE kind = 'intent' AND seq > :after AND call <> :call ORDER BY seq LIMIT 2000"
)
SHARED: Final = 100


async def forget(book: Book, seq: int, by: str) -> Forgotten:
    """Remove the states and arguments of the run that an entry belongs to.

    Args:
        book: the entries.
        seq: any entry of the run.
        by: the person's account.

    Returns:
        What went, and of at most 100 other entries that they lost the same content.

    Raises:
        LookupError: when there is no such entry, or it belongs to no run.
        StoreError: when it could not be done; nothing went.
    """
    found = await book.select("WHERE seq = :seq", {"seq": seq})
    if not found or not found[0].call:
        msg = f"there is no entry {seq} of a run"
        raise LookupError(msg)
    entries = await book.of_call(found[0].call)
    digests = _digests(entries)
    shared = await _shared(book, digests, found[0].call)
    mark = Draft(
        kind="prune",
        whose=Whose(actor=by),
        action="forgot",
        about=seq,
        details={"digests": sorted(map(bytes.hex, digests)), "shared": shared},
    )
    removed: list[bytes] = []
    await book.append([mark], also=partial(_remove, sorted(digests), removed))
    return Forgotten(seq=seq, contents=len(removed), shared=tuple(shared))


def _digests(entries: Sequence[Entry]) -> set[bytes]:
    found: set[bytes] = set()
    for entry in entries:
        found.update(digest for digest in (entry.before, entry.after) if digest)
        if entry.kind == "intent":
            details = entry.details
            named = [details["arguments"], details.get("original_arguments")]
            named += [target[2] for target in details["targets"]]
            found.update(bytes.fromhex(digest) for digest in named if digest)
    return found


async def _shared(book: Book, digests: set[bytes], call: str) -> list[int]:
    """The same content elsewhere goes too: it is the content that must be gone."""
    found: set[int] = set()
    for digest in digests:
        rows = await book.store.read(_SHARED, {"digest": digest, "call": call})
        found.update(seq for (seq,) in rows)
    after = 0
    while intents := await book.select(_INTENTS, {"after": after, "call": call}):
        found.update(each.seq for each in intents if digests & _digests([each]))
        after = intents[-1].seq
    return sorted(found)[:SHARED]


def _remove(
    digests: Sequence[bytes], removed: list[bytes], db: Transaction, _: Any
) -> None:
    removed[:] = [digest for digest in digests if remove_content(db, digest)]
