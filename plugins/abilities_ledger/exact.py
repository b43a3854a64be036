"""Exact: reads entries one by one, and names what is wrong with the first that is."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from abilities_host import StoreError, run_in_thread
from abilities_ledger.book import Book
from abilities_ledger.chain import COLUMNS, is_body_of, next_hash
from abilities_ledger.finding import Broken, Found

PAGE: Final = 2000
ALTERED: Final = "Entry {seq} is not as it was written, or the one before is."
# A row of another type must be found, not stop the reading.
_ROWS: Final = (
    f"SELECT CAST(body AS BLOB), CAST(hash AS BLOB), typeof(body), "  # noqa: S608
    f"{', '.join(COLUMNS)} FROM ledger_entry "
    "WHERE seq > :after ORDER BY seq LIMIT :limit"
)
_ARGUMENTS: Final = re.compile(rb'"(?:original_)?arguments":"([0-9a-f]{64})"')
_KIND: Final = COLUMNS.index("kind")


async def read_exactly(book: Book, found: Found, last: int) -> None:
    """Read on from what was found, up to an entry.

    Args:
        book: the entries.
        found: says where to begin; moved on.
        last: number of the entry to end with.

    Raises:
        Broken: at the first entry that is not as it was written.
    """
    while found.head < last:
        limit = min(PAGE, last - found.head)
        rows = await _read_page(book, found.head, limit)
        if not rows:
            raise Broken(found.head + 1, "Rows vanished while they were read.")
        checking = partial(_check_page, rows, found)
        broken, arguments = await run_in_thread(checking)
        if broken is not None:
            raise broken
        await _check_arguments(book, arguments)


async def _read_page(book: Book, after: int, limit: int) -> list[tuple[Any, ...]]:
    try:
        return await book.store.read(_ROWS, {"after": after, "limit": limit})
    except StoreError:
        raise
    except Exception:  # noqa: BLE001 - a text that is none: where?
        left = limit // 2
    # Not in there: what was raised would keep its statement open.
    if not left:
        raise Broken(after + 1, f"The columns of entry {after + 1} cannot be read.")
    return await _read_page(book, after, left)


def _check_page(
    rows: Sequence[tuple[Any, ...]], found: Found
) -> tuple[Broken | None, dict[bytes, int]]:
    """Check rows in a thread; gives what is wrong, and what arguments are named."""
    after, previous = found.head, found.hash
    arguments: dict[bytes, int] = {}
    for body, hash_, kind_of_body, *values in rows:
        after += 1
        seq = values[0]
        if seq != after:
            return Broken(after, f"Entry {after} is missing."), {}
        previous = next_hash(previous, body)
        if previous != hash_:
            return Broken(seq, ALTERED.format(seq=seq)), {}
        if kind_of_body != "blob" or not is_body_of(body, values):
            sentence = f"The columns of entry {seq} do not say what was written."
            return Broken(seq, sentence), {}
        if values[_KIND] == "intent":
            for digest in _ARGUMENTS.findall(body):
                arguments.setdefault(bytes.fromhex(digest.decode()), seq)
    found.hash, found.head = previous, after
    found.entries += len(rows)
    return None, arguments


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
