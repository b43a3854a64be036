"""Verify: reads the whole record and says whether it is as it was written."""

from collections.abc import Awaitable
from typing import Any, Final, NamedTuple

import orjson

from abilities_host.ledger import Progress, Verification
from abilities_ledger.anchor import Anchor, AnchorBroken, Anchored, Course
from abilities_ledger.book import Book
from abilities_ledger.chain import first_hash, next_hash, read_details
from abilities_ledger.continuity import Continuity
from abilities_ledger.crew import Effort, Here, shared_out
from abilities_ledger.derived import check_contents, check_derived
from abilities_ledger.exact import ALTERED, read_exactly
from abilities_ledger.finding import Broken, Found
from abilities_ledger.plan import Range, in_ranges, read_contents
from abilities_ledger.ranges import Checked
from abilities_ledger.tables import IS_MARK

TRIES: Final = 3
_ENDS: Final = "SELECT min(seq), max(seq), count(*) FROM ledger_entry"
_LAST: Final = "SELECT max(seq) FROM ledger_entry"
_PRUNES: Final = (
    "SELECT seq, CAST(body AS BLOB), hash FROM ledger_entry "  # noqa: S608 - a constant
    f"WHERE {IS_MARK} "
    "AND kind = 'prune' AND action = 'pruned' ORDER BY seq DESC LIMIT 10"
)
_BEFORE: Final = "SELECT hash FROM ledger_entry WHERE seq = :seq - 1"


async def verify(
    book: Book,
    anchor: Anchor,
    progress: Progress | None = None,
    *,
    effort: Effort | None = None,
) -> Verification:
    """Check chain, count, head, contents and what was derived from them.

    Args:
        book: the entries.
        anchor: the head as a second file saw it.
        progress: told how far it is.
        effort: what may be used for it; by default every processor.

    Returns:
        The verdict, with the first place where something is wrong.

    Raises:
        StoreError: when it cannot be read.
    """
    for _ in range(TRIES):
        found = Found()
        try:
            return await _verify(
                book, anchor, found, progress or _tell_nobody, effort or Effort.usual()
            )
        except Broken as broken:
            problem = broken
            [(first, _last, _count)] = await book.store.read(_ENDS)
            if first is None or first <= found.first:  # it was not pruned meanwhile
                break
    return _verification(found, "broken", problem.seq, problem.sentence)


def _tell_nobody(done: int, total: int) -> None:
    pass


async def _verify(
    book: Book, anchor: Anchor, found: Found, progress: Progress, effort: Effort
) -> Verification:
    [(first, _last, count)] = await book.store.read(_ENDS)
    found.first = first or 0
    found.hash = await _start(book, anchor.record, found)
    found.head = first - 1 if count else 0
    entries = in_ranges(found.head + 1, count, effort.part)
    kept, contents = await read_contents(book, effort.part)
    starts = [found.hash, *(None for _ in entries)]  # the others read theirs
    parts = [*map(Range.part, entries, starts), *contents]
    async with shared_out(book.store, parts, effort, rows=count + kept) as answers:
        for each, answer in zip(entries, answers, strict=False):
            await check_range(book, each, answer, found)
            progress(found.entries, max(count, found.entries))
        await _check_rest(book, found, progress, effort)
        seen = await _check_anchor(book, anchor, found)
        await check_contents(book, answers[len(entries) :])
    await check_derived(book, found)
    return _whole(found, seen)


# --- the chain ------------------------------------------------------------------


async def check_range(
    book: Book, entries: Range, checking: Awaitable[Any], found: Found
) -> None:
    """Take what is beyond doubt, and look at the rest entry by entry.

    Args:
        book: the entries.
        entries: which of them.
        checking: how far they are as they were written, a `Checked`.
        found: everything before them was read; moved on.

    Raises:
        Broken: at the first one that is not.
    """
    checked = await _checked(checking)
    is_whole = False
    if checked is not None and checked.before == found.hash.hex():
        found.entries += checked.through - found.head
        found.hash, found.head = bytes.fromhex(checked.hash), checked.through
        is_whole = checked.through == entries.last and not checked.is_lost
    await read_exactly(book, found, entries.last)
    if not is_whole:
        found.doubted.append(entries)


async def _checked(checking: Awaitable[Any]) -> Checked | None:
    try:
        return Checked(*await checking)
    except Exception:  # noqa: BLE001 - if it matters, reading exactly meets it too
        return None


async def _check_rest(
    book: Book, found: Found, progress: Progress, effort: Effort
) -> None:
    """Check what was appended meanwhile, and what lies behind a gap."""
    here = Here(book.store)
    while True:
        [(last,)] = await book.store.read(_LAST)
        if last is None or last <= found.head:
            return
        left = Range(found.head + 1, min(last, found.head + effort.part))
        await check_range(book, left, here.check(left.part(found.hash)), found)
        progress(found.entries, found.entries)


async def _start(book: Book, record: str, found: Found) -> bytes:
    """Say where the chain starts: at its beginning, or where it was pruned."""
    if found.first <= 1:
        return first_hash(record)
    for seq, body, hash_ in await book.store.read(_PRUNES):
        for (previous,) in await book.store.read(_BEFORE, {"seq": seq}):
            if next_hash(previous, body) != hash_:
                raise Broken(seq, ALTERED.format(seq=seq))
        try:
            details = orjson.loads(read_details(body))
            through, start = details["through"], bytes.fromhex(details["hash"])
        except (ValueError, KeyError, TypeError) as error:
            raise Broken(seq, ALTERED.format(seq=seq)) from error
        if through == found.first - 1:
            return start
    sentence = f"The entries before {found.first} are gone, and no mark says why."
    raise Broken(found.first, sentence)


# --- the anchor -------------------------------------------------------------------


class _Seen(NamedTuple):
    """What the anchor says of the record.

    Attributes:
        since: number of the first entry that it has not seen, None for none.
        note: why it says nothing, empty when it does.
    """

    since: int | None
    note: str = ""


async def _check_anchor(book: Book, anchor: Anchor, found: Found) -> _Seen:
    try:
        anchored = await anchor.read()
    except (AnchorBroken, OSError) as error:
        return _Seen(found.first, f"The anchor cannot be read: {error}.")
    if anchored is None:
        return _Seen(found.first)
    course = await Continuity(book, anchor.record).course(anchored)
    if course is Course.BROKEN:
        raise _unlike(anchored, anchor.record, found)
    if course is Course.REPLACED:
        return _Seen(found.first)
    return _Seen(anchored.seq + 1 if anchored.seq < found.head else None)


def _unlike(anchored: Anchored, record: str, found: Found) -> Broken:
    seq, head = anchored.seq, found.head
    if anchored.record != record:
        return Broken(
            found.first or None,
            "The anchor saw another record: this store was put in the place of the "
            "one it saw, or the anchor was replaced.",
        )
    if seq > head:
        return Broken(
            head + 1,
            f"The anchor saw entry {seq}, and the record ends at {head}: the last "
            f"{seq - head} were cut off, or an older file was put in place.",
        )
    return Broken(
        seq,
        f"Entry {seq} is not the one the anchor saw: the record was written anew from "
        "there, or from earlier on.",
    )


def _whole(found: Found, seen: _Seen) -> Verification:
    """Say what is to be said of a record in which nothing is wrong."""
    found.notes += [seen.note] if seen.note else []
    is_seen = seen.since is None or found.entries == 0
    if not is_seen and (found.removed or found.restored):
        found.notes.append(f"Entries from {seen.since} on are not in the anchor yet.")
    if found.restored:
        sentence = f"Intact; entry {found.restored} says that a copy was put in place."
        return _verification(found, "restored", found.restored, sentence)
    if found.removed:
        names = ", ".join(sorted(set(found.removed.values())))
        sentence = f"Intact; content was removed by {names}, see the notes."
        return _verification(found, "removed", None, sentence)
    if is_seen:
        sentence = "Intact, as far as the anchor goes."
        return _verification(found, "intact", None, sentence)
    sentence = (
        f"Intact, but unanchored since {seen.since}: whoever can write the store could "
        "have rewritten it from there."
    )
    return _verification(found, "unanchored", seen.since, sentence)


def _verification(
    found: Found, verdict: Any, at: int | None, sentence: str
) -> Verification:
    return Verification(
        verdict=verdict,
        at=at,
        entries=found.entries,
        first=found.first,
        head=found.head if found.entries else 0,
        sentence=sentence,
        notes=tuple(found.notes),
    )
