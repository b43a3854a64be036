"""Derived: contents and tables beside the chain, compared with what it says of them."""

from asyncio import Future
from collections.abc import Iterable, Sequence
from typing import Final

from abilities_ledger.book import Book
from abilities_ledger.finding import Broken, Found, read_marks

TRIES: Final = 5
LOST: Final = 1000

_NAMED: Final = (
    "SELECT seq FROM ledger_entry WHERE before = :digest OR after = :digest "
    "OR (kind = 'intent' AND instr(body, :hex) > 0) ORDER BY seq LIMIT 1"
)
_WHOLE: Final = "kind = 'change' AND partial = '' AND seq > :after AND seq <= :last"
_LOST: Final = f"""
    SELECT seq, digest FROM (
        SELECT seq, before AS digest FROM ledger_entry
        WHERE {_WHOLE} AND before IS NOT NULL
        UNION ALL
        SELECT seq, after AS digest FROM ledger_entry
        WHERE {_WHOLE} AND after IS NOT NULL
    ) AS wanted
    WHERE NOT EXISTS (
        SELECT 1 FROM ledger_content AS kept
        WHERE kept.digest = wanted.digest AND kept.data IS NOT NULL
    )
    ORDER BY seq LIMIT {LOST}
"""  # noqa: S608 - constants
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


async def check_contents(book: Book, altered: Iterable["Future[list[str]]"]) -> None:
    """Check that every kept state still has the digest by which it is found.

    Args:
        book: the entries.
        altered: what `Ranges.contents` found, in the order of the digests.

    Raises:
        Broken: at the first entry that names an altered one.
    """
    for answer in altered:
        if names := await answer:
            digests = [bytes.fromhex(name) for name in names]
            raise Broken(await _named_by(book, digests), "A kept state was altered.")


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


async def _named_by(book: Book, digests: Sequence[bytes]) -> int | None:
    for digest in digests:
        values = {"digest": digest, "hex": digest.hex().encode()}
        for (seq,) in await book.store.read(_NAMED, values):
            return int(seq)
    return None


async def _check_lost(book: Book, found: Found) -> None:
    for first, last in found.doubted:
        values = {"after": first - 1, "last": last}
        while rows := await book.store.read(_LOST, values):
            for seq, digest in rows:
                if digest not in found.removed:
                    sentence = f"A state of entry {seq} is gone, and no mark says why."
                    raise Broken(seq, sentence)
            # An entry names two states: the last one may be cut in half.
            values["after"] = rows[-1][0] - (len(rows) == LOST)


async def _check_undone(book: Book, found: Found) -> None:
    for (seq,) in await book.store.read(_UNDONE, {"first": found.first}):
        sentence = f"Whether entry {seq} was undone is not as the record has it."
        raise Broken(seq, sentence)


async def _check_verdicts(book: Book, found: Found) -> None:
    for sql, values in ((_VERDICT, {"first": found.first}), (_NO_VERDICT, {})):
        for (seq,) in await book.store.read(sql, values):
            sentence = f"What came of a run is not as evaluation {seq} has it."
            raise Broken(seq, sentence)
