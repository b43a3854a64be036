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
from abilities_ledger.content import INLINE, Content, unpack
from abilities_ledger.draft import Draft
from abilities_ledger.keeping import keep_contents
from abilities_ledger.tables import RECORD

_HEAD: Final = "SELECT seq, hash FROM ledger_entry ORDER BY seq DESC LIMIT 1"
_NAMES: Final = (*COLUMNS, "body", "hash")
_READ: Final = (*COLUMNS, "body")
SELECT: Final = f"SELECT {', '.join(_READ)} FROM ledger_entry"  # noqa: S608 - names
_NEWEST: Final = "ledger head"
_OPEN: Final = ("call", "seq", "lease", "phase")
_CLOSE: Final = "DELETE FROM ledger_open WHERE call = :call"
_LOST: Final = "UPDATE ledger_open SET phase = 'unknown' WHERE call = :call"
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


class Begun(NamedTuple):
    """A run whose first entry is appended.

    Attributes:
        call: id of the run.
        lease: of the host that has it.
    """

    call: str
    lease: str


class Ended(NamedTuple):
    """A run whose end is appended.

    Attributes:
        call: id of the run.
        is_lost: it may still go on; all that is said of it is that nobody knows.
    """

    call: str
    is_lost: bool = False


class StoredAlready(Exception):
    """Raised when the end of a run was appended before."""


class _Addition(NamedTuple):
    """What one caller appends in one step."""

    drafts: Sequence[Draft]
    contents: Collection[Content]
    run: Begun | Ended | None


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
        run: Begun | Ended | None = None,
        also: And | None = None,
    ) -> list[int]:
        """Append entries in one transaction; they are durable when it returns.

        Args:
            drafts: in their order.
            contents: what they name by digest.
            run: which run begins or ends with them.
            also: more to do in the same transaction; may raise to undo all of it.

        Returns:
            Their numbers.

        Raises:
            StoredAlready: when the run's end was appended before; nothing is stored.
            StoreError: when nothing could be stored.
        """
        addition = _Addition(drafts, [*contents], run)
        if also is None:
            head = await self.store.combine(_append, addition)
        else:
            head = await self.store.transact(partial(_append_also, addition, also))
        if drafts:
            self._tell(head)
        return _numbers(head, len(drafts))

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
    # By place, since pages and windows make thousands of them at once.
    seq, at, _, kind, call, parent, actor, session, ability, *rest = row
    domain, target, action, result, real, partial, about, *states, body = rest
    before, after = states
    return Entry(
        seq=seq,
        at=at,
        kind=kind,
        call=call,
        parent=parent,
        actor=actor,
        session=session,
        ability=ability,
        domain=domain,
        target=target,
        action=action,
        result=result,
        real=real,
        partial=partial,
        about=about,
        before=before,
        after=after,
        details=orjson.loads(read_details(body)),
    )


def _numbers(head: Head, count: int) -> list[int]:
    return list(range(head.seq - count + 1, head.seq + 1))


def _append_also(addition: _Addition, also: And, db: Transaction) -> Head:
    [head] = _append(db, [addition])
    also(db, _numbers(head, len(addition.drafts)))
    return head


def _append(db: Transaction, additions: Sequence[_Addition]) -> list[Head]:
    """Append what several callers bring, with as few statements as one needs."""
    head: Head = db.memo.get(_NEWEST) or read_head(db)
    at = time.time_ns() // 1000  # here, so that times come in the same order
    heads: list[Head] = []
    rows: list[tuple[Any, ...]] = []
    for addition in additions:
        for draft in addition.drafts:
            row = draft.row(head.seq + 1, at)
            link(head.hash, [row])
            rows.append(tuple(row.values()))
            head = Head(head.seq + 1, row["hash"])
        heads.append(head)
    db.insert("ledger_entry", _NAMES, rows)
    keep_contents(db, _needed(additions, heads))
    _note_runs(db, additions, heads)
    db.memo[_NEWEST] = head
    return heads


def _needed(
    additions: Iterable[_Addition], heads: Iterable[Head]
) -> dict[bytes, tuple[Content, int]]:
    needed: dict[bytes, tuple[Content, int]] = {}
    for addition, head in zip(additions, heads, strict=True):
        for content in addition.contents:
            known = needed.get(content.digest)
            if content.data is None and known is not None:
                content = known[0]  # noqa: PLW2901 - who has the data gives it
            needed[content.digest] = (content, head.seq)
    return needed


def _note_runs(
    db: Transaction, additions: Iterable[_Addition], heads: Iterable[Head]
) -> None:
    begun: list[tuple[Any, ...]] = []
    ended: dict[str, list[Mapping[str, str]]] = {}
    for (drafts, _, run), head in zip(additions, heads, strict=True):
        if isinstance(run, Begun):
            first = head.seq - len(drafts) + 1
            begun.append((run.call, first, run.lease, "running"))
        elif run is not None:
            sql = _LOST if run.is_lost else _CLOSE
            ended.setdefault(sql, []).append({"call": run.call})
    if begun:
        db.insert("ledger_open", _OPEN, begun)
    for sql, calls in ended.items():
        db.execute_many(sql, calls)
        if db.changes() != len(calls):
            raise StoredAlready
