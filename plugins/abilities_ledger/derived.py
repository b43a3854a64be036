"""Derived: contents and tables beside the chain, compared with what it says of them."""

from collections.abc import Iterable, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Final
from zlib import decompress
from zlib import error as ZlibError  # noqa: N812 - zlib calls it only 'error'

from abilities_host import run_in_thread
from abilities_ledger.book import Book
from abilities_ledger.finding import Broken, Found, read_marks

PAGE: Final = 1000  # contents read at once, if they are small
PAGE_BYTES: Final = 16 << 20
TRIES: Final = 5

_CONTENTS: Final = (
    "SELECT digest, size, packed, CAST(data AS BLOB) FROM ledger_content "
    "WHERE digest > :after ORDER BY digest LIMIT :limit"
)
_SIZES: Final = (
    "SELECT coalesce(length(data), 0) FROM ledger_content "
    "WHERE digest > :after ORDER BY digest LIMIT :limit"
)
_NAMED: Final = (
    "SELECT seq FROM ledger_entry WHERE before = :digest OR after = :digest "
    "OR (kind = 'intent' AND instr(body, :hex) > 0) ORDER BY seq LIMIT 1"
)
_LOST: Final = """
    SELECT seq, digest FROM (
        SELECT seq, before AS digest FROM ledger_entry
        WHERE kind = 'change' AND partial = '' AND before IS NOT NULL
        UNION ALL
        SELECT seq, after AS digest FROM ledger_entry
        WHERE kind = 'change' AND partial = '' AND after IS NOT NULL
    ) AS wanted
    WHERE NOT EXISTS (
        SELECT 1 FROM ledger_content AS kept
        WHERE kept.digest = wanted.digest AND kept.data IS NOT NULL
    )
    AND seq > :after ORDER BY seq LIMIT 1000
"""
# In one statement, since others undo meanwhile.
_UNDONE: Final = """
    WITH said AS (
        SELECT about AS seq, seq AS by FROM ledger_entry AS last
        WHERE about IS NOT NULL AND kind = 'rollback' AND action = 'undone'
            AND NOT EXISTS (
                SELECT 1 FROM ledger_entry AS later
                WHERE later.about = last.about AND later.seq > last.seq
                    AND later.kind = 'rollback'
            )
    )
    SELECT seq FROM (
        SELECT said.seq FROM said
        LEFT JOIN ledger_undone AS u ON u.seq = said.seq AND u.by = said.by
        WHERE u.seq IS NULL
        UNION ALL
        SELECT u.seq FROM ledger_undone AS u
        LEFT JOIN said ON said.seq = u.seq WHERE said.seq IS NULL
    ) AS wrong
    WHERE seq >= :first ORDER BY seq LIMIT 1
"""
_VERDICT: Final = """
    SELECT v.seq FROM ledger_verdict AS v
    LEFT JOIN ledger_entry AS e
        ON e.seq = v.seq AND e.kind = 'evaluation' AND e.call = v.call
        AND e.real = v.real
    WHERE v.seq >= :first AND e.seq IS NULL ORDER BY v.seq LIMIT 1
"""
_NO_VERDICT: Final = """
    SELECT e.seq FROM ledger_entry AS e
    LEFT JOIN ledger_verdict AS v ON v.call = e.call AND v.seq >= e.seq
    WHERE e.about IS NOT NULL AND e.kind = 'evaluation' AND v.seq IS NULL
    ORDER BY e.seq + 0 LIMIT 1
"""


async def check_contents(book: Book) -> None:
    """Check that every kept state still has the digest by which it is found.

    Args:
        book: the entries.

    Raises:
        Broken: at the first entry that names an altered one.
    """
    values: dict[str, Any] = {"after": b"", "limit": PAGE}
    while sizes := await book.store.read(_SIZES, values):
        limit = _fitting(size for (size,) in sizes)
        rows = await book.store.read(_CONTENTS, {**values, "limit": limit})
        if names := await run_in_thread(partial(_altered, rows)):
            raise Broken(await _named_by(book, names), "A kept state was altered.")
        if not rows:
            return  # what was left was pruned meanwhile
        values["after"] = rows[-1][0]


def _fitting(sizes: Iterable[int]) -> int:
    """Say how many of the first together are small enough; at least one."""
    total = count = 0
    for size in sizes:
        total += size
        if count and total > PAGE_BYTES:
            break
        count += 1
    return count


async def check_derived(book: Book, found: Found) -> None:
    """Check what was derived from the entries, while others may add to them.

    Args:
        book: the entries.
        found: the chain was read; what entries say of others is added.

    Raises:
        Broken: at the first entry that says something else.
    """
    for _ in range(TRIES):
        head = await book.head()
        await read_marks(book, found)
        try:
            await _check_lost(book, found)
            await _check_undone(book, found)
            await _check_verdicts(book, found)
        except Broken as broken:
            if head == await book.head():
                raise
            problem = broken  # or it was written just now: then look again
        else:
            return
    raise problem


def _altered(rows: Sequence[tuple[Any, ...]]) -> list[bytes]:
    """Give the digests by which the first altered content may be named."""
    for digest, size, packed, data in rows:
        if data is None:
            continue
        try:
            written = decompress(data) if packed else data
        except ZlibError:
            return [digest]
        if (now := sha256(written).digest()) != digest:
            return [now, digest]
        if size != len(written) - 1:
            return [digest]
    return []


async def _named_by(book: Book, digests: Sequence[bytes]) -> int | None:
    for digest in digests:
        values = {"digest": digest, "hex": digest.hex().encode()}
        for (seq,) in await book.store.read(_NAMED, values):
            return int(seq)
    return None


async def _check_lost(book: Book, found: Found) -> None:
    after = 0
    while rows := await book.store.read(_LOST, {"after": after}):
        for seq, digest in rows:
            if digest not in found.removed:
                sentence = f"A state of entry {seq} is gone, and no mark says why."
                raise Broken(seq, sentence)
        after = rows[-1][0]


async def _check_undone(book: Book, found: Found) -> None:
    for (seq,) in await book.store.read(_UNDONE, {"first": found.first}):
        sentence = f"Whether entry {seq} was undone is not as the record has it."
        raise Broken(seq, sentence)


async def _check_verdicts(book: Book, found: Found) -> None:
    for sql, values in ((_VERDICT, {"first": found.first}), (_NO_VERDICT, {})):
        for (seq,) in await book.store.read(sql, values):
            sentence = f"What came of a run is not as evaluation {seq} has it."
            raise Broken(seq, sentence)
