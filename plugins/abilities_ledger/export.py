"""Export: every entry as plain JSON, complete enough to check the chain elsewhere."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from abilities_ledger.book import Book
from abilities_ledger.chain import COLUMNS, read_details

AT_ONCE: Final = 500

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NAMES: Final = (*COLUMNS, "body", "hash")
_PAGE: Final = (
    f"SELECT {', '.join(_NAMES)} FROM ledger_entry "  # noqa: S608 - column names
    "WHERE seq > :after ORDER BY seq LIMIT :limit"
)


async def export(
    book: Book, after: int = 0, *, at_once: int = AT_ONCE
) -> AsyncIterator[Mapping[str, Any]]:
    """Give every entry, oldest first; contents are not part of it.

    Args:
        book: the entries.
        after: only those with a greater number.
        at_once: how many are in memory.

    Yields:
        Column to value: `at` as ISO 8601 and `at_us` as it is hashed, digests and hash
        in hexadecimal, `details` for the body.
    """
    while True:
        values = {"after": after, "limit": at_once}
        rows = await book.store.read(_PAGE, values)
        for row in rows:
            yield _plain(row)
        if len(rows) < at_once:
            return
        after = rows[-1][0]


def iso(at: int) -> str:
    """Write microseconds since 1970 as ISO 8601, UTC."""
    moment = _EPOCH + timedelta(microseconds=at)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _plain(row: Sequence[Any]) -> Mapping[str, Any]:
    values = dict(zip(_NAMES, row, strict=True))
    body, at = values.pop("body"), values["at"]
    digests = {name: _hex(values[name]) for name in ("before", "after", "hash")}
    return {
        **values,
        **digests,
        "at": iso(at),
        "at_us": at,
        "listed": bool(values["listed"]),
        "details": orjson.loads(read_details(body)),
    }


def _hex(digest: bytes | None) -> str | None:
    return None if digest is None else digest.hex()
