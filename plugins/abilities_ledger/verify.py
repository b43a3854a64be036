"""Verify: reads the whole record and says whether it is as it was written."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import orjson

from abilities_host import StoreError, run_in_thread
from abilities_host.ledger import Progress, Verification
from abilities_ledger.anchor import Anchor, AnchorBroken, Anchored, Course
from abilities_ledger.book import Book
from abilities_ledger.chain import (
    COLUMNS,
    first_hash,
    is_body_of,
    next_hash,
    read_details,
)
from abilities_ledger.continuity import Continuity
from abilities_ledger.derived import check_contents, check_derived
from abilities_ledger.finding import Broken, Found
from abilities_ledger.tables import IS_MARK

PAGE: Final = 5000
TRIES: Final = 3
# A row of another type must be found, not stop the reading.
_ROWS: Final = (
    f"SELECT CAST(body AS BLOB), CAST(hash AS BLOB), typeof(body), "  # noqa: S608
    f"{', '.join(COLUMNS)} FROM ledger_entry "
    "WHERE seq > :after ORDER BY seq LIMIT :limit"
)
_ENDS: Final = "SELECT min(seq), max(seq), count(*) FROM ledger_entry"
_PRUNES: Final = (
    "SELECT seq, CAST(body AS BLOB), hash FROM ledger_entry "  # noqa: S608 - a constant
    f"WHERE {IS_MARK} "
    "AND kind = 'prune' AND action = 'pruned' ORDER BY seq DESC LIMIT 10"
)
_BEFORE: Final = "SELECT hash FROM ledger_entry WHERE seq = :seq - 1"
_ARGUMENTS: Final = re.compile(rb'"(?:original_)?arguments":"([0-9a-f]{64})"')


async def verify(
    book: Book, anchor: Anchor, progress: Progress | None = None
) -> Verification:
    """Check chain, count, head, contents and what was derived from them.

    Args:
        book: the entries.
        anchor: the head as a second file saw it.
        progress: told how far it is.

    Returns:
        The verdict, with the first place where something is wrong.

    Raises:
        StoreError: when it cannot be read.
    """
    for _ in range(TRIES):
        found = Found()
        try:
            await _check_chain(book, anchor.record, found, progress)
            seen = await _check_anchor(book, anchor, found)
            await check_contents(book)
            await check_derived(book, found)
            return _whole(found, seen)
        except Broken as broken:
            problem = broken
            [(first, _last, _count)] = await book.store.read(_ENDS)
            if first is None or first <= found.first:  # it was not pruned meanwhile
                break
    return _verification(found, "broken", problem.seq, problem.sentence)


# --- the chain ------------------------------------------------------------------


async def _check_chain(
    book: Book, record: str, found: Found, progress: Progress | None
) -> None:
    [(first, last, count)] = await book.store.read(_ENDS)
    found.first, total = first or 0, count
    found.hash = await _start(book, record, found)
    after = (first or 1) - 1
    while end := await _next_page(book, after, found):
        after = end
        if progress is not None:
            progress(found.entries, max(total, found.entries))
    if last is not None and found.head < last:
        raise Broken(last, "Rows vanished while they were read.")


async def _next_page(book: Book, after: int, found: Found) -> int:
    """Check some rows; gives the number of the last one, 0 at the end."""
    rows = await _read_page(book, after)
    if not rows:
        return 0
    broken, arguments = await run_in_thread(partial(_check_page, rows, after, found))
    if broken is not None:
        raise broken
    await _check_arguments(book, arguments)
    return found.head


async def _read_page(book: Book, after: int) -> list[tuple[Any, ...]]:
    try:
        return await book.store.read(_ROWS, {"after": after, "limit": PAGE})
    except StoreError:
        raise
    except Exception as error:  # a text that is none: which?
        for seq in range(after, after + PAGE):
            try:
                await book.store.read(_ROWS, {"after": seq, "limit": 1})
            except Exception:  # noqa: BLE001 - whatever it raises, it cannot be read
                sentence = f"The columns of entry {seq + 1} cannot be read."
                raise Broken(seq + 1, sentence) from error
        raise


async def _start(book: Book, record: str, found: Found) -> bytes:
    """Say where the chain starts: at its beginning, or where it was pruned."""
    if found.first <= 1:
        return first_hash(record)
    for seq, body, hash_ in await book.store.read(_PRUNES):
        for (previous,) in await book.store.read(_BEFORE, {"seq": seq}):
            if next_hash(previous, body) != hash_:
                raise Broken(seq, _ALTERED.format(seq=seq))
        try:
            details = orjson.loads(read_details(body))
            through, start = details["through"], bytes.fromhex(details["hash"])
        except (ValueError, KeyError, TypeError) as error:
            raise Broken(seq, _ALTERED.format(seq=seq)) from error
        if through == found.first - 1:
            return start
    sentence = f"The entries before {found.first} are gone, and no mark says why."
    raise Broken(found.first, sentence)


_ALTERED: Final = "Entry {seq} is not as it was written, or the one before is."


def _check_page(
    rows: Sequence[tuple[Any, ...]], after: int, found: Found
) -> tuple[Broken | None, dict[bytes, int]]:
    """Check rows in a thread; gives what is wrong, and what arguments are named."""
    previous = found.hash
    arguments: dict[bytes, int] = {}
    for body, hash_, kind_of_body, *values in rows:
        after += 1
        seq = values[0]
        if seq != after:
            return Broken(after, f"Entry {after} is missing."), {}
        previous = next_hash(previous, body)
        if previous != hash_:
            return Broken(seq, _ALTERED.format(seq=seq)), {}
        if kind_of_body != "blob" or not is_body_of(body, values):
            sentence = f"The columns of entry {seq} do not say what was written."
            return Broken(seq, sentence), {}
        if values[_KIND] == "intent":
            for digest in _ARGUMENTS.findall(body):
                arguments.setdefault(bytes.fromhex(digest.decode()), seq)
    found.hash, found.head = previous, after
    found.entries += len(rows)
    return None, arguments


_KIND: Final = COLUMNS.index("kind")


async def _check_arguments(book: Book, named: Mapping[bytes, int]) -> None:
    """Check that what runs were called with is still kept, at least as a digest."""
    values = {f"d{n}": digest for n, digest in enumerate(named)}
    kept = await book.store.read(
        "SELECT digest FROM ledger_content "  # noqa: S608 - names of parameters
        f"WHERE digest IN ({', '.join(f':{name}' for name in values)})",
        values,
    )
    lost = named.keys() - {digest for (digest,) in kept}
    if lost:
        seq = min(named[digest] for digest in lost)
        raise Broken(seq, f"The arguments of entry {seq} are gone.")


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
        head=found.head,
        sentence=sentence,
        notes=tuple(found.notes),
    )
