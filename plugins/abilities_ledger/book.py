"""Book: the one place where entries are appended and read."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import orjson

from abilities_host import MISSING, State, run_in_thread
from abilities_host.ledger import Entry
from abilities_host.storage import Store, Transaction
from abilities_ledger.chain import COLUMNS, first_hash, link, read_details
from abilities_ledger.content import INLINE, Content, row_of, unpack
from abilities_ledger.draft import Draft
from abilities_ledger.tables import RECORD

_HEAD: Final = "SELECT seq, hash FROM ledger_entry ORDER BY seq DESC LIMIT 1"
_NAMES: Final = (*COLUMNS, "body", "hash")
_INSERT: Final = (
    f"INSERT INTO ledger_entry ({', '.join(_NAMES)}) "  # noqa: S608 - column names
    f"VALUES ({', '.join(f':{name}' for name in _NAMES)})"
)
_READ: Final = (*COLUMNS, "body")
SELECT: Final = f"SELECT {', '.join(_READ)} FROM ledger_entry"  # noqa: S608 - names
_KEEP: Final = (
    "INSERT INTO ledger_content (digest, size, packed, data, last) "
    "VALUES (:digest, :size, :packed, :data, :last) ON CONFLICT (digest) DO NOTHING"
)
# What was too large, or was removed, may be kept from now on.
_FILL: Final = (
    "UPDATE ledger_content SET size = :size, packed = :packed, data = :data, "
    "last = :last WHERE digest = :digest AND data IS NULL AND :data IS NOT NULL"
)
_AGAIN: Final = (
    "UPDATE ledger_content SET last = :last "
    "WHERE digest = :digest AND (data IS NOT NULL OR :data IS NULL)"
)
_NEWEST: Final = "ledger head"
_COUNT: Final = (
    "UPDATE ledger_total SET contents = contents + :contents, bytes = bytes + :bytes"
)
_LENGTH: Final = (
    "SELECT length(data) FROM ledger_content "
    "WHERE digest = :digest AND data IS NOT NULL"
)
_REMOVE: Final = "UPDATE ledger_content SET data = NULL WHERE digest = :digest"
_CONTENT: Final = "SELECT data, packed FROM ledger_content WHERE digest = :digest"

And = Callable[[Transaction, Sequence[int]], None]
"""More to do in the transaction that appends, given the numbers of the entries."""


class Head(NamedTuple):
    """The newest entry.

    Attributes:
        seq: its number, 0 for none.
        hash: its hash, or where the chain starts.
    """

    seq: int
    hash: bytes


class ContentGone(LookupError):
    """Raised when a digest is kept and its content is not."""


class Book:
    """The entries of one store.

    Args:
        store: with the tables of `tables.MIGRATIONS`.
    """

    def __init__(self, store: Store) -> None:
        self.store: Final = store
        self._listeners: Final[list[Callable[[Head], None]]] = []

    def on_append(self, listener: Callable[[Head], None]) -> None:
        """Have a function told the new head after each commit; it must not block."""
        self._listeners.append(listener)

    async def append(
        self,
        drafts: Sequence[Draft],
        contents: Iterable[Content] = (),
        *,
        also: And | None = None,
    ) -> list[int]:
        """Append entries in one transaction; they are durable when it returns.

        Args:
            drafts: in their order.
            contents: what they name by digest.
            also: more to do in the same transaction; may raise to undo all of it.

        Returns:
            Their numbers.

        Raises:
            StoreError: when nothing could be stored.
        """
        kept = {each.digest: each for each in contents}
        # What was there before a change its intent has kept already.
        known = {each.before for each in drafts if each.kind == "change"}

        def work(db: Transaction) -> Head:
            at = time.time_ns() // 1000  # here, so that times come in the same order
            head = db.memo.get(_NEWEST) or read_head(db)
            rows = [d.row(head.seq + n, at) for n, d in enumerate(drafts, 1)]
            linked = link(head.hash, rows)
            db.execute_many(_INSERT, linked)
            _keep_contents(db, kept.values(), known, head.seq + len(rows))
            if also is not None:
                also(db, [row["seq"] for row in rows])
            newest = Head(rows[-1]["seq"], linked[-1]["hash"]) if rows else head
            db.memo[_NEWEST] = newest
            return newest

        head = await self.store.transact(work)
        if drafts:
            self._tell(head)
        return list(range(head.seq - len(drafts) + 1, head.seq + 1))

    def _tell(self, head: Head) -> None:
        for listener in self._listeners:
            listener(head)

    async def head(self) -> Head:
        """Read the newest entry's number and hash."""
        rows = await self.store.read(_HEAD)
        if rows:
            return Head(*rows[0])
        [(record,)] = await self.store.read(RECORD)
        return Head(0, first_hash(record))

    async def select(self, where: str, parameters: Mapping[str, Any]) -> list[Entry]:
        """Read entries.

        Args:
            where: what follows the column names, with its own LIMIT.
            parameters: values by name.

        Returns:
            The entries, in the order that `where` asks for.
        """
        rows = await self.store.read(f"{SELECT} {where}", parameters)
        return [entry_of(row) for row in rows]

    async def of_call(self, call: str) -> list[Entry]:
        """Read every entry of a run, oldest first."""
        return await self.select(
            "WHERE call = :call ORDER BY seq LIMIT 10000", {"call": call}
        )

    async def state(self, digest: bytes | None) -> State:
        """Read a state.

        Args:
            digest: of the state, None for MISSING.

        Returns:
            The state.

        Raises:
            ContentGone: when only the digest was kept, or the content was removed.
        """
        if digest is None:
            return MISSING
        rows = await self.store.read(_CONTENT, {"digest": digest})
        if not rows or rows[0][0] is None:
            raise ContentGone(digest.hex())
        data, packed = rows[0]
        work = partial(unpack, data, is_packed=bool(packed))
        return work() if len(data) < INLINE else await run_in_thread(work)


def read_head(db: Transaction) -> Head:
    """Read the newest entry inside a transaction, where nobody can slip between."""
    rows = db.execute(_HEAD)
    if rows:
        return Head(*rows[0])
    [(record,)] = db.execute(RECORD)
    return Head(0, first_hash(record))


def entry_of(row: Sequence[Any]) -> Entry:
    """Make an entry of what `SELECT` gives."""
    values = dict(zip(_READ, row, strict=True))
    del values["listed"]
    details = orjson.loads(read_details(values.pop("body")))
    return Entry(details=details, **values)


def remove_content(db: Transaction, digest: bytes) -> bool:
    """Remove a content; its digest and size stay.

    Args:
        db: the transaction.
        digest: of the content.

    Returns:
        Whether it was there.
    """
    rows = db.execute(_LENGTH, {"digest": digest})
    for (size,) in rows:
        db.execute(_REMOVE, {"digest": digest})
        db.execute(_COUNT, {"contents": 0, "bytes": -size})
    return bool(rows)


def _has(db: Transaction, row: Mapping[str, Any]) -> bool:
    """Note that a content is needed again; False when there is something to keep."""
    db.execute(_AGAIN, row)
    return bool(db.changes())


def _keep_contents(
    db: Transaction,
    contents: Iterable[Content],
    known: Collection[bytes | None],
    last: int,
) -> None:
    count = size = 0
    for content in contents:
        row = row_of(content, last)
        if content.digest in known and _has(db, row):
            continue
        db.execute(_KEEP, row)
        is_new = db.changes()
        if not is_new:
            if _has(db, row):
                continue
            db.execute(_FILL, row)
        count, size = count + is_new, size + len(content.data or b"")
    if count or size:
        db.execute(_COUNT, {"contents": count, "bytes": size})
